//! Questions about things that are worth protecting everywhere, for comparing two policies.

use super::{
    question::ReachQuestion,
    report::ReachWitness,
    rule_lines::RuleLines,
    search::{ReachCaller, ReachLimits},
    things::WitnessStrength,
};
use crate::policy::Policy;

/// The questions: things of the packaged protections, and others that usually matter.
const QUESTIONS: &[&str] = &[
    "read ~/.ssh/id_ed25519",
    "write ~/.ssh/authorized_keys",
    "read ~/.aws/credentials",
    "read ~/.kube/config",
    "read ~/.netrc",
    "read ~/.config/gh/hosts.yml",
    "read .env",
    "write .env",
    "delete .env",
    "read ~/notes.txt",
    "delete ~/notes.txt",
    "write .claude/settings.json",
    "write .mcp.json",
    "write .git/hooks/pre-commit",
    "write ~/.bashrc",
    "read /etc/shadow",
    "write /etc/hosts",
    "connect db.prod.example.com",
    "push main",
    "force main",
    "delete branch main",
    "kubernetes delete pod/web of prod",
    "sql write customers of prod",
    "sql schema customers of prod",
];

/// Something that one policy allows and another does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewlyReachable {
    /// The question.
    pub question: ReachQuestion,
    /// A call that the new policy allows.
    pub witness: ReachWitness,
}

/// The questions by which two policies are compared.
pub fn sensitive_questions() -> impl Iterator<Item = ReachQuestion> {
    QUESTIONS.iter().filter_map(|text| text.parse().ok())
}

/// What the new policy allows on sensitive things, and the old one does not.
#[must_use]
pub fn find_newly_reachable(old: &Policy, new: &Policy, caller: ReachCaller<'_>) -> Vec<NewlyReachable> {
    let (old_lines, new_lines) = (RuleLines::new(old, new), RuleLines::new(new, old));
    let mut found = Vec::new();
    for question in sensitive_questions() {
        let ask = |policy: &Policy, lines| {
            let report = policy.search_reach_with(&question, caller, ReachLimits::QUICK, Some(lines));
            report.witnesses.into_iter().find(|witness| witness.strength == WitnessStrength::Does)
        };
        if let Some(witness) = ask(new, &new_lines).filter(|_| ask(old, &old_lines).is_none()) {
            found.push(NewlyReachable { question, witness });
        }
    }
    found
}

//! Policy judgements, as the API shows them.

use countersign_api::{self as api, PolicyVerdict, VerdictRule, VerdictTerms};
use countersign_policy::{Judgement, PolicyWarning};
use std::time::Duration;

/// Converts a judgement.
#[must_use]
pub fn view_verdict(judgement: &Judgement) -> PolicyVerdict {
    let terms = &judgement.terms;
    let seconds = |span: Option<Duration>| span.map(|span| span.as_secs());
    let matched = judgement.matched.iter().map(|rule| VerdictRule {
        rule: rule.rule.clone(),
        verdict: rule.verdict,
        why: rule.why.clone(),
        advisor: rule.advisor.clone(),
        shadow: rule.shadow,
    });
    PolicyVerdict {
        verdict: judgement.verdict,
        basis: judgement.basis,
        rule: judgement.rule.clone(),
        reason: judgement.reason.clone(),
        terms: VerdictTerms {
            expires: seconds(terms.expires),
            on_expiry: terms.on_expiry,
            level: terms.level.clone(),
            default_level: terms.default_level.clone(),
            quorum: terms.quorum,
            denials: terms.denials,
            approvers: terms.approvers.clone(),
            advisor: terms.advisor.clone(),
            remind_after: seconds(terms.remind_after),
            escalate_after: seconds(terms.escalate_after),
            escalate_to: terms.escalate_to.clone(),
        },
        matched: matched.collect(),
        shadow: judgement.shadow.clone(),
        policy: judgement.policy,
        warnings: Vec::new(),
    }
}

/// Converts a policy warning.
#[must_use]
pub fn view_warning(warning: PolicyWarning) -> api::PolicyWarning {
    let PolicyWarning { file, line, column, text, never_matches } = warning;
    api::PolicyWarning { file, line, column, text, never_matches }
}

//! A policy that becomes stricter or looser applies to pending requests.

use super::*;
use crate::registry::SetPolicyCommand;
use countersign_events::{ApprovalResponse, Decision, PolicyChange, ToolPolicy};

const PEOPLE: &str =
    "[approvers]\n\"user:sue\" = { level = \"admin\" }\n\"user:sam\" = { level = \"admin\" }\n";

fn rule(text: &str) -> String {
    format!("{PEOPLE}[[rule]]\nname = \"bash\"\ntool = \"bash\"\n{text}\n")
}

fn asked_then(stricter: &str) -> DecisionStory {
    let mut story = given(PEOPLE);
    story.proposes("a", "bash").expect("asked");
    story.policy = Arc::new(Policy::read(&rule(stricter)).expect("valid"));
    story
}

#[test]
fn higher_level_applies_to_pending_request() {
    let mut story = asked_then("verdict = \"ask\"\nlevel = \"admin\"");
    assert_eq!(code(story.decides("bob", "a", Decision::AllowOnce)), "not_eligible");
    story.decides("sue", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn higher_quorum_applies_to_pending_request() {
    let mut story = asked_then("verdict = \"ask\"\nquorum = 2");
    assert_eq!(
        story.decides("bob", "a", Decision::AllowOnce).expect("voted"),
        ["TOOL_APPROVAL_VOTE by user:bob"]
    );
    assert_eq!(story.state("a"), CallState::Pending);
    story.decides("sue", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn earlier_vote_below_new_level_stops_counting() {
    let mut story = given(&rule("verdict = \"ask\"\nquorum = 2"));
    story.proposes("a", "bash").expect("asked");
    story.decides("bob", "a", Decision::AllowOnce).expect("voted");
    story.policy =
        Arc::new(Policy::read(&rule("verdict = \"ask\"\nquorum = 2\nlevel = \"admin\"")).expect("valid"));
    story.decides("sue", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.state("a"), CallState::Pending, "bob has no such level");
    story.decides("sam", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn new_block_refuses_approval_of_pending_request() {
    let mut story = asked_then("verdict = \"block\"\nreason = \"history is shared\"");
    let refused = story.decides("sue", "a", Decision::AllowOnce).expect_err("blocked");
    assert_eq!(refused.to_string(), "blocked by policy:bash: history is shared");
    story.decides("sue", "a", Decision::Deny).expect("denied");
}

#[test]
fn new_block_denies_pending_request_when_reviewed() {
    let mut story = asked_then("verdict = \"block\"\nreason = \"history is shared\"");
    let events = story.call_command("a", CallCommand::Due).expect("denied");
    assert_eq!(events, ["TOOL_APPROVAL_RESPONSE by policy:bash", "TOOL_RESULT by policy:bash"]);
    assert_eq!(
        story.told("a"),
        "\"Blocked by policy:bash: history is shared. This is a rule, which no approval lifts: do not retry it.\""
    );
}

#[test]
fn looser_policy_keeps_terms_of_the_request() {
    let mut story = given(&rule("verdict = \"ask\"\nlevel = \"admin\""));
    story.proposes("a", "bash").expect("asked");
    story.policy = Arc::new(Policy::read(&rule("verdict = \"allow\"")).expect("valid"));
    assert_eq!(code(story.decides("bob", "a", Decision::AllowOnce)), "not_eligible");
}

#[test]
fn approval_without_the_new_judgement_is_refused() {
    let mut story = asked_then("verdict = \"block\"");
    let target = CommandTarget::Call(thread_id(), call_id("a"));
    let allow = CallCommand::Respond(RespondCommand::plain(Decision::AllowOnce));
    let refused = story.person("sue").execute_with(target, allow.into(), CommandEvidence::NotNeeded);
    assert_eq!(code(refused), "invalid");
}

#[test]
fn history_under_changing_policies_is_admissible() {
    let policies = [
        rule("verdict = \"ask\"\nquorum = 2"),
        rule("verdict = \"ask\"\nlevel = \"admin\""),
        rule("verdict = \"ask\"\nexpires = \"1m\"\nonExpiry = \"allow\""),
        rule("verdict = \"block\""),
    ];
    for (from, before) in policies[..3].iter().enumerate() {
        for after in &policies[from + 1..] {
            for decision in [Decision::AllowOnce, Decision::AllowSession, Decision::Deny] {
                let mut story = given(before);
                story.proposes("a", "bash").expect("asked");
                story.policy = Arc::new(Policy::read(after).expect("valid"));
                for name in ["bob", "sue", "sam"] {
                    let _ = story.decides(name, "a", decision);
                }
                let _ = story.later(60).call_command("a", CallCommand::Due);
                let _ = story.claims("a", "w", "{\"n\":1}");
                let mut check = crate::admissibility::AdmissibilityCheck::default();
                let mut found: Vec<_> =
                    story.log.iter().flat_map(|event| check.check(event.clone())).collect();
                found.extend(check.finish());
                assert_eq!(found, [], "{before} {after} {decision:?}");
            }
        }
    }
}

#[test]
fn new_allow_answers_pending_request_when_reviewed() {
    let mut story = asked_then("verdict = \"allow\"");
    let events = story.call_command("a", CallCommand::Due).expect("allowed");
    assert_eq!(events, ["TOOL_APPROVAL_RESPONSE by policy:bash"]);
    assert_eq!(story.state("a"), CallState::Allowed);
    assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
    assert_eq!(story.call_command("a", CallCommand::Due).expect("nothing is left"), [""; 0]);
}

#[test]
fn new_allow_keeps_objections_and_required_people() {
    let mut story = given(&rule("verdict = \"ask\"\nquorum = 2\ndenials = 2"));
    story.proposes("a", "bash").expect("asked");
    story.decides("bob", "a", Decision::Deny).expect("voted");
    story.policy = Arc::new(Policy::read(&rule("verdict = \"allow\"")).expect("valid"));
    assert_eq!(story.call_command("a", CallCommand::Due).expect("nothing to write"), [""; 0]);
    assert_eq!(story.state("a"), CallState::Pending);

    let mut story = given(PEOPLE);
    story.proposes("a", "bash").expect("asked");
    let required = vec![(ToolName::new("bash").expect("valid"), ToolPolicy::RequireApproval)];
    story.person("sue").thread_command(ThreadCommand::SetPolicies(required)).expect("set");
    story.policy = Arc::new(Policy::read(&rule("verdict = \"allow\"")).expect("valid"));
    assert_eq!(story.call_command("a", CallCommand::Due).expect("nothing to write"), [""; 0]);
}

impl DecisionStory {
    /// `name` changes the policy, and the calls that wait are reviewed.
    fn is_changed_by(&mut self, name: &str, policy: &str) {
        let replaces = self.batch.policy();
        self.policy = Arc::new(Policy::read(policy).expect("valid"));
        let set = SetPolicyCommand { policy: Arc::clone(&self.policy), source: String::new(), replaces };
        self.person(name).execute(CommandTarget::Log, LogCommand::SetPolicy(set).into()).expect("set");
    }

    pub(super) fn response(&self, id: &str) -> ApprovalResponse {
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        call.response().expect("decided").what.clone()
    }
}

#[test]
fn answer_by_changed_policy_names_its_author() {
    for verdict in ["allow", "block"] {
        let mut story = given(PEOPLE);
        story.is_changed_by("sue", PEOPLE);
        story.proposes("a", "bash").expect("asked");
        story.is_changed_by("sam", &rule(&format!("verdict = \"{verdict}\"")));
        let seq = story.log.last().expect("set").seq;
        story.set_by(Principal::system("policy"));
        story.call_command("a", CallCommand::Due).expect("answered");
        let change = PolicyChange { seq, principal: Principal::user("sam") };
        assert_eq!(story.response("a").policy_change, Some(change), "{verdict}");
        story.proposes("b", "bash").expect("judged");
        assert_eq!(story.response("b").policy_change, None, "b did not wait");
        assert_eq!(story.inadmissible_rows(), [""; 0], "{verdict}");
    }
}

#[test]
fn forged_author_of_policy_change_is_named() {
    let mut story = given(PEOPLE);
    story.is_changed_by("sue", PEOPLE);
    story.proposes("a", "bash").expect("asked");
    story.is_changed_by("sam", &rule("verdict = \"allow\""));
    story.set_by(Principal::system("policy"));
    story.call_command("a", CallCommand::Due).expect("allowed");
    let row = story.log.last_mut().expect("allowed");
    let Ok(Body::ApprovalResponse(response)) = Body::read(row.seq, row.kind, &row.data) else {
        unreachable!("it is a response")
    };
    for forged in [None, Some(PolicyChange { seq: 1, principal: Principal::user("sue") })] {
        let forged = ApprovalResponse { policy_change: forged, ..response.clone() };
        let row = story.log.last_mut().expect("allowed");
        row.data = Body::ApprovalResponse(forged).data().expect("valid");
        let found = story.inadmissible_rows();
        assert!(found.iter().any(|why| why.contains("policyChange")), "{found:?}");
    }
}

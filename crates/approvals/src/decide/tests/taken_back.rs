//! Approvals that a person takes back before an executor uses them.

use super::{
    laws::{bodies, play, steps},
    *,
};
use proptest::prelude::*;
use std::collections::HashSet;

const ARGUMENTS: &str = "{\"n\":1}";
const SEVERAL: &str = "[[rule]]\nname = \"two people\"\ntool = \"*\"\nverdict = \"ask\"\nquorum = 2\n";

impl DecisionStory {
    fn takes_back(&mut self, name: &str, id: &str, comment: Option<&str>) -> Result<Vec<String>, Refused> {
        let comment = comment.map(str::to_owned);
        self.person(name).call_command(id, CallCommand::TakeBack { comment })
    }
}

fn given_allowed(policy: &str) -> DecisionStory {
    let mut story = given(policy);
    story.proposes("a", "mail").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story
}

#[test]
fn taken_back_approval_lets_nothing_start() {
    let mut story = given_allowed("");
    let events = story.takes_back("ada", "a", None).expect("taken back");
    assert_eq!(events, ["TOOL_APPROVAL_TAKEN_BACK by user:ada", "TOOL_RESULT by user:ada"]);
    assert_eq!(story.state("a"), CallState::Cancelled);
    let told = "\"Cancelled by user:ada: the approval was taken back before the call started\"";
    assert_eq!(story.told("a"), told);
    let refused = story.claims("a", "w1", ARGUMENTS).expect_err("an executor that saw the approval");
    assert_eq!(refused, Refused::NotAllowed { state: CallState::Cancelled });
    assert_eq!(story.takes_back("ada", "a", None), Ok(vec![]), "a repeat");
    story.is_admissible();
}

#[test]
fn taken_back_call_is_not_decided_again() {
    let mut story = given_allowed("");
    story.takes_back("bo", "a", Some("wrong cluster")).expect("any person only restricts");
    assert_eq!(story.told("a"), "\"Cancelled by user:bo: wrong cluster\"");
    assert_eq!(code(story.decides("bo", "a", Decision::Deny)), "already_decided");
    assert_eq!(story.decides("ada", "a", Decision::AllowOnce), Ok(vec![]), "a repeated answer");
    assert_eq!(story.state("a"), CallState::Cancelled, "which changes nothing");
    story.proposes("b", "mail").expect("proposed");
    assert_eq!(story.state("b"), CallState::Pending, "the approval answers no repeated call");
    story.is_admissible();
}

#[test]
fn claimed_call_keeps_its_approval() {
    let mut story = given_allowed("");
    story.claims("a", "w1", ARGUMENTS).expect("claimed");
    assert_eq!(code(story.takes_back("ada", "a", None)), "already_claimed");
    story.agent().call_command("a", finish(Status::Success, "sent")).expect("finished");
    assert_eq!(code(story.takes_back("ada", "a", None)), "already_claimed");
}

#[test]
fn only_peoples_approvals_are_taken_back() {
    let mut story = given("[[rule]]\nname = \"free\"\ntool = \"read\"\nverdict = \"allow\"\n");
    story.proposes("a", "mail").expect("proposed");
    story.proposes("b", "read").expect("proposed");
    assert_eq!(code(story.takes_back("ada", "a", None)), "nothing_to_take_back");
    assert_eq!(code(story.takes_back("ada", "b", None)), "nothing_to_take_back", "a rule allowed it");
    story.decides("ada", "a", Decision::Deny).expect("denied");
    assert_eq!(code(story.takes_back("ada", "a", None)), "nothing_to_take_back");
    assert_eq!(
        code(story.agent().call_command("b", CallCommand::TakeBack { comment: None })),
        "not_an_approver"
    );
}

#[test]
fn grant_ends_with_its_approval() {
    let mut story = given("");
    story.proposes("a", "mail").expect("proposed");
    story.proposes("b", "mail").expect("proposed");
    let respond = RespondCommand { and_waiting: true, ..RespondCommand::for_session(GrantScope::Tool) };
    story.person("ada").call_command("a", CallCommand::Respond(respond)).expect("allowed");
    assert_eq!(story.state("b"), CallState::Allowed, "the same decision answered it");
    let events = story.takes_back("ada", "a", None).expect("taken back");
    let revoked = "GRANT_REVOKED by user:ada";
    assert_eq!(events, ["TOOL_APPROVAL_TAKEN_BACK by user:ada", revoked, "TOOL_RESULT by user:ada"]);
    assert_eq!(code(story.claims("b", "w1", ARGUMENTS)), "blocked", "it waits for no one else's approval");
    story.proposes("c", "mail").expect("proposed");
    assert_eq!(story.state("c"), CallState::Pending, "later calls are asked about again");
    story.is_admissible();
}

#[test]
fn approval_of_several_ends_for_all() {
    let mut story = given(SEVERAL);
    story.proposes("a", "mail").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(code(story.takes_back("ada", "a", None)), "nothing_to_take_back", "a vote is no approval");
    story.decides("bo", "a", Decision::AllowOnce).expect("allowed");
    story.takes_back("ada", "a", None).expect("one of them takes it back");
    assert_eq!(story.state("a"), CallState::Cancelled);
    assert_eq!(code(story.claims("a", "w1", ARGUMENTS)), "not_allowed");
}

#[test]
fn lapsed_approval_is_not_taken_back() {
    let mut story = given_allowed("lapses = \"1m\"\n");
    story.later(60);
    assert_eq!(code(story.takes_back("ada", "a", None)), "nothing_to_take_back");
}

proptest! {
    #[test]
    fn taken_back_approval_never_starts_a_call(steps in steps()) {
        let mut taken = HashSet::new();
        let mut started = HashSet::new();
        for body in bodies(&play(&steps)) {
            match body {
                Body::ApprovalTakenBack(back) => {
                    prop_assert!(!started.contains(&back.tool_call_id), "it had started");
                    taken.insert(back.tool_call_id);
                }
                Body::ExecutionStarted(claim) => {
                    prop_assert!(!taken.contains(&claim.tool_call_id), "it was taken back");
                    started.insert(claim.tool_call_id);
                }
                _ => {}
            }
        }
    }
}

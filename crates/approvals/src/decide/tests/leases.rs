//! Leases: every claim has one, its executor renews it, and a lost executor loses it.

use super::*;
use crate::decide::{DEFAULT_LEASE, LONGEST_LEASE, RenewCommand};

const ARGUMENTS: &str = "{\"n\":1}";

fn story_with_allowed_call() -> DecisionStory {
    let mut story = given("");
    story.proposes("a", "mail").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story
}

impl DecisionStory {
    fn claims_for(&mut self, executor: &str, lease: Option<Duration>) -> Result<Vec<String>, Refused> {
        let claim = ClaimCommand {
            executor: executor.to_owned(),
            arguments_hash: hash(ARGUMENTS),
            lease,
            arguments: None,
            definition_hash: None,
        };
        self.agent().call_command("a", CallCommand::Claim(claim))
    }

    fn renews(&mut self, executor: &str, seconds: u64) -> Result<Vec<String>, Refused> {
        let lease = Some(Duration::from_secs(seconds));
        let renew = RenewCommand { executor: executor.to_owned(), lease };
        self.agent().call_command("a", CallCommand::Renew(renew))
    }

    /// The time that remains of the lease.
    fn remaining(&self) -> Duration {
        let call = self.batch.call(&thread_id(), &call_id("a")).expect("proposed");
        let end = call.claim().and_then(|claim| claim.what.lease_expires_at);
        end.expect("a lease").since(self.now)
    }
}

const RENEWED: &str = "TOOL_EXECUTION_RENEWED by agent:bot";

#[test]
fn claim_without_lease_gets_the_default() {
    let mut story = story_with_allowed_call();
    story.claims_for("w1", None).expect("claimed");
    assert_eq!(story.remaining(), DEFAULT_LEASE);
    story.later(DEFAULT_LEASE.as_secs() - 1);
    assert_eq!(story.state("a"), CallState::Running);
    story.later(1);
    assert_eq!(story.state("a"), CallState::Unknown);
}

#[test]
fn lease_above_a_day_is_refused() {
    let mut story = story_with_allowed_call();
    let too_long = LONGEST_LEASE + Duration::from_secs(1);
    assert_eq!(code(story.claims_for("w1", Some(too_long))), "invalid");
    story.claims_for("w1", Some(LONGEST_LEASE)).expect("the longest");
    assert_eq!(code(story.renews("w1", too_long.as_secs())), "invalid");
}

#[test]
fn renewal_extends_the_lease_of_its_executor() {
    let mut story = story_with_allowed_call();
    story.claims_for("w1", Some(Duration::from_mins(1))).expect("claimed");
    for _ in 0..5 {
        story.later(20);
        assert_eq!(story.renews("w1", 60).expect("renewed"), [RENEWED]);
        assert_eq!((story.state("a"), story.remaining()), (CallState::Running, Duration::from_mins(1)));
    }
    assert_eq!(code(story.renews("w2", 60)), "not_the_executor");
    story.later(60);
    assert_eq!(story.state("a"), CallState::Unknown, "the last renewal ends too");
}

#[test]
fn early_or_shorter_renewal_writes_nothing() {
    let mut story = story_with_allowed_call();
    story.claims_for("w1", Some(Duration::from_mins(1))).expect("claimed");
    story.later(15);
    assert_eq!(story.renews("w1", 60), Ok(vec![]), "three quarters remain");
    assert_eq!(story.renews("w1", 45), Ok(vec![]), "it ends no later");
    story.later(1);
    assert_eq!(story.renews("w1", 60).expect("renewed"), [RENEWED]);
    assert_eq!(story.renews("w1", 60), Ok(vec![]), "a repeat");
}

#[test]
fn lease_of_zero_ends_it_at_once() {
    let mut story = story_with_allowed_call();
    story.claims_for("w1", Some(Duration::from_mins(15))).expect("claimed");
    story.later(1);
    assert_eq!(code(story.renews("w2", 0)), "not_the_executor");
    assert_eq!(story.renews("w1", 0).expect("given up"), [RENEWED]);
    assert_eq!(story.state("a"), CallState::Unknown);
    assert_eq!(story.renews("w1", 0), Ok(vec![]), "a repeat");
    story.renews("w1", 60).expect("it found the call again");
    assert_eq!(story.state("a"), CallState::Running);
}

#[test]
fn late_renewal_counts_until_a_takeover() {
    let mut story = story_with_allowed_call();
    story.claims_for("w1", Some(Duration::from_mins(1))).expect("claimed");
    story.later(90);
    story.person("ada").call_command("a", CallCommand::Release { comment: None }).expect("released");
    story.renews("w1", 60).expect("it was not lost");
    assert_eq!(
        code(story.claims_for("w2", None)),
        "already_claimed",
        "the first executor still runs the call"
    );
    story.later(60);
    story.claims_for("w2", Some(Duration::from_mins(1))).expect("the release still counts");
    assert_eq!(code(story.renews("w1", 60)), "not_the_executor");
    story.later(30);
    story.renews("w2", 60).expect("renewed");
    let call = story.batch.call(&thread_id(), &call_id("a")).expect("proposed");
    assert_eq!(call.course.lost.len(), 1);
    assert!(call.course.renewed.is_some());
}

#[test]
fn renewal_of_unclaimed_or_ended_call_is_refused() {
    let mut story = given("");
    assert_eq!(code(story.renews("w1", 60)), "unknown_call");
    story.proposes("a", "mail").expect("proposed");
    assert_eq!(code(story.renews("w1", 60)), "not_claimed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(code(story.renews("w1", 60)), "not_claimed");
    story.claims_for("w1", None).expect("claimed");
    story.call_command("a", finish(Status::Success, "sent")).expect("finished");
    assert_eq!(code(story.renews("w1", 60)), "already_finished");
}

#[test]
fn only_caller_that_claimed_reports_and_renews() {
    let mut story = given("default = \"allow\"\n");
    story.proposes("a", "bash").expect("proposed");
    story.claims("a", "worker", "{\"n\":1}").expect("claimed");
    for executor in [None, Some("worker".to_owned())] {
        let result =
            FinishCommand { status: Status::Success, content: Json::string("forged"), executor, ran: None };
        story.set_by(Principal::agent("other"));
        assert_eq!(code(story.call_command("a", CallCommand::Finish(result))), "not_the_executor");
    }
    let renew = RenewCommand { executor: "worker".to_owned(), lease: Some(Duration::from_hours(1)) };
    assert_eq!(code(story.call_command("a", CallCommand::Renew(renew.clone()))), "not_the_executor");
    story.agent().call_command("a", CallCommand::Renew(renew)).expect("renewed");
    story.call_command("a", finish(Status::Success, "done")).expect("the executor ends its call");
    assert_eq!(story.told("a"), "\"done\"");
}

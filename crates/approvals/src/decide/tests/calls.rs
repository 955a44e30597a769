//! The path of one call from proposal to result.

use super::*;

#[test]
fn call_runs_from_proposal_to_result() {
    let mut story = given("");
    assert_eq!(
        story.proposes("c", "bash").expect("asked"),
        ["TOOL_CALL by agent:bot", "TOOL_APPROVAL_REQUEST by agent:bot"]
    );
    assert_eq!(story.state("c"), CallState::Pending);
    assert_eq!(
        story.decides("ada", "c", Decision::AllowOnce).expect("decided"),
        ["TOOL_APPROVAL_RESPONSE by user:ada"]
    );
    assert_eq!(story.state("c"), CallState::Allowed);
    assert_eq!(
        story.claims("c", "w", "{\"n\":1.0}").expect("claimed"),
        ["TOOL_EXECUTION_STARTED by agent:bot"]
    );
    assert_eq!(story.state("c"), CallState::Running);
    assert_eq!(
        story.call_command("c", finish(Status::Success, "ok")).expect("ended"),
        ["TOOL_RESULT by agent:bot"]
    );
    assert_eq!(story.state("c"), CallState::Finished);
}

#[test]
fn repeated_command_yields_no_events() {
    let mut story = given("");
    for _ in 0..2 {
        story.proposes("c", "bash").expect("asked");
    }
    for name in ["ada", "ada", "bob"] {
        story.decides(name, "c", Decision::AllowOnce).expect("decided");
    }
    story.claims("c", "w", "{\"n\":1}").expect("claimed");
    for _ in 0..2 {
        story.call_command("c", finish(Status::Error, "boom")).expect("ended");
    }
    assert_eq!(story.log.len(), 5);
    assert_eq!(code(story.call_command("c", finish(Status::Success, "boom"))), "already_finished");
}

#[test]
fn proposal_with_used_id_is_refused() {
    let mut story = given("");
    story.proposes("c", "bash").expect("asked");
    assert_eq!(code(story.proposes("c", "zsh")), "call_differs");
    let other = propose("c", "bash", "{\"n\":2}");
    assert_eq!(code(story.call_command("c", CallCommand::Propose(other))), "call_differs");
}

#[test]
fn second_decision_is_refused_with_the_first() {
    let mut story = given("");
    story.proposes("c", "bash").expect("asked");
    story.decides("ada", "c", Decision::Deny).expect("decided");
    let refused = story.decides("bob", "c", Decision::AllowOnce).expect_err("late");
    assert_eq!(refused.to_string(), "decided already: deny by user:ada at 1970-01-01T00:16:40.000Z");
    assert_eq!(story.told("c"), "\"Denied by user:ada: too risky (do not retry this call unchanged)\"");
    assert_eq!(code(story.claims("c", "w", "{\"n\":1}")), "not_allowed");
}

#[test]
fn proposer_cannot_decide() {
    let mut story = given("");
    let command = CallCommand::Propose(propose("c", "bash", "{}"));
    story.person("ada").call_command("c", command).expect("asked");
    assert_eq!(code(story.decides("ada", "c", Decision::AllowOnce)), "self_approval");
    let answer = RespondCommand::plain(Decision::AllowOnce);
    assert_eq!(code(story.agent().call_command("c", CallCommand::Respond(answer))), "not_an_approver");
    story.decides("bob", "c", Decision::AllowOnce).expect("decided");
}

#[test]
fn claim_of_other_arguments_is_refused() {
    let mut story = given("");
    story.proposes("c", "bash").expect("asked");
    assert_eq!(code(story.claims("c", "w", "{\"n\":1}")), "not_allowed");
    story.decides("ada", "c", Decision::AllowOnce).expect("decided");
    assert_eq!(code(story.claims("c", "w", "{\"n\":2}")), "arguments_changed");
    assert_eq!(code(story.claims("c", "", "{\"n\":1}")), "invalid");
    story.claims("c", "w", "{\"n\":1}").expect("claimed");
    assert_eq!(code(story.claims("c", "w", "{\"n\":1}")), "already_claimed");
    assert_eq!(code(story.claims("c", "v", "{\"n\":1}")), "already_claimed");
}

#[test]
fn lapsed_lease_leaves_outcome_unknown_until_result() {
    let mut story = given("");
    story.proposes("c", "bash").expect("asked");
    assert_eq!(code(story.call_command("c", finish(Status::Success, "ok"))), "not_claimed");
    story.decides("ada", "c", Decision::AllowOnce).expect("decided");
    story.claims("c", "w", "{\"n\":1}").expect("claimed");
    story.later(60);
    assert_eq!(story.state("c"), CallState::Unknown);
    assert_eq!(code(story.claims("c", "v", "{\"n\":1}")), "already_claimed");
    let stranger = FinishCommand {
        status: Status::Success,
        content: Json::string(""),
        executor: Some("v".into()),
        ran: None,
    };
    assert_eq!(code(story.call_command("c", CallCommand::Finish(stranger))), "not_the_executor");
    assert_eq!(code(story.call_command("c", finish(Status::Denied, ""))), "invalid");
    story.call_command("c", finish(Status::Success, "ok")).expect("ended");
    assert_eq!(story.state("c"), CallState::Finished);
}

#[test]
fn grant_answers_later_calls_until_revoked() {
    let mut story = given("");
    story.proposes("c1", "bash").expect("asked");
    story.decides("ada", "c1", Decision::AllowSession).expect("decided");
    assert_eq!(
        story.proposes("c2", "bash").expect("granted"),
        ["TOOL_CALL by agent:bot", "TOOL_APPROVAL_RESPONSE by policy:grant"]
    );
    story.proposes("c3", "zsh").expect("asked");
    assert_eq!((story.state("c2"), story.state("c3")), (CallState::Allowed, CallState::Pending));
    let unknown = story.person("bob").thread_command(ThreadCommand::Revoke(1));
    assert_eq!(code(unknown), "unknown_grant");
    story.person("bob").thread_command(ThreadCommand::Revoke(3)).expect("revoked");
    assert!(story.thread_command(ThreadCommand::Revoke(3)).expect("again").is_empty());
    story.proposes("c4", "bash").expect("asked");
    assert_eq!((story.state("c2"), story.state("c4")), (CallState::Allowed, CallState::Pending));
}

const RULES: &str = "[[rule]]\nname = \"free\"\ntool = \"task-*\"\nverdict = \"allow\"\n\
    [[rule]]\nname = \"never\"\ntool = \"rm\"\nverdict = \"block\"\nreason = \"history is shared\"\n";

#[test]
fn rule_decides_without_a_request() {
    let mut story = given(RULES);
    assert_eq!(
        story.proposes("c", "task-list").expect("allowed")[1],
        "TOOL_APPROVAL_RESPONSE by policy:free"
    );
    assert_eq!(
        story.proposes("d", "rm").expect("blocked"),
        ["TOOL_CALL by agent:bot", "TOOL_APPROVAL_RESPONSE by policy:never", "TOOL_RESULT by policy:never"]
    );
    assert_eq!(
        story.told("d"),
        "\"Blocked by policy:never: history is shared. This is a rule, which no approval lifts: do not retry it.\""
    );
    assert_eq!(code(story.decides("ada", "d", Decision::AllowOnce)), "already_decided");
}

#[test]
fn block_after_approval_refuses_the_claim() {
    let mut story = given("");
    story.proposes("c", "rm").expect("asked");
    story.decides("ada", "c", Decision::AllowSession).expect("decided");
    story.policy = Arc::new(Policy::read(RULES).expect("valid"));
    assert_eq!(code(story.claims("c", "w", "{\"n\":1}")), "blocked");
    story.proposes("d", "rm").expect("blocked");
    assert_eq!(story.state("d"), CallState::Denied);
}

#[test]
fn expired_request_is_denied_once() {
    let mut story = given("expires = \"15m\"");
    story.proposes("c", "bash").expect("asked");
    story.later(899);
    assert!(story.call_command("c", CallCommand::Due).expect("nothing due").is_empty());
    story.later(1);
    let late = story.decides("ada", "c", Decision::AllowOnce).expect_err("late");
    assert_eq!(late.to_string(), "decided already: deny by system:expiry at 1970-01-01T00:31:40.000Z");
    assert!(story.call_command("c", CallCommand::Due).expect("done").is_empty());
    assert_eq!(
        story.told("c"),
        "\"Nobody decided before 1970-01-01T00:31:40.000Z, so this call was not run.\""
    );
    assert_eq!(story.log.len(), 4);
}

#[test]
fn proposer_may_only_shorten_the_expiry() {
    let mut story = given("expires = \"15m\"");
    for (id, seconds, expected) in [("c", 60, 60), ("d", 3_600, 900)] {
        let mut command = propose(id, "bash", "{}");
        command.expires_in = Some(Duration::from_secs(seconds));
        story.agent().call_command(id, CallCommand::Propose(command)).expect("asked");
        let call = story.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        let end = call.request().expect("asked").what.expires_at;
        assert_eq!(end, Some(story.now.after(Duration::from_secs(expected))));
    }
}

#[test]
fn call_can_be_cancelled_until_claimed() {
    let mut story = given("");
    let cancel = || CallCommand::Cancel { reason: Some("changed my mind".into()) };
    story.proposes("c", "bash").expect("asked");
    assert_eq!(story.call_command("c", cancel()).expect("cancelled").len(), 2);
    assert!(story.call_command("c", cancel()).expect("again").is_empty());
    assert_eq!(story.state("c"), CallState::Cancelled);
    assert_eq!(code(story.decides("ada", "c", Decision::AllowOnce)), "already_decided");

    story.proposes("d", "bash").expect("asked");
    story.decides("ada", "d", Decision::AllowOnce).expect("decided");
    assert_eq!(story.agent().call_command("d", cancel()).expect("cancelled").len(), 1);
    assert_eq!(code(story.claims("d", "w", "{\"n\":1}")), "not_allowed");

    story.proposes("e", "bash").expect("asked");
    story.decides("ada", "e", Decision::AllowOnce).expect("decided");
    story.claims("e", "w", "{\"n\":1}").expect("claimed");
    assert_eq!(code(story.call_command("e", cancel())), "already_claimed");
    story.call_command("e", finish(Status::Cancelled, "interrupted")).expect("ended");
    assert_eq!(code(story.call_command("e", cancel())), "already_finished");
}

#[test]
fn closed_thread_cancels_pending_and_ends_grants() {
    let mut story = given("");
    for id in ["c1", "c2", "c3"] {
        story.proposes(id, "bash").expect("asked");
    }
    story.decides("ada", "c1", Decision::AllowSession).expect("decided");
    let closed = story.thread_command(ThreadCommand::Close).expect("closed");
    assert_eq!(closed.len(), 5, "{closed:?}");
    assert!(story.thread_command(ThreadCommand::Close).expect("again").is_empty());
    assert_eq!(story.state("c2"), CallState::Cancelled);
    assert_eq!(code(story.claims("c1", "w", "{\"n\":1}")), "thread_closed");
    assert_eq!(code(story.proposes("c4", "bash")), "thread_closed");
    assert!(story.proposes("c2", "bash").expect("known").is_empty());
}

#[test]
fn command_to_unknown_call_is_refused() {
    let mut story = given("");
    assert_eq!(code(story.decides("ada", "c", Decision::Deny)), "unknown_call");
    assert_eq!(code(story.call_command("c", CallCommand::Cancel { reason: None })), "unknown_call");
    let bodies: Vec<_> = story.log.iter().map(|e| Body::read(e.seq, e.kind, &e.data)).collect();
    assert!(bodies.is_empty());
}

//! What ran is compared with what was approved.

use super::*;
use countersign_events::{CallState, Mode};

const APPROVED: &str = "{\"n\":1}";
const ALLOW: &str = "[[rule]]\nname = \"free\"\ntool = \"*\"\nverdict = \"allow\"\n";
const STOP: &str = "onMismatch = \"stop\"\n";

impl DecisionStory {
    /// Reports the call result, and the arguments that ran.
    fn reports_run(&mut self, id: &str, ran: &str) -> Result<Vec<String>, Refused> {
        let ran = HashedArguments::reported(Json::parse(ran).expect("valid")).expect("admissible");
        let finish = FinishCommand {
            status: Status::Success,
            content: Json::string("done"),
            executor: None,
            ran: Some(ran),
        };
        self.agent().call_command(id, CallCommand::Finish(finish))
    }

    fn runs(&mut self, id: &str) {
        let command = CallCommand::Propose(propose(id, "bash", APPROVED));
        self.agent().call_command(id, command).expect("proposed");
        self.claims(id, "w", APPROVED).expect("claimed");
    }
}

#[test]
fn approved_arguments_are_no_mismatch() {
    let mut story = given(ALLOW);
    story.runs("a");
    let events = story.reports_run("a", "{ \"n\": 1 }").expect("finished");
    assert_eq!(events, ["TOOL_RESULT by agent:bot"], "the spelling of the JSON does not matter");
}

#[test]
fn other_arguments_are_recorded_with_result() {
    let mut story = given(ALLOW);
    story.runs("a");
    let events = story.reports_run("a", "{\"n\":2}").expect("finished");
    assert_eq!(events, ["TOOL_EXECUTION_MISMATCH by agent:bot", "TOOL_RESULT by agent:bot"]);
    assert_eq!(story.reports_run("a", "{\"n\":2}"), Ok(vec![]), "a repetition changes nothing");
    let call = story.batch.call(&thread_id(), &call_id("a")).expect("known");
    let mismatch = &call.course.mismatch.as_ref().expect("recorded").what;
    assert_eq!((mismatch.arguments.as_str(), mismatch.arguments_hash), ("{\"n\":2}", hash("{\"n\":2}")));
    story.runs("b");
    assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
}

#[test]
fn secrets_in_mismatch_are_masked() {
    let mut story = given(ALLOW);
    story.runs("a");
    story.reports_run("a", "{\"password\":\"hunter2-hunter2\"}").expect("finished");
    let call = story.batch.call(&thread_id(), &call_id("a")).expect("known");
    let mismatch = &call.course.mismatch.as_ref().expect("recorded").what;
    assert!(!mismatch.arguments.as_str().contains("hunter2"), "{:?}", mismatch.arguments);
    assert_eq!(mismatch.redacted, ["/password"]);
    assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
}

#[test]
fn call_that_ran_unallowed_is_recorded() {
    for decision in [None, Some(Decision::Deny), Some(Decision::AllowOnce)] {
        let mut story = given("");
        let command = CallCommand::Propose(propose("a", "bash", APPROVED));
        story.agent().call_command("a", command).expect("asked");
        if let Some(decision) = decision {
            story.decides("ada", "a", decision).expect("decided");
        }
        let before = story.state("a");
        assert_eq!(
            story.reports_run("a", APPROVED),
            Ok(vec!["TOOL_EXECUTION_MISMATCH by agent:bot".to_owned()])
        );
        assert_eq!(story.reports_run("a", APPROVED), Ok(vec![]), "it is recorded once");
        assert_eq!(story.state("a"), before, "the report decides nothing");
        assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
    }
}

#[test]
fn only_proposer_reports_unclaimed_run() {
    let mut story = given("");
    let command = CallCommand::Propose(propose("a", "bash", APPROVED));
    story.set_by(Principal::agent("other"));
    story.call_command("a", command).expect("asked");
    assert_eq!(code(story.reports_run("a", APPROVED)), "not_claimed");
}

#[test]
fn mismatch_stops_thread_by_policy() {
    let mut story = given(&format!("{STOP}{ALLOW}"));
    story.runs("waiting");
    story.runs("a");
    let command = CallCommand::Propose(propose("allowed", "bash", APPROVED));
    story.agent().call_command("allowed", command).expect("proposed");
    let events = story.reports_run("a", "{\"n\":2}").expect("finished");
    let stopped = [
        "TOOL_EXECUTION_MISMATCH by agent:bot",
        "THREAD_MODE_SET by policy:onMismatch",
        "TOOL_RESULT by agent:bot",
    ];
    assert_eq!(events, stopped);
    let command = CallCommand::Propose(propose("b", "bash", APPROVED));
    story.agent().call_command("b", command).expect("answered");
    assert_eq!(story.state("b"), CallState::Denied, "{}", story.told("b"));
    assert_eq!(code(story.claims("allowed", "w", APPROVED)), "blocked");
    story.reports_run("waiting", "{\"n\":3}").expect("a running call may still end");
    assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
    story.person("ada").thread_command(ThreadCommand::SetMode(Mode::Interactive)).expect("lifted");
    story.runs("c");
    assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
}

#[test]
fn agent_cannot_lift_stop() {
    let mut story = given(&format!("{STOP}{ALLOW}"));
    story.runs("a");
    story.reports_run("a", "{\"n\":2}").expect("finished");
    let lift = ThreadCommand::SetMode(Mode::Interactive);
    assert_eq!(code(story.agent().thread_command(lift)), "not_an_approver");
}

//! Calls whose proposers are gone.

use super::*;
use countersign_events::{ApprovalResponse, Decision};

impl DecisionStory {
    fn asks_until_gone(&mut self, id: &str) -> CallState {
        let command = ProposeCommand { withdraw_when_gone: true, ..propose(id, "bash", "{\"n\":1}") };
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.state(id)
    }

    /// The service saw the proposer last at `last_seen`.
    fn looks_for(&mut self, id: &str, last_seen: Timestamp) -> Vec<String> {
        self.set_by(Principal::system("presence"));
        self.call_command(id, CallCommand::Withdraw { last_seen }).expect("looked")
    }
}

#[test]
fn call_of_absent_proposer_is_withdrawn() {
    let mut story = given("");
    story.asks_until_gone("a");
    let last_seen = story.later(60).now;
    assert_eq!(story.later(599).looks_for("a", last_seen), [""; 0]);
    let withdrawn = ["TOOL_APPROVAL_RESPONSE by system:presence", "TOOL_RESULT by system:presence"];
    assert_eq!(story.later(1).looks_for("a", last_seen), withdrawn);
    assert_eq!(story.state("a"), CallState::Cancelled);
    assert!(story.told("a").contains("Withdrawn, because the agent"), "{}", story.told("a"));
    assert_eq!(story.later(60).looks_for("a", last_seen), [""; 0]);
    assert_eq!(story.proposes("b", "bash").expect("asked").len(), 2, "it is no denial that is remembered");
    assert_eq!(story.inadmissible_rows(), [""; 0]);
}

#[test]
fn durable_call_is_not_withdrawn() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    let last_seen = story.now;
    assert_eq!(story.later(86_400).looks_for("a", last_seen), [""; 0]);
    let mut story = given("withdrawAfter = \"0s\"");
    story.asks_until_gone("a");
    let last_seen = story.now;
    assert_eq!(story.later(86_400).looks_for("a", last_seen), [""; 0], "the policy wants it so");
    let mut story = given("[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\n");
    story.asks_until_gone("a");
    let last_seen = story.now;
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.later(86_400).looks_for("a", last_seen), [""; 0], "a person has worked on it");
}

#[test]
fn only_the_service_withdraws_absent_calls() {
    let mut story = given("");
    story.asks_until_gone("a");
    let last_seen = story.now;
    story.later(86_400);
    for by in [Principal::user("ada"), Principal::agent("bot"), Principal::system("expiry")] {
        story.set_by(by);
        let written = story.call_command("a", CallCommand::Withdraw { last_seen });
        assert_eq!(written.expect("nothing"), [""; 0]);
    }
    assert_eq!(story.state("a"), CallState::Pending);
}

#[test]
fn forged_withdrawals_are_named() {
    let mut story = given("");
    story.asks_until_gone("a");
    let last_seen = story.now;
    story.later(600).looks_for("a", last_seen);
    let at = story.log.len() - 2;
    let row = &story.log[at];
    let Ok(Body::ApprovalResponse(response)) = Body::read(row.seq, row.kind, &row.data) else {
        unreachable!("it is a response")
    };
    for forged in [Some(last_seen.after(Duration::from_secs(1))), None] {
        let forged = ApprovalResponse { proposer_last_seen_at: forged, ..response.clone() };
        story.log[at].data = Body::ApprovalResponse(forged).data().expect("valid");
        assert_ne!(story.inadmissible_rows(), [""; 0], "{last_seen}");
    }
}

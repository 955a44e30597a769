//! A decision holds in the folder of its call, and keys that programs confuse are refused.

use super::*;
use countersign_events::{CallState, Decision, Place};

const DEPLOY: &str = "{\"command\":\"git status\"}";

impl DecisionStory {
    fn asks_in(&mut self, id: &str, folder: Option<&str>) -> CallState {
        let place = folder.map(Place::folder);
        let command = ProposeCommand { place: place.map(Box::new), ..propose(id, "bash", DEPLOY) };
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.state(id)
    }

    fn asks_as(&mut self, id: &str, agent: &str) -> CallState {
        let place = Place { agent: Some(agent.to_owned()), ..Place::default() };
        let command = ProposeCommand { place: Some(place.into()), ..propose(id, "bash", DEPLOY) };
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.state(id)
    }

    fn remembers(&mut self, id: &str, decision: Decision, scope: &str) {
        let scope = GrantScope::read(&Json::parse(scope).expect("valid")).expect("a scope");
        let respond = RespondCommand { scope: Some(scope), ..RespondCommand::plain(decision) };
        self.person("ada").call_command(id, CallCommand::Respond(respond)).expect("decided");
    }
}

#[test]
fn decision_holds_only_in_folder_of_its_call() {
    for scope in ["\"exact\"", "\"tool\"", "{\"command\":\"git status **\"}"] {
        for (decision, state) in
            [(Decision::AllowSession, CallState::Allowed), (Decision::Deny, CallState::Denied)]
        {
            let mut story = given("");
            story.asks_in("a", Some("/srv/staging"));
            story.remembers("a", decision, scope);
            assert_eq!(story.asks_in("b", Some("/srv/staging")), state, "{scope}");
            assert_eq!(story.asks_in("c", Some("/srv/production")), CallState::Pending, "{scope}");
            assert_eq!(story.asks_in("d", None), CallState::Pending, "{scope}");
            assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
        }
    }
}

#[test]
fn grant_without_folder_answers_no_placed_call() {
    let mut story = given("");
    story.asks_in("a", None);
    story.remembers("a", Decision::AllowSession, "\"tool\"");
    assert_eq!(story.asks_in("b", Some("/srv/production")), CallState::Pending);
    assert_eq!(story.asks_in("c", None), CallState::Allowed);
}

#[test]
fn repeated_proposal_in_another_folder_is_another_call() {
    let mut story = given("");
    story.asks_in("a", Some("/srv/staging"));
    story.asks_in("a", Some("/srv/staging"));
    let moved = ProposeCommand {
        place: Some(Place::folder("/srv/production").into()),
        ..propose("a", "bash", DEPLOY)
    };
    assert_eq!(code(story.agent().call_command("a", CallCommand::Propose(moved))), "call_differs");
}

#[test]
fn unused_approval_moves_only_within_its_folder() {
    for (folder, state) in [("/srv/staging", CallState::Allowed), ("/srv/production", CallState::Pending)] {
        let mut story = given("");
        story.asks_in("a", Some("/srv/staging"));
        story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
        let replaces = Some(call_id("a"));
        let place = Some(Place::folder(folder));
        let command = ProposeCommand { place: place.map(Box::new), replaces, ..propose("b", "bash", DEPLOY) };
        story.agent().call_command("b", CallCommand::Propose(command)).expect("proposed");
        assert_eq!(story.state("b"), state, "{folder}");
    }
}

#[test]
fn decision_holds_for_sub_agents_of_its_agent() {
    for (decision, state) in
        [(Decision::AllowSession, CallState::Allowed), (Decision::Deny, CallState::Denied)]
    {
        let mut story = given("");
        story.asks_as("a", "claude-code");
        story.remembers("a", decision, "\"tool\"");
        assert_eq!(story.asks_as("b", "claude-code/explore"), state, "a sub-agent works for its agent");
        assert_eq!(story.asks_as("c", "codex"), CallState::Pending);
        assert_eq!(story.inadmissible_rows(), [""; 0], "verify accepts the log");
    }
}

#[test]
fn unused_approval_of_a_sub_agent_stays() {
    let mut story = given("");
    story.asks_as("a", "claude-code/explore");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let place = Some(Place { agent: Some("claude-code".to_owned()), ..Place::default() });
    let replaces = Some(call_id("a"));
    let command = ProposeCommand { place: place.map(Box::new), replaces, ..propose("b", "bash", DEPLOY) };
    story.agent().call_command("b", CallCommand::Propose(command)).expect("proposed");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn arguments_with_confusable_keys_are_refused() {
    for text in [r#"{"command":"ls","Command":"rm"}"#, r#"{"a":[{"path":1,"Path":2}]}"#] {
        let json = Json::parse(text).expect("valid JSON");
        let refused = HashedArguments::new(json.clone()).expect_err("refused");
        assert_eq!(refused.code(), "ambiguous_arguments", "{text}");
        assert!(HashedArguments::stored(json).is_ok(), "a log of an earlier version stays readable");
    }
}

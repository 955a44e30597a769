//! Erased content: only of ended calls, and the log is still intact and admissible without it.

use super::{
    laws::{play, steps},
    *,
};
use crate::{
    CallCommand,
    admissibility::AdmissibilityCheck,
    decide::{EraseCommand, RespondCommand},
};
use countersign_events::{Decision, ErasedRow, EventType, Json, Status, chain::ChainVerifier, sealed};
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct CallOfRow {
    #[serde(alias = "toolCallId")]
    id: String,
}

impl DecisionStory {
    /// The command with all content hashes of the call, as the gate reads them.
    fn erasure_of(&self, id: &str, reason: &str) -> CallCommand {
        let is_about = |event: &&Event| event.data.read::<CallOfRow>().is_ok_and(|call| call.id == id);
        let rows = self.log.iter().filter(is_about).filter_map(ErasedRow::of_event).collect();
        CallCommand::Erase(EraseCommand { reason: reason.to_owned(), rows, archive: None })
    }

    fn erases(&mut self, id: &str) -> Result<Vec<String>, Refused> {
        let command = self.erasure_of(id, "the customer asked");
        let done = self.person("zoe").call_command(id, command.clone())?;
        let CallCommand::Erase(EraseCommand { rows, .. }) = command else { return Ok(done) };
        for event in self.log.iter_mut().filter(|event| rows.iter().any(|row| row.seq == event.seq)) {
            event.data = sealed::erase_texts(event.kind, &event.data);
        }
        Ok(done)
    }

    /// The chain break and the inadmissible rows.
    fn findings(&self) -> Vec<String> {
        let (mut chain, mut rules) = (ChainVerifier::default(), AdmissibilityCheck::default());
        let broken = self.log.iter().find_map(|event| chain.check(event).err());
        let mut found: Vec<_> = self.log.iter().flat_map(|event| rules.check(event.clone())).collect();
        found.extend(rules.finish());
        let found = found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason));
        broken.map(|broken| broken.to_string()).into_iter().chain(found).collect()
    }
}

/// An edit, a denial with a comment, and a grant for a pattern that answers another call.
fn history() -> DecisionStory {
    let mut story = given("");
    story.proposes("edited", "mail").expect("asked");
    let arguments = HashedArguments::new(Json::parse("{\"n\":2}").expect("valid")).expect("admitted");
    let edit = RespondCommand { arguments: Some(arguments), ..RespondCommand::plain(Decision::AllowOnce) };
    story.person("ada").call_command("edited", CallCommand::Respond(edit)).expect("allowed");
    story.claims("edited", "w", "{\"n\":2}").expect("claimed");
    story.call_command("edited", finish(Status::Success, "sent to Zoë")).expect("finished");
    story.proposes("denied", "post").expect("asked");
    story.decides("ada", "denied", Decision::Deny).expect("denied");
    let command = propose("first", "bash", "{\"command\":\"make a\"}");
    story.agent().call_command("first", CallCommand::Propose(command)).expect("asked");
    let pattern =
        GrantScope::read(&Json::parse("{\"command\":\"make *\"}").expect("valid")).expect("a pattern");
    let grant = RespondCommand { scope: Some(pattern), ..RespondCommand::plain(Decision::AllowSession) };
    story.person("ada").call_command("first", CallCommand::Respond(grant)).expect("allowed");
    story.claims("first", "w", "{\"command\":\"make a\"}").expect("claimed");
    story.call_command("first", finish(Status::Success, "made")).expect("finished");
    let command = propose("second", "bash", "{\"command\":\"make b\"}");
    story.agent().call_command("second", CallCommand::Propose(command)).expect("allowed");
    story
}

#[test]
fn only_a_person_erases_an_ended_call() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    let command = story.erasure_of("a", "asked");
    assert_eq!(code(story.person("zoe").call_command("a", command.clone())), "call_open");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(code(story.person("zoe").call_command("a", command.clone())), "call_open");
    story.claims("a", "w", "{\"n\":1}").expect("claimed");
    story.later(120);
    assert_eq!(story.state("a"), CallState::Unknown);
    assert_eq!(code(story.person("zoe").call_command("a", command.clone())), "call_open");
    story.agent().call_command("a", finish(Status::Success, "ok")).expect("finished");
    assert_eq!(code(story.person("zoe").call_command("a", command)), "invalid", "it lacks the result");
    let (command, nameless) = (story.erasure_of("a", "asked"), story.erasure_of("a", " "));
    assert_eq!(code(story.agent().call_command("a", command.clone())), "not_an_approver");
    assert_eq!(code(story.person("zoe").call_command("a", nameless)), "invalid");
    assert_eq!(
        story.person("zoe").call_command("a", command.clone()).expect("erased"),
        ["CALL_ERASED by user:zoe"]
    );
    assert!(story.person("zoe").call_command("a", command).expect("erased already").is_empty());
}

#[test]
fn pattern_in_force_is_not_erased() {
    let mut story = history();
    assert_eq!(code(story.erases("first")), "grant_in_force");
    let grant = story.batch.thread(&thread_id()).expect("known").grants[0].seq;
    story.person("ada").thread_command(ThreadCommand::Revoke(grant)).expect("revoked");
    story.erases("first").expect("erased");
    assert_eq!(story.findings(), Vec::<String>::new());
    assert!(story.log.iter().all(|event| !event.data.as_str().contains("make *")), "the pattern is erased");
}

#[test]
fn log_holds_without_the_erased_texts() {
    let mut story = history();
    for id in ["edited", "denied"] {
        story.erases(id).expect("erased");
    }
    assert_eq!(story.findings(), Vec::<String>::new());
    for text in ["too risky", "Zoë", "{\"n\":1}", "{\"n\":2}"] {
        assert!(story.log.iter().all(|event| !event.data.as_str().contains(text)), "{text}");
    }
}

#[test]
fn erased_row_without_its_event_is_named() {
    let mut story = history();
    let row = story.log.iter_mut().find(|event| event.kind == EventType::ToolResult).expect("a result");
    row.data = sealed::erase_texts(row.kind, &row.data);
    let reason =
        "5: its content is erased, and no CALL_ERASED event of its call names it, nor is its thread archived";
    assert_eq!(story.findings(), [reason]);
}

#[test]
fn changed_erased_row_breaks_the_chain() {
    let mut story = history();
    story.erases("denied").expect("erased");
    let row =
        story.log.iter_mut().find(|event| event.data.as_str().contains("\"deny\"") && event.hash.is_some());
    let row = row.expect("the denial");
    let seq = row.seq;
    row.data = Json::parse(&row.data.as_str().replace("\"deny\"", "\"allow_once\"")).expect("valid");
    let found = story.findings();
    assert!(found[0].starts_with(&format!("event {seq}: the stored hash")), "{found:?}");
}

#[test]
fn row_that_kept_its_texts_is_named() {
    let mut story = history();
    let texts = story.log[0].data.clone();
    story.erases("edited").expect("erased");
    story.log[0].data = texts;
    let last = story.log.last().expect("an event").seq;
    assert_eq!(
        story.findings(),
        [format!("{last}: event 1 still has its content, or others were erased in it")]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn history_with_erased_calls_is_admissible(steps in steps()) {
        let mut story = play(&steps);
        story.later(1);
        let ids: std::collections::BTreeSet<_> =
            story.log.iter().filter_map(|event| event.data.read::<CallOfRow>().ok()).map(|call| call.id).collect();
        let mut erased = 0;
        for id in ids {
            erased += usize::from(story.erases(&id).is_ok());
        }
        let rows = story.log.iter().filter(|event| sealed::has_erased_texts(event.kind, &event.data)).count();
        prop_assert!(rows >= erased, "each erased call has an erased row");
        prop_assert_eq!(story.findings(), Vec::<String>::new());
    }
}

/// The log no longer has the arguments that were compared.
#[test]
fn answer_to_other_words_is_admissible_after_erasure() {
    let list = |words: &str| format!(r#"{{"command":"ls","description":"{words}"}}"#);
    for erased in ["denied", "repeated", "granted", "later"] {
        let mut story = given("");
        let asks = |story: &mut DecisionStory, id: &str, command: &str| {
            story
                .agent()
                .call_command(id, CallCommand::Propose(propose(id, "Bash", command)))
                .expect("proposed");
        };
        asks(&mut story, "denied", &list("one"));
        let deny = CallCommand::Respond(RespondCommand::plain(Decision::Deny));
        story.person("ada").call_command("denied", deny).expect("denied");
        asks(&mut story, "repeated", &list("two"));
        let make = |words: &str| format!(r#"{{"command":"make","description":"{words}"}}"#);
        asks(&mut story, "granted", &make("one"));
        let grant = RespondCommand::for_session(GrantScope::Exact);
        story.person("ada").call_command("granted", CallCommand::Respond(grant)).expect("granted");
        asks(&mut story, "later", &make("two"));
        for (id, words) in [("granted", "one"), ("later", "two")] {
            story.claims(id, "w", &make(words)).expect("claimed");
            story.call_command(id, finish(Status::Success, "made")).expect("finished");
        }
        assert_eq!(story.findings(), [""; 0]);
        story.erases(erased).expect("erased");
        assert_eq!(story.findings(), [""; 0], "{erased}");
    }
}

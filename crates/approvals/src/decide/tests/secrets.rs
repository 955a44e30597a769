//! Content from people and agents is written without its secrets.

use super::*;
use crate::{CommandEnvelope, CommandTarget};
use countersign_events::{CallState, Decision, Json, Principal, Status, ToolDefinition};
use std::{sync::Arc, time::Duration};

const POLICY: &str = r#"
[[rule]]
name = "two of them"
tool = "transfer"
verdict = "ask"
quorum = 2
"#;

const SAID: &str = "use --password hunter2 there";

fn recorded_text() -> String {
    SAID.to_owned()
}

fn answer(decision: Decision) -> CallCommand {
    CallCommand::Respond(RespondCommand {
        comment: recorded_text().into(),
        ..RespondCommand::plain(decision)
    })
}

fn keeps_none(story: &DecisionStory) {
    for event in &story.log {
        assert!(!event.data.as_str().contains("hunter2"), "{} holds it: {:?}", event.kind, event.data);
    }
}

#[test]
fn comments_are_written_without_secrets() {
    let mut story = given(POLICY);
    for id in ["allowed", "denied", "withdrawn", "stopped", "two"] {
        story.proposes(id, if id == "two" { "transfer" } else { "bash" }).expect("proposed");
    }
    story.person("ada").call_command("allowed", answer(Decision::AllowOnce)).expect("allowed");
    story.person("ada").call_command("denied", answer(Decision::Deny)).expect("denied");
    assert_eq!(
        story.told("denied"),
        r#""Denied by user:ada: use --password [redacted] there (do not retry this call unchanged)""#
    );
    story
        .agent()
        .call_command("withdrawn", CallCommand::Cancel { reason: recorded_text().into() })
        .expect("withdrawn");
    assert_eq!(story.told("withdrawn"), r#""Cancelled by agent:bot: use --password [redacted] there""#);
    for name in ["ada", "bob"] {
        story.person(name).call_command("two", answer(Decision::AllowOnce)).expect("a vote");
    }
    story.claims("allowed", "w", "{\"n\":1}").expect("claimed");
    let stop = ThreadCommand::Stop(StopCommand { tool: None, calls: None, comment: recorded_text().into() });
    story.person("ada").thread_command(stop).expect("stopped");
    assert_eq!(story.state("stopped"), CallState::Denied);
    story
        .later(60)
        .person("ada")
        .call_command("allowed", CallCommand::Release { comment: recorded_text().into() })
        .expect("released");
    let with_words = story.log.iter().filter(|event| event.data.as_str().contains("[redacted]"));
    // Two decisions and a withdrawal with what the model is told, a stop with its, two votes with theirs, the end of
    // what they allowed, a release.
    assert_eq!(with_words.count(), 1 + 2 + 2 + 2 + 3 + 1 + 1);
    keeps_none(&story);
}

#[test]
fn proposal_texts_are_written_without_secrets() {
    let mut story = given("");
    let mut command = propose("a", "bash", "{\"n\":1}");
    let annotations = Json::parse("{\"title\":\"--password hunter2\"}").expect("valid");
    let definition =
        ToolDefinition { description: recorded_text().into(), input_schema: None, needs_approval: None };
    let raw = ToolDefinition::hash(Some(&definition), Some(&annotations));
    command.description = recorded_text().into();
    command.impact = Some(Json::parse("{\"message\":\"--password hunter2\"}").expect("valid"));
    (command.annotations, command.definition) = (Some(annotations), Some(definition));
    story.agent().call_command("a", CallCommand::Propose(command)).expect("proposed");
    keeps_none(&story);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let claim = ClaimCommand {
        executor: "w".to_owned(),
        arguments_hash: hash("{\"n\":1}"),
        lease: None,
        arguments: None,
        definition_hash: raw,
    };
    story
        .agent()
        .call_command("a", CallCommand::Claim(claim))
        .expect("its hash is over what the tool really says");
}

#[test]
fn envelope_debug_output_omits_arguments() {
    let mut command = propose("a", "bash", "{\"n\":\"hunter2\"}");
    (command.description, command.impact) = (recorded_text().into(), Some(Json::string(SAID)));
    let arguments = HashedArguments::new(Json::string("hunter2")).expect("admitted");
    let claim = ClaimCommand {
        executor: "w".to_owned(),
        arguments_hash: arguments.hash(),
        lease: None,
        arguments: Some(arguments.clone()),
        definition_hash: None,
    };
    let respond = RespondCommand { arguments: Some(arguments), ..RespondCommand::plain(Decision::AllowOnce) };
    let story = given("");
    for command in [CallCommand::Propose(command), CallCommand::Claim(claim), CallCommand::Respond(respond)] {
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(thread_id(), super::call_id("a")),
            command: command.into(),
            by: Principal::agent("bot").into(),
            now: story.now,
            policy: Arc::clone(&story.policy),
            evidence: CommandEvidence::NotNeeded,
            log: Sha256::ZERO,
        };
        let printed = format!("{envelope:?}");
        assert!(printed.contains("hash") && !printed.contains("hunter2"), "{printed}");
    }
}

#[test]
fn result_after_takeover_must_name_executor() {
    let mut story = given("[tools.bash]\nidempotent = true");
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.claims("a", "old", "{\"n\":1}").expect("claimed");
    story.now = story.now.after(Duration::from_mins(1));
    story.claims("a", "new", "{\"n\":1}").expect("taken over");
    let result = |executor: Option<&str>| {
        let executor = executor.map(str::to_owned);
        CallCommand::Finish(FinishCommand {
            status: Status::Success,
            content: Json::string("x"),
            executor,
            ran: None,
        })
    };
    for late in [Some("old"), None] {
        assert_eq!(code(story.agent().call_command("a", result(late))), "not_the_executor", "{late:?}");
    }
    story.agent().call_command("a", result(Some("new"))).expect("it ran it");
}

#[test]
fn newer_policy_sees_masked_arguments_at_claim() {
    const RAW: &str = "{\"password\":\"moon-1\"}";
    let mut story = given("");
    story.agent().call_command("a", CallCommand::Propose(propose("a", "deploy", RAW))).expect("proposed");
    story.person("ada").call_command("a", answer(Decision::AllowOnce)).expect("allowed");
    let rule = |prefix: &str| {
        let rule = format!(
            "[[rule]]\nname = \"not there\"\ntool = \"deploy\"\nargs = {{ \"/password\" = {{ prefix = \"{prefix}\" }} }}\n\
             verdict = \"block\"\n"
        );
        Arc::new(countersign_policy::Policy::read(&rule).expect("valid"))
    };
    let claim = |arguments: Option<&str>| {
        let brought = |text| HashedArguments::new(Json::parse(text).expect("valid")).expect("admitted");
        CallCommand::Claim(ClaimCommand {
            executor: "w".to_owned(),
            arguments_hash: hash(RAW),
            lease: None,
            arguments: arguments.map(brought),
            definition_hash: None,
        })
    };
    story.policy = rule("moon");
    for blocked in [claim(None), claim(Some(RAW))] {
        assert_eq!(code(story.agent().call_command("a", blocked)), "blocked");
    }
    story.policy = rule("earth");
    let unseen = story.call_command("a", claim(None)).expect_err("nobody looked behind the mask");
    assert!(unseen.to_string().contains("claim with the arguments themselves"), "{unseen}");
    story.call_command("a", claim(Some(RAW))).expect("the rule does not mean it");
}

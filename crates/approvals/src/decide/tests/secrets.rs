//! What people and agents say beside the arguments is written without its secrets, told as stories.

use super::*;
use crate::{Order, Wish};
use countersign_events::{
    Json, Principal, State,
    event::{Decision, Definition, Status},
};
use std::{sync::Arc, time::Duration};

const POLICY: &str = r#"
[[rule]]
name = "two of them"
tool = "transfer"
verdict = "ask"
quorum = 2
"#;

const SAID: &str = "use --token hunter2 there";

fn said() -> String {
    SAID.to_owned()
}

fn answer(decision: Decision) -> Command {
    Command::Respond(Respond { comment: said().into(), ..Respond::plain(decision) })
}

fn keeps_none(story: &Story) {
    for event in &story.log {
        assert!(!event.data.as_str().contains("hunter2"), "{} holds it: {:?}", event.kind, event.data);
    }
}

#[test]
fn no_comment_of_a_person_keeps_a_secret() {
    let mut story = given(POLICY);
    for id in ["allowed", "denied", "withdrawn", "stopped", "two"] {
        story.proposes(id, if id == "two" { "transfer" } else { "bash" }).expect("proposed");
    }
    story.person("ada").wants("allowed", answer(Decision::AllowOnce)).expect("allowed");
    story.person("ada").wants("denied", answer(Decision::Deny)).expect("denied");
    assert_eq!(
        story.told("denied"),
        r#""Denied by user:ada: use --token [redacted] there (do not retry this call unchanged)""#
    );
    story.agent().wants("withdrawn", Command::Cancel { reason: said().into() }).expect("withdrawn");
    assert_eq!(story.told("withdrawn"), r#""Cancelled by agent:bot: use --token [redacted] there""#);
    for name in ["ada", "bob"] {
        story.person(name).wants("two", answer(Decision::AllowOnce)).expect("a vote");
    }
    let stop = ThreadCommand::Stop(Stop { tool: None, comment: said().into() });
    story.person("ada").wishes(Wish::Thread(thread_id(), stop)).expect("stopped");
    assert_eq!(story.state("stopped"), State::Denied);
    story.claims("allowed", "w", "{\"n\":1}").expect("claimed");
    story
        .later(60)
        .person("ada")
        .wants("allowed", Command::Release { comment: said().into() })
        .expect("released");
    let with_words = story.log.iter().filter(|event| event.data.as_str().contains("[redacted]"));
    // Two decisions and a withdrawal with what the model is told, a stop with its, two votes with theirs, a release.
    assert_eq!(with_words.count(), 1 + 2 + 2 + 2 + 3 + 1);
    keeps_none(&story);
}

#[test]
fn nothing_that_an_agent_says_beside_the_arguments_keeps_a_secret() {
    let mut story = given("");
    let mut wish = propose("a", "bash", "{\"n\":1}");
    let annotations = Json::parse("{\"title\":\"--token hunter2\"}").expect("valid");
    let definition = Definition { description: said().into(), input_schema: None, needs_approval: None };
    let raw = Definition::hash(Some(&definition), Some(&annotations));
    wish.description = said().into();
    wish.impact = Some(Json::parse("{\"message\":\"--token hunter2\"}").expect("valid"));
    (wish.annotations, wish.definition) = (Some(annotations), Some(definition));
    story.agent().wants("a", Command::Propose(wish)).expect("proposed");
    keeps_none(&story);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let claim = Claim {
        executor: "w".to_owned(),
        arguments_hash: hash("{\"n\":1}"),
        lease: None,
        arguments: None,
        definition_hash: raw,
        judged: None,
    };
    story.agent().wants("a", Command::Claim(claim)).expect("its hash is over what the tool really says");
}

#[test]
fn to_print_an_order_prints_no_arguments() {
    let mut wish = propose("a", "bash", "{\"n\":\"hunter2\"}");
    (wish.description, wish.impact) = (said().into(), Some(Json::string(SAID)));
    let arguments = Arguments::new(Json::string("hunter2")).expect("admitted");
    let claim = Claim {
        executor: "w".to_owned(),
        arguments_hash: arguments.hash(),
        lease: None,
        arguments: Some(arguments.clone()),
        definition_hash: None,
        judged: None,
    };
    let respond = Respond { arguments: Some(arguments), ..Respond::plain(Decision::AllowOnce) };
    let story = given("");
    for command in [Command::Propose(wish), Command::Claim(claim), Command::Respond(respond)] {
        let order = Order {
            wish: Wish::Call(thread_id(), super::call_id("a"), command),
            by: Principal::agent("bot"),
            now: story.now,
            policy: Arc::clone(&story.policy),
        };
        let printed = format!("{order:?}");
        assert!(printed.contains("hash") && !printed.contains("hunter2"), "{printed}");
    }
}

#[test]
fn after_a_takeover_a_result_says_whose_it_is() {
    let mut story = given("[tools.bash]\nidempotent = true");
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.claims("a", "old", "{\"n\":1}").expect("claimed");
    story.now = story.now.after(Duration::from_mins(1));
    story.claims("a", "new", "{\"n\":1}").expect("taken over");
    let result = |executor: Option<&str>| {
        let executor = executor.map(str::to_owned);
        Command::Finish(Finish { status: Status::Success, content: Json::string("x"), executor })
    };
    for late in [Some("old"), None] {
        assert_eq!(code(story.agent().wants("a", result(late))), "not_the_executor", "{late:?}");
    }
    story.agent().wants("a", result(Some("new"))).expect("it ran it");
}

#[test]
fn a_policy_that_came_since_is_not_passed_by_behind_a_mask() {
    const RAW: &str = "{\"token\":\"moon-1\"}";
    let mut story = given("");
    story.agent().wants("a", Command::Propose(propose("a", "deploy", RAW))).expect("proposed");
    story.person("ada").wants("a", answer(Decision::AllowOnce)).expect("allowed");
    let rule = |prefix: &str| {
        let rule = format!(
            "[[rule]]\nname = \"not there\"\ntool = \"deploy\"\nargs = {{ \"/token\" = {{ prefix = \"{prefix}\" }} }}\n\
             verdict = \"block\"\n"
        );
        Arc::new(countersign_policy::Policy::read(&rule).expect("valid"))
    };
    let claim = |arguments: Option<&str>| {
        let brought = |text| Arguments::new(Json::parse(text).expect("valid")).expect("admitted");
        Command::Claim(Claim {
            executor: "w".to_owned(),
            arguments_hash: hash(RAW),
            lease: None,
            arguments: arguments.map(brought),
            definition_hash: None,
            judged: None,
        })
    };
    story.policy = rule("moon");
    for blocked in [claim(None), claim(Some(RAW))] {
        assert_eq!(code(story.agent().wants("a", blocked)), "blocked");
    }
    story.policy = rule("earth");
    let unseen = story.wants("a", claim(None)).expect_err("nobody looked behind the mask");
    assert!(unseen.to_string().contains("claim with the arguments themselves"), "{unseen}");
    story.wants("a", claim(Some(RAW))).expect("the rule does not mean it");
}

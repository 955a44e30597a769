//! The demo without a person: a script decides, and each step is printed.

use super::story;
use crate::commands::demo::{
    agent::DemoAgent,
    script::{ScriptAnswer, ScriptStep},
};
use countersign_api as api;
use countersign_api::{GateError, SharedGate};
use countersign_gate::{Json, event::Decision};

/// Runs the steps one after the other. `tell` prints a line.
pub(crate) async fn play(
    agent: &DemoAgent,
    person: &SharedGate,
    script: &[Vec<ScriptStep>],
    mut tell: impl FnMut(&str),
) -> Result<(), GateError> {
    for step in script.iter().flatten() {
        let call = agent.propose(step).await?;
        tell(&format!("{} proposes {}", agent.gate.principal(), story::describe_wish(&call)));
        if call.is_pending() {
            match decision(step.answer) {
                Some(decide) => drop(person.decide(&agent.thread, &call.id, &decide).await?),
                None => tell("  no answer …"),
            }
        }
        let call = Box::pin(agent.see_through(&call.id)).await?;
        let (ran, why) = story::describe_result(&call);
        tell(&format!("  {why}; {ran}"));
        for line in story::output_lines(&call) {
            tell(&format!("  | {line}"));
        }
    }
    Ok(())
}

fn decision(answer: ScriptAnswer) -> Option<api::DecisionRequest> {
    let comment = |text: &str| Some(text.to_owned());
    match answer {
        ScriptAnswer::Once(why) => Some(api::DecisionRequest {
            comment: comment(why),
            ..api::DecisionRequest::plain(Decision::AllowOnce)
        }),
        ScriptAnswer::Session => Some(api::DecisionRequest::for_session(Json::string("tool"))),
        ScriptAnswer::Deny(why) => Some(api::DecisionRequest {
            comment: comment(why),
            ..api::DecisionRequest::plain(Decision::Deny)
        }),
        ScriptAnswer::Nothing => None,
    }
}

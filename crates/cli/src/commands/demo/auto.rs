//! The demo without anybody: a scripted person decides, and the story is told as it happens.

use super::{
    agent::Agent,
    script::{Answer, Step},
    story,
};
use crate::target::Gate;
use countersign_api::{self as api, GateError};
use countersign_gate::event::Decision;

/// One call after the other, so that the story reads from top to bottom. `tell` says its lines.
pub(super) async fn play(
    agent: &Agent,
    person: &Gate,
    script: &[Vec<Step>],
    mut tell: impl FnMut(&str),
) -> Result<(), GateError> {
    for step in script.iter().flatten() {
        let call = agent.propose(step).await?;
        tell(&format!("{} wants {}", agent.gate.principal(), story::wish(&call)));
        if call.is_pending() {
            match decision(step.answer) {
                Some(decide) => drop(person.decide(&agent.thread, &call.id, &decide).await?),
                None => tell("  nobody answers …"),
            }
        }
        let call = Box::pin(agent.see_through(&call.id)).await?;
        let (ran, why) = story::fate(&call);
        tell(&format!("  {why}; {ran}"));
        for line in story::output(&call) {
            tell(&format!("  | {line}"));
        }
    }
    Ok(())
}

fn decision(answer: Answer) -> Option<api::DecisionRequest> {
    let comment = |text: &str| Some(text.to_owned());
    match answer {
        Answer::Once(why) => Some(api::DecisionRequest {
            comment: comment(why),
            ..api::DecisionRequest::plain(Decision::AllowOnce)
        }),
        Answer::Session => Some(api::DecisionRequest::plain(Decision::AllowSession)),
        Answer::Deny(why) => Some(api::DecisionRequest {
            comment: comment(why),
            ..api::DecisionRequest::plain(Decision::Deny)
        }),
        Answer::Nothing => None,
    }
}

//! The demo without anybody: a scripted person decides, and the story is told as it happens.

use crate::commands::demo::{agent::DemoAgent, script::{ScriptAnswer, ScriptStep}};
use countersign_gate::{Error, Gate, api, event::Decision};

/// One call after the other, so that the story reads from top to bottom. `tell` says its lines.
pub(crate) async fn play(
    agent: &DemoAgent,
    person: &Gate,
    script: &[Vec<ScriptStep>],
    mut tell: impl FnMut(&str),
) -> Result<(), Error> {
    for step in script.iter().flatten() {
        let call = agent.propose(step).await?;
        tell(&format!("{} wants {}", agent.gate.principal(), story::args(&call)));
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

fn decision(answer: ScriptAnswer) -> Option<api::Decide> {
    let comment = |text: &str| Some(text.to_owned());
    match answer {
        ScriptAnswer::Once(why) => {
            Some(api::Decide { comment: comment(why), ..api::Decide::plain(Decision::AllowOnce) })
        }
        ScriptAnswer::Session => Some(api::Decide::plain(Decision::AllowSession)),
        ScriptAnswer::Deny(why) => {
            Some(api::Decide { comment: comment(why), ..api::Decide::plain(Decision::Deny) })
        }
        ScriptAnswer::Nothing => None,
    }
}

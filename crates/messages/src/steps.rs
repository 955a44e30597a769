//! The steps of an agent. Some formats keep several steps, with their results, in one message; others need each result
//! between the step of its call and the next.

use crate::{
    formats::{begins_step, keeps_hosted_results},
    neutral::{NeutralMessage, NeutralPart, PartContent},
};
use countersign_events::{EventType, MessageFormat};

/// Makes each step, and the results after it, messages of their own where the target format needs it.
pub(crate) fn split_steps(
    messages: Vec<(u32, NeutralMessage)>,
    to: MessageFormat,
) -> Vec<(u32, NeutralMessage)> {
    let mut split = Vec::new();
    for (position, message) in messages {
        if has_one_step(&message, to) {
            split.push((position, message));
        } else {
            split.extend(steps_of(message, to).into_iter().map(|step| (position, step)));
        }
    }
    split
}

/// Returns true if the target format can have the message as it is.
fn has_one_step(message: &NeutralMessage, to: MessageFormat) -> bool {
    let has_reports = message.parts.iter().any(|part| is_report(part, to));
    let is_mixed = has_reports && !message.parts.iter().all(|part| is_report(part, to));
    message.is_in(to) || !(is_mixed || message.parts.iter().any(begins_step))
}

fn steps_of(mut message: NeutralMessage, to: MessageFormat) -> Vec<NeutralMessage> {
    let mut steps = Vec::new();
    let parts = std::mem::take(&mut message.parts);
    for step in parts.split_inclusive(begins_step) {
        let parts = step.iter().filter(|part| !begins_step(part)).cloned();
        let (reports, said): (Vec<_>, Vec<_>) = parts.partition(|part| is_report(part, to));
        let said = NeutralMessage { parts: said, is_changed: true, ..message.clone() };
        let reported = NeutralMessage::new(EventType::AgentMessage, reports);
        // Results in a person's message are those of the agent's turn before it.
        let is_agent = message.kind == EventType::AgentMessage;
        let step = if is_agent { [said, reported] } else { [reported, said] };
        steps.extend(step.into_iter().filter(|message| !message.parts.is_empty()));
    }
    steps
}

/// Returns true for a part that the agent's program writes after the agent's own.
fn is_report(part: &NeutralPart, to: MessageFormat) -> bool {
    match &part.content {
        PartContent::Result(result) => !(result.is_hosted && keeps_hosted_results(to)),
        PartContent::Answer(_) => true,
        _ => false,
    }
}

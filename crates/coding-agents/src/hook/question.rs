//! The questions in a message, and whether a person answered them.

use super::{message::HookMessage, program::HookProgram};
use countersign_api::{Call, ProposedDefinition, ToolName};
use countersign_events::{QuestionForm, QuestionKind, Source};

/// The questions of a tool, if the program reads their answers in its arguments.
pub(super) fn find_question(caller: &dyn HookProgram, message: &HookMessage) -> Option<QuestionForm> {
    let name = ToolName::new(&message.tool_name).ok()?;
    caller.prompts_beside_hooks().then(|| QuestionForm::read(&name, &message.tool_input)).flatten()
}

/// Whether a person answered the questions, or approved the plan.
pub(super) fn is_answered(form: &QuestionForm, call: &Call, is_edited: bool) -> bool {
    let by_person = call.response.as_ref().is_some_and(|response| response.source == Source::Approver);
    by_person && (is_edited || form.kind == QuestionKind::Plan)
}

/// The definition of a call about which people are asked even if a rule allows it.
pub(super) fn needs_person() -> ProposedDefinition {
    ProposedDefinition { description: None, input_schema: None, needs_approval: Some(true) }
}

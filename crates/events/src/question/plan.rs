//! A plan that waits for approval, as Claude Code presents it.

use super::form::{QuestionForm, QuestionKind, has_only};
use crate::json::JsonTree;

/// The members that the form shows.
const KNOWN: &[&str] = &["plan", "planFilePath"];

pub(super) fn read(arguments: &JsonTree) -> Option<QuestionForm> {
    let plan = arguments.text_of("plan").filter(|plan| !plan.trim().is_empty())?;
    Some(QuestionForm {
        kind: QuestionKind::Plan,
        message: Some(plan.to_owned()),
        source: arguments.text_of("planFilePath").map(str::to_owned),
        questions: Vec::new(),
        is_complete: has_only(arguments, KNOWN),
    })
}

//! The verdict that follows from tool metadata. Metadata from any source makes a call stricter; only metadata that the
//! policy trusts may allow one.

use crate::facts::CallFacts;
use countersign_events::{QuestionForm, QuestionKind, ToolDefinition, Verdict};

/// The verdict and reason that follow from tool metadata, for a call that no rule matches.
pub(crate) fn metadata_verdict(
    facts: &CallFacts<'_>,
    dangerous: &[String],
    default: Verdict,
) -> Option<(Verdict, String)> {
    let needs = facts.subject.definition.and_then(|definition| definition.needs_approval);
    let tool = facts.subject.tool;
    let stricter = |reason: String| (default < Verdict::Block).then_some((Verdict::Ask, reason));
    if needs == Some(true) {
        return stricter(approval_reason(facts));
    }
    if facts.hints().declares_destructive() {
        return stricter(format!("`{tool}` declares that it may be destructive"));
    }
    // A trusted tool that explicitly needs no approval overrides the dangerous words in its name.
    if needs == Some(false) && facts.is_trusted() {
        let reason = format!("`{tool}` is trusted and declares that it needs no approval");
        return (default == Verdict::Ask).then_some((Verdict::Allow, reason));
    }
    stricter(find_dangerous_word(facts, dangerous)?)
}

/// The reason to ask about a call that a rule allows, if the tool itself needs approval.
pub(crate) fn required_approval(facts: &CallFacts<'_>) -> Option<String> {
    let needs = facts.subject.definition.and_then(|definition| definition.needs_approval);
    (needs == Some(true)).then(|| approval_reason(facts))
}

fn approval_reason(facts: &CallFacts<'_>) -> String {
    let (tool, definition) = (facts.subject.tool, facts.subject.definition);
    let is_described = |one: &ToolDefinition| one.description.is_some() || one.input_schema.is_some();
    match QuestionForm::read(tool, facts.subject.arguments).map(|form| form.kind) {
        Some(QuestionKind::Questions) => "the agent asks people a question".to_owned(),
        Some(QuestionKind::Plan) => "the agent asks people to approve its plan".to_owned(),
        None if definition.is_some_and(is_described) => format!("`{tool}` declares that it needs approval"),
        // Without more of a definition, this is no word of the tool.
        Some(QuestionKind::Other) | None => {
            format!("the agent says that this call of `{tool}` needs approval")
        }
    }
}

/// The reason to ask about a tool whose name or description contains a dangerous word.
fn find_dangerous_word(facts: &CallFacts<'_>, dangerous: &[String]) -> Option<String> {
    let tool = facts.subject.tool;
    let description = facts.subject.definition.and_then(|definition| definition.description.as_deref());
    let places = [("name", Some(tool.as_str())), ("description", description)];
    let found = places.into_iter().find_map(|(place, text)| {
        let text = text?.to_lowercase();
        let word = dangerous.iter().find(|word| text.contains(word.as_str()))?;
        Some(format!("its {place} contains \"{word}\""))
    })?;
    Some(format!("`{tool}` may be dangerous: {found}, and no rule matches this call"))
}

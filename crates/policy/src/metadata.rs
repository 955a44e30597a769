//! The verdict that follows from a tool's own metadata. Metadata from any source makes a call stricter; only
//! metadata that the policy trusts may allow one.

use crate::facts::CallFacts;
use countersign_events::event::Verdict;

/// What follows from what a tool says of itself, where no rule speaks of it.
pub(crate) fn fill_in(
    facts: &CallFacts<'_>,
    dangerous: &[String],
    default: Verdict,
) -> Option<(Verdict, String)> {
    let needs = facts.subject.definition.and_then(|definition| definition.needs_approval);
    let tool = facts.subject.tool;
    let stricter = |reason: String| (default < Verdict::Block).then_some((Verdict::Ask, reason));
    if needs == Some(true) {
        return stricter(needs_approval(facts));
    }
    if facts.hints().destroys() {
        return stricter(format!("`{tool}` says of itself that it may destroy something"));
    }
    // A tool that is trusted, and says in as many words that nobody need be asked, knows better than its name.
    if needs == Some(false) && facts.is_trusted() {
        let reason = format!("`{tool}` is trusted, and says that it needs no approval");
        return (default == Verdict::Ask).then_some((Verdict::Allow, reason));
    }
    stricter(danger(facts, dangerous)?)
}

/// Why a call is asked about that a rule allows, if the tool itself wants that.
pub(crate) fn insists(facts: &CallFacts<'_>) -> Option<String> {
    let needs = facts.subject.definition.and_then(|definition| definition.needs_approval);
    (needs == Some(true)).then(|| needs_approval(facts))
}

fn needs_approval(facts: &CallFacts<'_>) -> String {
    format!("`{}` says of itself that it needs approval", facts.subject.tool)
}

/// Words in the name or the description of a tool that nobody wrote a rule for.
fn danger(facts: &CallFacts<'_>, dangerous: &[String]) -> Option<String> {
    let tool = facts.subject.tool;
    let description = facts.subject.definition.and_then(|definition| definition.description.as_deref());
    let places = [("name", Some(tool.as_str())), ("description", description)];
    let said = places.into_iter().find_map(|(place, text)| {
        let text = text?.to_lowercase();
        let word = dangerous.iter().find(|word| text.contains(word.as_str()))?;
        Some(format!("its {place} says \"{word}\""))
    })?;
    Some(format!("`{tool}` may be dangerous: {said}, and no rule speaks of it"))
}

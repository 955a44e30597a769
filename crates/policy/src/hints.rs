//! What a tool says of itself. It makes a call stricter whoever says it, and allows something only where
//! the policy trusts who says it.

use super::{Subject, facts::Facts, selector::Names, value::Value};
use countersign_events::{Json, event::Verdict};

/// The hints of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    ReadOnly,
    Destructive,
    Idempotent,
    OpenWorld,
}

impl Hint {
    pub(super) const ALL: [Self; 4] = [Self::ReadOnly, Self::Destructive, Self::Idempotent, Self::OpenWorld];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnlyHint",
            Self::Destructive => "destructiveHint",
            Self::Idempotent => "idempotentHint",
            Self::OpenWorld => "openWorldHint",
        }
    }

    /// What MCP supposes where a tool says nothing: the worse.
    const fn unsaid(self) -> bool {
        matches!(self, Self::Destructive | Self::OpenWorld)
    }
}

/// A hint, and what a rule wants it to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) hint: Hint,
    pub(super) value: bool,
}

/// What the annotations of a call say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hints {
    said: [Option<bool>; 4],
    trusted: bool,
}

impl Hints {
    pub(super) fn read(annotations: Option<&Json>, trusted: bool) -> Self {
        let annotations = annotations.map(Json::as_str).and_then(Value::read);
        let said = |hint: Hint| match annotations.as_ref()?.get(hint.as_str())? {
            Value::Bool(value) => Some(*value),
            _ => None,
        };
        Self { said: Hint::ALL.map(said), trusted }
    }

    fn said(self, hint: Hint) -> Option<bool> {
        self.said[hint as usize]
    }

    /// What holds of the hint: what was said, if that may be believed, else what MCP supposes.
    pub(super) fn value(self, hint: Hint) -> bool {
        match self.said(hint).filter(|_| self.trusted) {
            Some(said) => said,
            // What only reads destroys nothing, also where it does not say so.
            None if hint == Hint::Destructive => !(self.trusted && self.said(Hint::ReadOnly) == Some(true)),
            None => hint.unsaid(),
        }
    }

    /// Whether it is so for sure.
    pub(super) fn is_known(self, wanted: Wanted) -> bool {
        self.value(wanted.hint) == wanted.value
    }

    /// Whether it is so, or somebody who is not trusted says it is.
    pub(super) fn may_be(self, wanted: Wanted) -> bool {
        self.is_known(wanted) || self.said(wanted.hint) == Some(wanted.value)
    }

    /// Whether the tool itself says, in as many words, that it destroys.
    fn destroys(self) -> bool {
        self.said(Hint::Destructive) == Some(true)
    }
}

/// Whose word may allow something: nobody's, if nothing is said.
#[derive(Debug, Clone, Default)]
pub(super) struct Trust {
    pub(super) tools: Option<Names>,
    pub(super) principals: Option<Names>,
}

impl Trust {
    pub(super) fn covers(&self, subject: &Subject<'_>) -> bool {
        let tool = self.tools.as_ref().is_some_and(|tools| tools.is_match(subject.tool.as_str()));
        let from = |principals: &Names| principals.is_match(subject.principal.as_str());
        tool && self.principals.as_ref().is_none_or(from)
    }
}

/// What follows from what a tool says of itself, where no rule speaks of it.
pub(super) fn fill_in(
    facts: &Facts<'_>,
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
pub(super) fn insists(facts: &Facts<'_>) -> Option<String> {
    let needs = facts.subject.definition.and_then(|definition| definition.needs_approval);
    (needs == Some(true)).then(|| needs_approval(facts))
}

fn needs_approval(facts: &Facts<'_>) -> String {
    format!("`{}` says of itself that it needs approval", facts.subject.tool)
}

/// Words in the name or the description of a tool that nobody wrote a rule for.
fn danger(facts: &Facts<'_>, dangerous: &[String]) -> Option<String> {
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

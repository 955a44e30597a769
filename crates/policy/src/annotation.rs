//! What a tool says of itself. It makes a call stricter whoever says it, and allows something only where
//! the policy trusts who says it.

use crate::{names::NameGlobs, subject::JudgedCall, value::OrderedValue};
use countersign_events::Json;

/// The hints of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolHint {
    ReadOnly,
    Destructive,
    Idempotent,
    OpenWorld,
}

impl ToolHint {
    pub(crate) const ALL: [Self; 4] = [Self::ReadOnly, Self::Destructive, Self::Idempotent, Self::OpenWorld];

    pub(crate) const fn as_str(self) -> &'static str {
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
pub(crate) struct ExpectedHint {
    pub(crate) hint: ToolHint,
    pub(crate) value: bool,
}

/// What the annotations of a call say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolHints {
    said: [Option<bool>; 4],
    trusted: bool,
}

impl ToolHints {
    pub(crate) fn read(annotations: Option<&Json>, trusted: bool) -> Self {
        let annotations = annotations.map(Json::as_str).and_then(OrderedValue::read);
        let said = |hint: ToolHint| match annotations.as_ref()?.get(hint.as_str())? {
            OrderedValue::Bool(value) => Some(*value),
            _ => None,
        };
        Self { said: ToolHint::ALL.map(said), trusted }
    }

    fn said(self, hint: ToolHint) -> Option<bool> {
        self.said[hint as usize]
    }

    /// What holds of the hint: what was said, if that may be believed, else what MCP supposes.
    pub(crate) fn value(self, hint: ToolHint) -> bool {
        match self.said(hint).filter(|_| self.trusted) {
            Some(said) => said,
            // What only reads destroys nothing, also where it does not say so.
            None if hint == ToolHint::Destructive => {
                !(self.trusted && self.said(ToolHint::ReadOnly) == Some(true))
            }
            None => hint.unsaid(),
        }
    }

    /// Whether it is so for sure.
    pub(crate) fn is_known(self, wanted: ExpectedHint) -> bool {
        self.value(wanted.hint) == wanted.value
    }

    /// Whether it is so, or somebody who is not trusted says it is.
    pub(crate) fn may_be(self, wanted: ExpectedHint) -> bool {
        self.is_known(wanted) || self.said(wanted.hint) == Some(wanted.value)
    }

    /// Whether the tool itself says, in as many words, that it destroys.
    pub(crate) fn destroys(self) -> bool {
        self.said(ToolHint::Destructive) == Some(true)
    }
}

/// Whose word may allow something: nobody's, if nothing is said.
#[derive(Debug, Clone, Default)]
pub(crate) struct HintTrust {
    pub(crate) tools: Option<NameGlobs>,
    pub(crate) principals: Option<NameGlobs>,
}

impl HintTrust {
    pub(crate) fn covers(&self, subject: &JudgedCall<'_>) -> bool {
        let tool = self.tools.as_ref().is_some_and(|tools| tools.is_match(subject.tool.as_str()));
        let from = |principals: &NameGlobs| principals.is_match(subject.principal.as_str());
        tool && self.principals.as_ref().is_none_or(from)
    }
}

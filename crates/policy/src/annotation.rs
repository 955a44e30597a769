//! Hints that a tool gives about itself. A hint from any tool can make a verdict stricter. It can allow a
//! call only if the policy trusts the tool.

use crate::{names::NameGlobs, subject::JudgedCall, value::OrderedValue};
use countersign_events::Json;

/// A tool annotation that MCP defines.
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

    /// The default that MCP defines for an absent hint: the less safe value.
    const fn mcp_default(self) -> bool {
        matches!(self, Self::Destructive | Self::OpenWorld)
    }
}

/// A hint and the value that a rule requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpectedHint {
    pub(crate) hint: ToolHint,
    pub(crate) value: bool,
}

/// The hints in call annotations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolHints {
    declared: [Option<bool>; 4],
    trusted: bool,
}

impl ToolHints {
    pub(crate) fn parse(annotations: Option<&Json>, trusted: bool) -> Self {
        let annotations = annotations.map(Json::as_str).and_then(OrderedValue::read);
        let declared = |hint: ToolHint| match annotations.as_ref()?.get(hint.as_str())? {
            OrderedValue::Bool(value) => Some(*value),
            _ => None,
        };
        Self { declared: ToolHint::ALL.map(declared), trusted }
    }

    fn declared(self, hint: ToolHint) -> Option<bool> {
        self.declared[hint as usize]
    }

    /// The hint's effective value: the declared value of a trusted tool, otherwise the MCP default.
    pub(crate) fn value(self, hint: ToolHint) -> bool {
        match self.declared(hint).filter(|_| self.trusted) {
            Some(declared) => declared,
            // A read-only tool is not destructive, even if it does not declare that hint.
            None if hint == ToolHint::Destructive => {
                !(self.trusted && self.declared(ToolHint::ReadOnly) == Some(true))
            }
            None => hint.mcp_default(),
        }
    }

    /// Returns true if the hint certainly has the required value.
    pub(crate) fn is_known(self, expected: ExpectedHint) -> bool {
        self.value(expected.hint) == expected.value
    }

    /// Returns true if the hint has the required value, or an untrusted tool claims so.
    pub(crate) fn is_claimed(self, expected: ExpectedHint) -> bool {
        self.is_known(expected) || self.declared(expected.hint) == Some(expected.value)
    }

    /// Returns true if the tool explicitly declares that it changes something.
    pub(crate) fn declares_change(self) -> bool {
        self.declared(ToolHint::ReadOnly) == Some(false) || self.declares_destructive()
    }

    /// Returns true if the tool explicitly declares that it is destructive.
    pub(crate) fn declares_destructive(self) -> bool {
        self.declared(ToolHint::Destructive) == Some(true)
    }
}

/// The tools and principals whose hints may allow a call. By default there are none.
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

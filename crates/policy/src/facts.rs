//! What rules may know of one call. Each thing is worked out when the first rule asks for it, and then kept.

use crate::{
    annotation::{ExpectedHint, ToolHint, ToolHints},
    condition::{self, ConditionInput},
    operands::{CallOperands, OperandSources, address, place, script},
    settings::PolicySettings,
    subject::JudgedCall,
    tools::{OperandKind, OperandMapping},
    value::{JsonPointer, OrderedValue},
};
use countersign_events::{Json, event::Verdict};
use countersign_patterns::{ParsedPath, ParsedScript, ParsedUrl};
use countersign_redaction::Redactor;
use std::cell::OnceCell;

/// One call, as rules look at it.
pub(crate) struct CallFacts<'a> {
    pub(crate) subject: JudgedCall<'a>,
    pub(crate) settings: &'a PolicySettings,
    late: &'a dyn Fn() -> bool,
    masked: Vec<JsonPointer>,
    args: OnceCell<Option<OrderedValue>>,
    impact: OnceCell<Option<OrderedValue>>,
    hints: OnceCell<ToolHints>,
    mappings: OnceCell<Vec<&'a OperandMapping>>,
    scripts: OnceCell<CallOperands<(String, ParsedScript)>>,
    addresses: OnceCell<CallOperands<ParsedUrl>>,
    places: OnceCell<CallOperands<ParsedPath>>,
    input: OnceCell<Result<cel::Context<'static, 'static>, String>>,
}

impl<'a> CallFacts<'a> {
    pub(crate) fn new(
        settings: &'a PolicySettings,
        subject: &JudgedCall<'a>,
        late: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            subject: *subject,
            settings,
            late,
            masked: subject.redacted.iter().filter_map(|pointer| JsonPointer::read(pointer).ok()).collect(),
            args: OnceCell::new(),
            impact: OnceCell::new(),
            hints: OnceCell::new(),
            mappings: OnceCell::new(),
            scripts: OnceCell::new(),
            addresses: OnceCell::new(),
            places: OnceCell::new(),
            input: OnceCell::new(),
        }
    }

    /// What takes the secrets out of what is said of the call.
    pub(crate) fn redactor(&self) -> &Redactor {
        &self.settings.redactor
    }

    /// What the policy says where no rule matches.
    pub(crate) fn default(&self) -> Verdict {
        self.settings.default
    }

    /// The arguments; none if they cannot be read.
    pub(crate) fn args(&self) -> Option<&OrderedValue> {
        self.args.get_or_init(|| OrderedValue::read(self.subject.arguments.as_str())).as_ref()
    }

    /// What the agent says of the call.
    pub(crate) fn impact(&self) -> Option<&OrderedValue> {
        self.impact
            .get_or_init(|| self.subject.impact.map(Json::as_str).and_then(OrderedValue::read))
            .as_ref()
    }

    pub(crate) fn hints(&self) -> ToolHints {
        *self.hints.get_or_init(|| ToolHints::read(self.subject.annotations, self.is_trusted()))
    }

    /// Whether what the tool says of itself may allow anything.
    pub(crate) fn is_trusted(&self) -> bool {
        self.settings.trust.covers(&self.subject)
    }

    pub(crate) fn is_masked(&self, pointer: &JsonPointer) -> bool {
        self.masked.iter().any(|masked| masked.touches(pointer))
    }

    /// What the policy says of the tool.
    pub(crate) fn mappings(&self) -> &[&'a OperandMapping] {
        let settings = self.settings;
        let tool = self.subject.tool.as_str();
        self.mappings.get_or_init(|| settings.tools.iter().filter(|m| m.tools.is_match(tool)).collect())
    }

    /// Where its operands of a kind stand, and whether the policy says so.
    pub(crate) fn pointers(&self, kind: OperandKind) -> (Vec<JsonPointer>, bool) {
        let mapped: Vec<_> =
            self.mappings().iter().flat_map(|mapping| mapping.pointers(kind)).cloned().collect();
        if !mapped.is_empty() {
            return (mapped, true);
        }
        (kind.usual().iter().filter_map(|text| JsonPointer::read(text).ok()).collect(), false)
    }

    pub(crate) fn scripts(&self) -> &CallOperands<(String, ParsedScript)> {
        self.scripts.get_or_init(|| {
            CallOperands::find(self.operand_sources(OperandKind::Command), OperandKind::Command, script)
        })
    }

    pub(crate) fn addresses(&self) -> &CallOperands<ParsedUrl> {
        self.addresses.get_or_init(|| {
            CallOperands::find(self.operand_sources(OperandKind::Url), OperandKind::Url, address)
        })
    }

    pub(crate) fn places(&self) -> &CallOperands<ParsedPath> {
        self.places.get_or_init(|| {
            CallOperands::find(self.operand_sources(OperandKind::Path), OperandKind::Path, place)
        })
    }

    /// What the tool does, as far as the policy, or a hint that is trusted, says.
    pub(crate) fn operations(&self) -> Vec<&str> {
        let mapped: Vec<_> =
            self.mappings().iter().filter_map(|mapping| mapping.operation.as_deref()).collect();
        let only_reads = ExpectedHint { hint: ToolHint::ReadOnly, value: true };
        if mapped.is_empty() && self.hints().is_known(only_reads) { vec!["read"] } else { mapped }
    }

    /// The time for conditions has run out.
    pub(crate) fn is_late(&self) -> bool {
        (self.late)()
    }

    /// The values that conditions read, or the reason why they fail.
    pub(crate) fn condition_input(&self) -> &Result<cel::Context<'static, 'static>, String> {
        self.input.get_or_init(|| {
            condition::input(&ConditionInput {
                subject: self.subject,
                args: self.args(),
                hints: self.hints(),
                impact: self.impact(),
            })
        })
    }

    pub(crate) fn masked(&self) -> &[JsonPointer] {
        &self.masked
    }

    fn operand_sources(&self, kind: OperandKind) -> OperandSources<'_> {
        let (pointers, mapped) = self.pointers(kind);
        OperandSources { args: self.args(), masked: &self.masked, pointers, mapped }
    }
}

//! What rules may know of one call. Each thing is worked out when the first rule asks for it, and then kept.

use crate::{
    annotation::{Hint, Hints, Wanted},
    condition::{self, ConditionInput},
    operands::{OperandSources, Operands, address, place, script},
    settings::PolicySettings,
    subject::Subject,
    tools::{Kind, Mapping},
    value::{Pointer, Value},
};
use countersign_events::{Json, event::Verdict};
use countersign_patterns::{Address, Place, Script};
use countersign_redaction::Redactor;
use std::cell::OnceCell;

/// One call, as rules look at it.
pub(crate) struct Facts<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) settings: &'a PolicySettings,
    late: &'a dyn Fn() -> bool,
    masked: Vec<Pointer>,
    args: OnceCell<Option<Value>>,
    impact: OnceCell<Option<Value>>,
    hints: OnceCell<Hints>,
    mappings: OnceCell<Vec<&'a Mapping>>,
    scripts: OnceCell<Operands<(String, Script)>>,
    addresses: OnceCell<Operands<Address>>,
    places: OnceCell<Operands<Place>>,
    input: OnceCell<Result<cel::Context<'static, 'static>, String>>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(
        settings: &'a PolicySettings,
        subject: &Subject<'a>,
        late: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            subject: *subject,
            settings,
            late,
            masked: subject.redacted.iter().filter_map(|pointer| Pointer::read(pointer).ok()).collect(),
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
    pub(crate) fn args(&self) -> Option<&Value> {
        self.args.get_or_init(|| Value::read(self.subject.arguments.as_str())).as_ref()
    }

    /// What the agent says of the call.
    pub(crate) fn impact(&self) -> Option<&Value> {
        self.impact.get_or_init(|| self.subject.impact.map(Json::as_str).and_then(Value::read)).as_ref()
    }

    pub(crate) fn hints(&self) -> Hints {
        *self.hints.get_or_init(|| Hints::read(self.subject.annotations, self.is_trusted()))
    }

    /// Whether what the tool says of itself may allow anything.
    pub(crate) fn is_trusted(&self) -> bool {
        self.settings.trust.covers(&self.subject)
    }

    pub(crate) fn is_masked(&self, pointer: &Pointer) -> bool {
        self.masked.iter().any(|masked| masked.touches(pointer))
    }

    /// What the policy says of the tool.
    pub(crate) fn mappings(&self) -> &[&'a Mapping] {
        let settings = self.settings;
        let tool = self.subject.tool.as_str();
        self.mappings.get_or_init(|| settings.tools.iter().filter(|m| m.tools.is_match(tool)).collect())
    }

    /// Where its operands of a kind stand, and whether the policy says so.
    pub(crate) fn pointers(&self, kind: Kind) -> (Vec<Pointer>, bool) {
        let mapped: Vec<_> =
            self.mappings().iter().flat_map(|mapping| mapping.pointers(kind)).cloned().collect();
        if !mapped.is_empty() {
            return (mapped, true);
        }
        (kind.usual().iter().filter_map(|text| Pointer::read(text).ok()).collect(), false)
    }

    pub(crate) fn scripts(&self) -> &Operands<(String, Script)> {
        self.scripts
            .get_or_init(|| Operands::find(self.operand_sources(Kind::Command), Kind::Command, script))
    }

    pub(crate) fn addresses(&self) -> &Operands<Address> {
        self.addresses.get_or_init(|| Operands::find(self.operand_sources(Kind::Url), Kind::Url, address))
    }

    pub(crate) fn places(&self) -> &Operands<Place> {
        self.places.get_or_init(|| Operands::find(self.operand_sources(Kind::Path), Kind::Path, place))
    }

    /// What the tool does, as far as the policy, or a hint that is trusted, says.
    pub(crate) fn operations(&self) -> Vec<&str> {
        let mapped: Vec<_> =
            self.mappings().iter().filter_map(|mapping| mapping.operation.as_deref()).collect();
        let only_reads = Wanted { hint: Hint::ReadOnly, value: true };
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

    pub(crate) fn masked(&self) -> &[Pointer] {
        &self.masked
    }

    fn operand_sources(&self, kind: Kind) -> OperandSources<'_> {
        let (pointers, mapped) = self.pointers(kind);
        OperandSources { args: self.args(), masked: &self.masked, pointers, mapped }
    }
}

//! What rules may know of one call. Each thing is worked out when the first rule asks for it, and then kept.

use super::{
    Policy, Subject, Verdict,
    condition::{self, Condition},
    hints::{Hint, Hints, Wanted},
    selector::{Effect, Hit, Impact, Kind, Mapping, Operands, Predicate},
    value::{Pointer, Value},
};
use crate::{
    Json,
    pattern::{Address, Place, Script},
    policy::selector::{address, place, script},
    redact::Redactor,
};
use std::cell::OnceCell;

/// One call, as rules look at it.
pub(super) struct Facts<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) policy: &'a Policy,
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
    pub(super) fn new(policy: &'a Policy, subject: &Subject<'a>, late: &'a dyn Fn() -> bool) -> Self {
        Self {
            subject: *subject,
            policy,
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
    pub(super) fn redactor(&self) -> &Redactor {
        self.policy.redactor()
    }

    /// What the policy says where no rule matches.
    pub(super) fn default(&self) -> Verdict {
        self.policy.default
    }

    /// The arguments; none if they cannot be read.
    pub(super) fn args(&self) -> Option<&Value> {
        self.args.get_or_init(|| Value::read(self.subject.arguments.as_str())).as_ref()
    }

    /// What the agent says of the call.
    pub(super) fn impact(&self) -> Option<&Value> {
        self.impact.get_or_init(|| self.subject.impact.map(Json::as_str).and_then(Value::read)).as_ref()
    }

    pub(super) fn hints(&self) -> Hints {
        *self.hints.get_or_init(|| Hints::read(self.subject.annotations, self.is_trusted()))
    }

    /// Whether what the tool says of itself may allow anything.
    pub(super) fn is_trusted(&self) -> bool {
        self.policy.trust.covers(&self.subject)
    }

    pub(super) fn is_masked(&self, pointer: &Pointer) -> bool {
        self.masked.iter().any(|masked| masked.touches(pointer))
    }

    /// What the policy says of the tool.
    pub(super) fn mappings(&self) -> &[&'a Mapping] {
        let policy = self.policy;
        let tool = self.subject.tool.as_str();
        self.mappings.get_or_init(|| policy.tools.iter().filter(|m| m.tools.is_match(tool)).collect())
    }

    /// Where its operands of a kind stand, and whether the policy says so.
    pub(super) fn pointers(&self, kind: Kind) -> (Vec<Pointer>, bool) {
        let mapped: Vec<_> =
            self.mappings().iter().flat_map(|mapping| mapping.pointers(kind)).cloned().collect();
        if !mapped.is_empty() {
            return (mapped, true);
        }
        (kind.usual().iter().filter_map(|text| Pointer::read(text).ok()).collect(), false)
    }

    pub(super) fn scripts(&self) -> &Operands<(String, Script)> {
        self.scripts.get_or_init(|| Operands::find(self, Kind::Command, script))
    }

    pub(super) fn addresses(&self) -> &Operands<Address> {
        self.addresses.get_or_init(|| Operands::find(self, Kind::Url, address))
    }

    pub(super) fn places(&self) -> &Operands<Place> {
        self.places.get_or_init(|| Operands::find(self, Kind::Path, place))
    }

    /// What the tool does, as far as the policy, or a hint that is trusted, says.
    pub(super) fn operations(&self) -> Vec<&str> {
        let mapped: Vec<_> =
            self.mappings().iter().filter_map(|mapping| mapping.operation.as_deref()).collect();
        let only_reads = Wanted { hint: Hint::ReadOnly, value: true };
        if mapped.is_empty() && self.hints().is_known(only_reads) { vec!["read"] } else { mapped }
    }

    /// Whether the tool does one of those things. A rule that names neither tools nor places has nothing to
    /// say of a tool of which nobody knows what it does.
    pub(super) fn operation(&self, wanted: &[String], effect: Effect, named: bool) -> Hit {
        let operations = self.operations();
        let is_wanted = |operation: &&str| wanted.iter().any(|wanted| wanted == operation);
        let matches = match effect {
            Effect::Widen => !operations.is_empty() && operations.iter().all(is_wanted),
            Effect::Restrict => operations.iter().any(is_wanted),
        };
        if matches {
            Hit::Yes(format!("operation `{}` matches", operations.join("`, `")))
        } else if operations.is_empty() && named {
            Hit::Unclear(format!("nothing says which operation `{}` is", self.subject.tool))
        } else {
            Hit::No
        }
    }

    pub(super) fn annotation(&self, wanted: Wanted, effect: Effect) -> Hit {
        let matches = match effect {
            Effect::Widen => self.hints().is_known(wanted),
            Effect::Restrict => self.hints().may_be(wanted),
        };
        if matches { Hit::Yes(format!("{} is {}", wanted.hint.as_str(), wanted.value)) } else { Hit::No }
    }

    /// What an agent leaves unsaid makes nothing stricter; what it says in no known word does.
    pub(super) fn impact_is(&self, wanted: &Impact) -> Hit {
        let Some(said) = self.impact() else { return Hit::No };
        if let Some(reversible) = wanted.reversible {
            match said.get("reversible") {
                None | Some(Value::Null) => return Hit::No,
                Some(Value::Bool(said)) if *said != reversible => return Hit::No,
                Some(Value::Bool(_)) => {}
                Some(strange) => {
                    return Hit::Failed(format!("impact's reversible is {}", strange.kind()));
                }
            }
        }
        if wanted.risk_levels.is_empty() {
            return Hit::Yes("the agent's own words match".to_owned());
        }
        match said.get("riskLevel") {
            None | Some(Value::Null) => Hit::No,
            Some(Value::Text(level)) if wanted.risk_levels.contains(level) => {
                Hit::Yes(format!("the agent calls the risk {level}"))
            }
            Some(Value::Text(level)) if ["low", "medium", "high", "critical"].contains(&level.as_str()) => {
                Hit::No
            }
            Some(_) => Hit::Failed("impact's riskLevel is no known word".to_owned()),
        }
    }

    /// Whether an argument satisfies all predicates.
    pub(super) fn argument(&self, at: &Pointer, predicates: &[Predicate]) -> Hit {
        let Some(args) = self.args() else {
            return Hit::Unclear("the arguments cannot be read".to_owned());
        };
        if self.is_masked(at) {
            return Hit::Unclear(format!("{} is masked", at.as_str()));
        }
        let Some(value) = at.find(args) else {
            return match predicates {
                [Predicate::Exists(false)] => Hit::Yes(format!("{} is absent", at.as_str())),
                _ if predicates.iter().any(|predicate| matches!(predicate, Predicate::Exists(true))) => {
                    Hit::No
                }
                _ => Hit::Failed(format!("there is no {}", at.as_str())),
            };
        };
        let mut failed = None;
        for predicate in predicates {
            match predicate.holds(value) {
                Ok(true) => {}
                Ok(false) => return Hit::No,
                Err(why) => failed = Some(format!("{}: {why}", at.as_str())),
            }
        }
        if let Some(why) = failed {
            return Hit::Failed(why);
        }
        let shown: Vec<_> = predicates.iter().map(ToString::to_string).collect();
        Hit::Yes(format!("{} is {}", at.as_str(), shown.join(" and ")))
    }

    /// Whether a condition holds.
    pub(super) fn condition(&self, condition: &Condition) -> Hit {
        if (self.late)() {
            return Hit::Failed("the condition ran out of time".to_owned());
        }
        if let Some(masked) = self.masked.iter().find(|masked| condition.touches(masked)) {
            return Hit::Unclear(format!("the condition needs {}, which is masked", masked.as_str()));
        }
        match self.input.get_or_init(|| condition::input(self)) {
            Ok(input) => condition.evaluate(input),
            Err(why) => Hit::Failed(format!("condition failed: {why}")),
        }
    }
}

//! Matching single facts of a call: its operation, annotations, impact, arguments and conditions.

use super::{impact::Impact, predicate::Predicate};
use crate::{
    annotation::Wanted,
    condition::Condition,
    facts::Facts,
    outcome::{Effect, Hit},
    value::{Pointer, Value},
};

impl Facts<'_> {
    /// Whether the tool does one of those things. A rule that names neither tools nor places has nothing to
    /// say of a tool of which nobody knows what it does.
    pub(crate) fn operation(&self, wanted: &[String], effect: Effect, named: bool) -> Hit {
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

    pub(crate) fn annotation(&self, wanted: Wanted, effect: Effect) -> Hit {
        let matches = match effect {
            Effect::Widen => self.hints().is_known(wanted),
            Effect::Restrict => self.hints().may_be(wanted),
        };
        if matches { Hit::Yes(format!("{} is {}", wanted.hint.as_str(), wanted.value)) } else { Hit::No }
    }

    /// What an agent leaves unsaid makes nothing stricter; what it says in no known word does.
    pub(crate) fn impact_is(&self, wanted: &Impact) -> Hit {
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
    pub(crate) fn argument(&self, at: &Pointer, predicates: &[Predicate]) -> Hit {
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

    /// Evaluates a condition.
    pub(crate) fn condition(&self, condition: &Condition) -> Hit {
        if self.is_late() {
            return Hit::Failed("the condition ran out of time".to_owned());
        }
        if let Some(masked) = self.masked().iter().find(|masked| condition.touches(masked)) {
            return Hit::Unclear(format!("the condition needs {}, which is masked", masked.as_str()));
        }
        match self.condition_input() {
            Ok(input) => condition.evaluate(input),
            Err(why) => Hit::Failed(format!("condition failed: {why}")),
        }
    }
}

//! Matching single facts of a call: its operation, annotations, impact, arguments and conditions.

use super::{impact::ClaimedImpact, predicate::ArgumentPredicate};
use crate::{
    annotation::ExpectedHint,
    condition::CompiledCondition,
    facts::CallFacts,
    outcome::{RuleEffect, SelectorHit},
    value::{JsonPointer, OrderedValue},
};

impl CallFacts<'_> {
    /// Whether the tool does one of those things. A rule that names neither tools nor places has nothing to
    /// say of a tool of which nobody knows what it does.
    pub(crate) fn operation(&self, wanted: &[String], effect: RuleEffect, named: bool) -> SelectorHit {
        let operations = self.operations();
        let is_wanted = |operation: &&str| wanted.iter().any(|wanted| wanted == operation);
        let matches = match effect {
            RuleEffect::Widen => !operations.is_empty() && operations.iter().all(is_wanted),
            RuleEffect::Restrict => operations.iter().any(is_wanted),
        };
        if matches {
            SelectorHit::Yes(format!("operation `{}` matches", operations.join("`, `")))
        } else if operations.is_empty() && named {
            SelectorHit::Unclear(format!("nothing says which operation `{}` is", self.subject.tool))
        } else {
            SelectorHit::No
        }
    }

    pub(crate) fn annotation(&self, wanted: ExpectedHint, effect: RuleEffect) -> SelectorHit {
        let matches = match effect {
            RuleEffect::Widen => self.hints().is_known(wanted),
            RuleEffect::Restrict => self.hints().may_be(wanted),
        };
        if matches {
            SelectorHit::Yes(format!("{} is {}", wanted.hint.as_str(), wanted.value))
        } else {
            SelectorHit::No
        }
    }

    /// What an agent leaves unsaid makes nothing stricter; what it says in no known word does.
    pub(crate) fn impact_is(&self, wanted: &ClaimedImpact) -> SelectorHit {
        let Some(said) = self.impact() else { return SelectorHit::No };
        if let Some(reversible) = wanted.reversible {
            match said.get("reversible") {
                None | Some(OrderedValue::Null) => return SelectorHit::No,
                Some(OrderedValue::Bool(said)) if *said != reversible => return SelectorHit::No,
                Some(OrderedValue::Bool(_)) => {}
                Some(strange) => {
                    return SelectorHit::Failed(format!("impact's reversible is {}", strange.kind()));
                }
            }
        }
        if wanted.risk_levels.is_empty() {
            return SelectorHit::Yes("the agent's own words match".to_owned());
        }
        match said.get("riskLevel") {
            None | Some(OrderedValue::Null) => SelectorHit::No,
            Some(OrderedValue::Text(level)) if wanted.risk_levels.contains(level) => {
                SelectorHit::Yes(format!("the agent calls the risk {level}"))
            }
            Some(OrderedValue::Text(level))
                if ["low", "medium", "high", "critical"].contains(&level.as_str()) =>
            {
                SelectorHit::No
            }
            Some(_) => SelectorHit::Failed("impact's riskLevel is no known word".to_owned()),
        }
    }

    /// Whether an argument satisfies all predicates.
    pub(crate) fn argument(&self, at: &JsonPointer, predicates: &[ArgumentPredicate]) -> SelectorHit {
        let Some(args) = self.args() else {
            return SelectorHit::Unclear("the arguments cannot be read".to_owned());
        };
        if self.is_masked(at) {
            return SelectorHit::Unclear(format!("{} is masked", at.as_str()));
        }
        let Some(value) = at.find(args) else {
            return match predicates {
                [ArgumentPredicate::Exists(false)] => SelectorHit::Yes(format!("{} is absent", at.as_str())),
                _ if predicates
                    .iter()
                    .any(|predicate| matches!(predicate, ArgumentPredicate::Exists(true))) =>
                {
                    SelectorHit::No
                }
                _ => SelectorHit::Failed(format!("there is no {}", at.as_str())),
            };
        };
        let mut failed = None;
        for predicate in predicates {
            match predicate.holds(value) {
                Ok(true) => {}
                Ok(false) => return SelectorHit::No,
                Err(why) => failed = Some(format!("{}: {why}", at.as_str())),
            }
        }
        if let Some(why) = failed {
            return SelectorHit::Failed(why);
        }
        let shown: Vec<_> = predicates.iter().map(ToString::to_string).collect();
        SelectorHit::Yes(format!("{} is {}", at.as_str(), shown.join(" and ")))
    }

    /// Evaluates a condition.
    pub(crate) fn condition(&self, condition: &CompiledCondition) -> SelectorHit {
        if self.is_late() {
            return SelectorHit::Failed("the condition ran out of time".to_owned());
        }
        if let Some(masked) = self.masked().iter().find(|masked| condition.touches(masked)) {
            return SelectorHit::Unclear(format!("the condition needs {}, which is masked", masked.as_str()));
        }
        match self.condition_input() {
            Ok(input) => condition.evaluate(input),
            Err(why) => SelectorHit::Failed(format!("condition failed: {why}")),
        }
    }
}

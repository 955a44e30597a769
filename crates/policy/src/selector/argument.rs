//! Matches the operation, annotations, impact, arguments and conditions of a call.

use super::{impact::ClaimedImpact, predicate::ArgumentPredicate};
use crate::{
    RuleEffect,
    annotation::ExpectedHint,
    condition::CompiledCondition,
    facts::CallFacts,
    outcome::SelectorHit,
    value::{JsonPointer, OrderedValue},
};

impl CallFacts<'_> {
    /// Matches if the tool has one of the operations. A rule that names neither tools nor paths does not match a
    /// tool whose operation is unknown.
    pub(crate) fn match_operation(
        &self,
        expected: &[String],
        effect: RuleEffect,
        named: bool,
    ) -> SelectorHit {
        let operations = self.operations();
        let is_expected = |operation: &&str| expected.iter().any(|expected| expected == operation);
        let matches = match effect {
            RuleEffect::Widen => !operations.is_empty() && operations.iter().all(is_expected),
            RuleEffect::Restrict => operations.iter().any(is_expected),
        };
        if matches {
            SelectorHit::Yes(format!("operation `{}` matches", operations.join("`, `")))
        } else if operations.is_empty() && named {
            SelectorHit::Unclear(format!("the operation of `{}` is unknown", self.subject.tool))
        } else {
            SelectorHit::No
        }
    }

    pub(crate) fn match_annotation(&self, expected: ExpectedHint, effect: RuleEffect) -> SelectorHit {
        let matches = match effect {
            RuleEffect::Widen => self.hints().is_known(expected),
            RuleEffect::Restrict => self.hints().is_claimed(expected),
        };
        if matches {
            SelectorHit::Yes(format!("{} is {}", expected.hint.as_str(), expected.value))
        } else {
            SelectorHit::No
        }
    }

    /// An absent claim does not match. A claim with an unknown value counts as an error.
    pub(crate) fn match_impact(&self, expected: &ClaimedImpact) -> SelectorHit {
        let Some(claim) = self.impact() else { return SelectorHit::No };
        if let Some(reversible) = expected.reversible {
            match claim.get("reversible") {
                None | Some(OrderedValue::Null) => return SelectorHit::No,
                Some(OrderedValue::Bool(claimed)) if *claimed != reversible => return SelectorHit::No,
                Some(OrderedValue::Bool(_)) => {}
                Some(other) => {
                    return SelectorHit::Failed(format!(
                        "`impact.reversible` must be true or false, not {}",
                        other.kind()
                    ));
                }
            }
        }
        if expected.risk_levels.is_empty() {
            return SelectorHit::Yes("the impact that the agent claims matches".to_owned());
        }
        match claim.get("riskLevel") {
            None | Some(OrderedValue::Null) => SelectorHit::No,
            Some(OrderedValue::Text(level)) if expected.risk_levels.contains(level) => {
                SelectorHit::Yes(format!("the agent claims risk {level}"))
            }
            Some(OrderedValue::Text(level))
                if ["low", "medium", "high", "critical"].contains(&level.as_str()) =>
            {
                SelectorHit::No
            }
            Some(_) => {
                SelectorHit::Failed("`impact.riskLevel` must be low, medium, high or critical".to_owned())
            }
        }
    }

    /// Matches if the argument satisfies all predicates.
    pub(crate) fn match_argument(&self, at: &JsonPointer, predicates: &[ArgumentPredicate]) -> SelectorHit {
        let Some(args) = self.args() else {
            return SelectorHit::Unclear("the arguments cannot be read".to_owned());
        };
        if self.is_masked(at) {
            return SelectorHit::Unclear(format!("{} is masked", at.as_str()));
        }
        let Some(value) = at.find(args) else {
            return match predicates {
                [ArgumentPredicate::Exists(false)] => SelectorHit::Yes(format!("{} is absent", at.as_str())),
                _ if predicates.iter().any(|predicate| matches!(predicate, ArgumentPredicate::Optional)) => {
                    SelectorHit::Yes(format!("{} is absent", at.as_str()))
                }
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
            match predicate.is_satisfied_by(value) {
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

    /// The reason why a list of effects that the condition reads may lack some.
    fn find_open_list(&self, condition: &CompiledCondition) -> Option<String> {
        let is_open = |list: &&String| self.effects().list(list).is_open;
        let list = condition.effects.iter().find(is_open)?;
        Some(format!("`effects.{list}` may lack something that the call does not show"))
    }

    /// Evaluates a condition.
    pub(crate) fn match_condition(&self, condition: &CompiledCondition) -> SelectorHit {
        if self.is_late() {
            return SelectorHit::Failed("the condition ran out of time".to_owned());
        }
        if let Some(masked) = self.masked().iter().find(|masked| condition.reads(masked)) {
            return SelectorHit::Unclear(format!("the condition needs {}, which is masked", masked.as_str()));
        }
        match self.condition_input(condition) {
            Ok(input) => match condition.evaluate(input) {
                SelectorHit::No => {
                    self.find_open_list(condition).map_or(SelectorHit::No, SelectorHit::Unclear)
                }
                hit => hit,
            },
            Err(why) => SelectorHit::Failed(format!("condition failed: {why}")),
        }
    }
}

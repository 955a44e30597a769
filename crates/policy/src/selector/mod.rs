//! What a rule looks at. All selectors of a rule must hold; what cannot be known never loosens.

mod argument;
mod impact;
mod operand;
mod predicate;

pub(crate) use impact::ClaimedImpact;
pub(crate) use operand::PathZone;
pub(crate) use predicate::{ArgumentPredicate, contradiction};

use crate::{
    annotation::ExpectedHint,
    condition::CompiledCondition,
    facts::CallFacts,
    names::NameGlobs,
    outcome::{RuleEffect, SelectorHit},
    value::JsonPointer,
};
use countersign_patterns::{CommandPattern, PathPattern, UrlPattern};

/// The selectors of a rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleSelectors {
    pub(crate) tools: Option<NameGlobs>,
    pub(crate) threads: Option<NameGlobs>,
    pub(crate) principals: Option<NameGlobs>,
    pub(crate) annotations: Vec<ExpectedHint>,
    pub(crate) impact: Option<ClaimedImpact>,
    pub(crate) operations: Vec<String>,
    pub(crate) zone: Option<PathZone>,
    pub(crate) args: Vec<(JsonPointer, Vec<ArgumentPredicate>)>,
    pub(crate) commands: Vec<CommandPattern>,
    pub(crate) urls: Vec<UrlPattern>,
    pub(crate) paths: Vec<PathPattern>,
    pub(crate) when: Option<CompiledCondition>,
}

impl RuleSelectors {
    /// What they say together: one that does not hold settles it, and so the cheap ones come first.
    pub(crate) fn judge(&self, effect: RuleEffect, facts: &CallFacts<'_>) -> SelectorHit {
        let named = self.tools.is_some();
        let placed = named || self.zone.is_some() || !self.paths.is_empty();
        let subject = facts.subject;
        let looked_at = [
            ("tool", self.tools.as_ref(), subject.tool.as_str()),
            ("thread", self.threads.as_ref(), subject.thread.as_str()),
            ("principal", self.principals.as_ref(), subject.principal.as_str()),
        ];
        let looked_at = looked_at.iter().filter_map(|(what, names, name)| Some((what, (*names)?, name)));
        if looked_at.clone().any(|(_, names, name)| !names.is_match(name)) {
            return SelectorHit::No;
        }
        let mut all = All { effect, hit: SelectorHit::Yes(String::new()) };
        let settled = self.annotations.iter().any(|wanted| all.and(facts.annotation(*wanted, effect)))
            || self.impact.as_ref().is_some_and(|impact| all.and(facts.impact_is(impact)))
            || (!self.operations.is_empty() && all.and(facts.operation(&self.operations, effect, placed)))
            || self.zone.as_ref().is_some_and(|zone| all.and(facts.zone(zone, effect, named)))
            || self.args.iter().any(|(at, predicates)| all.and(facts.argument(at, predicates)))
            || (!self.paths.is_empty() && all.and(facts.paths(&self.paths, effect, named)))
            || (!self.urls.is_empty() && all.and(facts.urls(&self.urls, effect, named)))
            || (!self.commands.is_empty() && all.and(facts.commands(&self.commands, effect, named)))
            || self.when.as_ref().is_some_and(|when| all.and(facts.condition(when)));
        match all.hit {
            _ if settled => SelectorHit::No,
            // In words only now: most rules that look at a tool do not mean the call.
            SelectorHit::Yes(why) => {
                let shown = looked_at.map(|(what, _, name)| format!("{what} `{name}` matches"));
                SelectorHit::Yes(shown.chain((!why.is_empty()).then_some(why)).collect::<Vec<_>>().join(", "))
            }
            hit => hit,
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_none() && self.only_tools()
    }

    /// Whether there is none but the tool.
    pub(crate) fn only_tools(&self) -> bool {
        self.threads.is_none()
            && self.principals.is_none()
            && self.annotations.is_empty()
            && self.impact.is_none()
            && self.operations.is_empty()
            && self.zone.is_none()
            && self.args.is_empty()
            && self.commands.is_empty()
            && self.urls.is_empty()
            && self.paths.is_empty()
            && self.when.is_none()
    }
}

/// The selectors so far.
struct All {
    effect: RuleEffect,
    hit: SelectorHit,
}

impl All {
    /// Adds one; true if that settles it.
    fn and(&mut self, next: SelectorHit) -> bool {
        let so_far = std::mem::replace(&mut self.hit, SelectorHit::No);
        self.hit = match (so_far, next) {
            (SelectorHit::No, _) | (_, SelectorHit::No) => SelectorHit::No,
            (SelectorHit::Unclear(why), _) | (_, SelectorHit::Unclear(why)) => SelectorHit::Unclear(why),
            (SelectorHit::Failed(why), _) | (_, SelectorHit::Failed(why)) => SelectorHit::Failed(why),
            (SelectorHit::Yes(before), SelectorHit::Yes(why)) if before.is_empty() => SelectorHit::Yes(why),
            (SelectorHit::Yes(before), SelectorHit::Yes(why)) => SelectorHit::Yes(format!("{before}, {why}")),
        };
        if self.effect == RuleEffect::Widen && !matches!(self.hit, SelectorHit::Yes(_)) {
            self.hit = SelectorHit::No;
        }
        self.hit == SelectorHit::No
    }
}

//! What a rule looks at. All selectors of a rule must hold; what cannot be known never loosens.

mod argument;
mod impact;
mod operand;
mod predicate;

pub(crate) use impact::Impact;
pub(crate) use operand::Zone;
pub(crate) use predicate::{Predicate, contradiction};

use crate::{
    annotation::Wanted,
    condition::Condition,
    facts::Facts,
    names::Names,
    outcome::{Effect, Hit},
    value::Pointer,
};
use countersign_patterns::{CommandPattern, PathPattern, UrlPattern};

/// The selectors of a rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selectors {
    pub(crate) tools: Option<Names>,
    pub(crate) threads: Option<Names>,
    pub(crate) principals: Option<Names>,
    pub(crate) annotations: Vec<Wanted>,
    pub(crate) impact: Option<Impact>,
    pub(crate) operations: Vec<String>,
    pub(crate) zone: Option<Zone>,
    pub(crate) args: Vec<(Pointer, Vec<Predicate>)>,
    pub(crate) commands: Vec<CommandPattern>,
    pub(crate) urls: Vec<UrlPattern>,
    pub(crate) paths: Vec<PathPattern>,
    pub(crate) when: Option<Condition>,
}

impl Selectors {
    /// What they say together: one that does not hold settles it, and so the cheap ones come first.
    pub(crate) fn judge(&self, effect: Effect, facts: &Facts<'_>) -> Hit {
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
            return Hit::No;
        }
        let mut all = All { effect, hit: Hit::Yes(String::new()) };
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
            _ if settled => Hit::No,
            // In words only now: most rules that look at a tool do not mean the call.
            Hit::Yes(why) => {
                let shown = looked_at.map(|(what, _, name)| format!("{what} `{name}` matches"));
                Hit::Yes(shown.chain((!why.is_empty()).then_some(why)).collect::<Vec<_>>().join(", "))
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
    effect: Effect,
    hit: Hit,
}

impl All {
    /// Adds one; true if that settles it.
    fn and(&mut self, next: Hit) -> bool {
        let so_far = std::mem::replace(&mut self.hit, Hit::No);
        self.hit = match (so_far, next) {
            (Hit::No, _) | (_, Hit::No) => Hit::No,
            (Hit::Unclear(why), _) | (_, Hit::Unclear(why)) => Hit::Unclear(why),
            (Hit::Failed(why), _) | (_, Hit::Failed(why)) => Hit::Failed(why),
            (Hit::Yes(before), Hit::Yes(why)) if before.is_empty() => Hit::Yes(why),
            (Hit::Yes(before), Hit::Yes(why)) => Hit::Yes(format!("{before}, {why}")),
        };
        if self.effect == Effect::Widen && !matches!(self.hit, Hit::Yes(_)) {
            self.hit = Hit::No;
        }
        self.hit == Hit::No
    }
}

//! What a rule looks at. All selectors of a rule must hold; what cannot be known never loosens.

mod operand;
mod predicate;

pub(super) use operand::{Kind, Mapping, Operands, Zone, address, place, script};
pub(super) use predicate::{Predicate, contradiction};

use super::{condition::Condition, facts::Facts, hints::Wanted, value::Pointer};
use countersign_patterns::{CommandPattern, PathPattern, UrlPattern};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Which way a match works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// As of an allow: every operand must match, and what cannot be known does not.
    Widen,
    /// As of a block: any operand is enough, and what cannot be known matches.
    Restrict,
}

impl Effect {
    /// What an exception from it does.
    pub(super) const fn inverse(self) -> Self {
        match self {
            Self::Widen => Self::Restrict,
            Self::Restrict => Self::Widen,
        }
    }
}

/// What a selector says of a call, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hit {
    /// It holds.
    Yes(String),
    /// It does not.
    No,
    /// A command, an address or a path that cannot be read, or a value that is masked.
    Unclear(String),
    /// A missing or strange value, or a condition that fails: an error, and errors never widen.
    Failed(String),
}

/// Globs over names, any of which is enough.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) patterns: Vec<String>,
    /// Those of them that are not just a name: most are, and comparing is a good deal quicker.
    globs: GlobSet,
}

impl Names {
    pub(super) fn new(patterns: Vec<String>) -> Result<Self, globset::Error> {
        let mut globs = GlobSetBuilder::new();
        for pattern in patterns.iter().filter(|pattern| !is_literal(pattern)) {
            globs.add(GlobBuilder::new(pattern).build()?);
        }
        Ok(Self { patterns, globs: globs.build()? })
    }

    pub(super) fn is_match(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern == name && is_literal(pattern))
            || !self.globs.is_empty() && self.globs.is_match(name)
    }
}

/// Whether a glob matches nothing but itself.
pub(super) fn is_literal(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{', '\\'])
}

/// What an agent says of its call, as a rule looks at it.
#[derive(Debug, Clone, Default)]
pub(super) struct Impact {
    pub(super) risk_levels: Vec<String>,
    pub(super) reversible: Option<bool>,
}

/// The selectors of a rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Selectors {
    pub(super) tools: Option<Names>,
    pub(super) threads: Option<Names>,
    pub(super) principals: Option<Names>,
    pub(super) annotations: Vec<Wanted>,
    pub(super) impact: Option<Impact>,
    pub(super) operations: Vec<String>,
    pub(super) zone: Option<Zone>,
    pub(super) args: Vec<(Pointer, Vec<Predicate>)>,
    pub(super) commands: Vec<CommandPattern>,
    pub(super) urls: Vec<UrlPattern>,
    pub(super) paths: Vec<PathPattern>,
    pub(super) when: Option<Condition>,
}

impl Selectors {
    /// What they say together: one that does not hold settles it, and so the cheap ones come first.
    pub(super) fn judge(&self, effect: Effect, facts: &Facts<'_>) -> Hit {
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
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_none() && self.only_tools()
    }

    /// Whether there is none but the tool.
    pub(super) fn only_tools(&self) -> bool {
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

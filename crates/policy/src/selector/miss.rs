//! The one selector that keeps a rule from allowing a call, in words.

use super::RuleSelectors;
use crate::{RuleEffect, condition::CompiledCondition, facts::CallFacts, outcome::SelectorHit};
use countersign_patterns::{PathPattern, UrlPattern};

/// What keeps a rule from allowing a call.
pub(crate) enum SelectorMiss {
    /// Nothing does.
    Nothing,
    /// One selector, with the reason.
    One(String),
    /// Several selectors, or one that has nothing to do with the content of the call.
    More,
}

impl RuleSelectors {
    /// Whether the rule names the call's tool, or its kind, or commands if the call has some.
    pub(crate) fn is_about(&self, facts: &CallFacts<'_>) -> bool {
        let tool = facts.subject.tool.as_str();
        let names_tool =
            self.tools.as_ref().is_some_and(|tools| !tools.patterns.iter().any(|pattern| pattern == "*"));
        let has_commands = !self.commands.is_empty() && !facts.commands().found.is_empty();
        let is_of_kind = self.kinds.iter().any(|kind| kind.includes(tool, RuleEffect::Widen));
        self.matches_names(&facts.subject)
            && (self.kinds.is_empty() || is_of_kind)
            && (names_tool || is_of_kind || has_commands)
    }

    /// Finds what keeps the selectors, apart from the commands, from allowing a call of a tool that they are about.
    pub(crate) fn find_miss(&self, facts: &CallFacts<'_>) -> SelectorMiss {
        let misses: Vec<Option<String>> = self.misses(facts).collect();
        match misses.as_slice() {
            [] => match self.describe_unnamed(facts) {
                Some(arguments) => SelectorMiss::One(format!("{arguments} may change what runs")),
                None => SelectorMiss::Nothing,
            },
            [Some(only)] => SelectorMiss::One(only.clone()),
            _ => SelectorMiss::More,
        }
    }

    /// One value for each selector that does not match, with the reason if it is about the content of the call.
    fn misses(&self, facts: &CallFacts<'_>) -> impl Iterator<Item = Option<String>> {
        let effect = RuleEffect::Widen;
        let others = [
            self.place.as_ref().map(|place| place.match_place(facts.subject.place)),
            self.impact.as_ref().map(|impact| facts.match_impact(impact)),
            self.zone.as_ref().map(|zone| facts.match_zone(zone, effect, true)),
            (!self.operations.is_empty()).then(|| facts.match_operation(&self.operations, effect, true)),
        ];
        let hints = self.annotations.iter().map(move |wanted| Some(facts.match_annotation(*wanted, effect)));
        let content = [
            (!self.paths.is_empty()).then(|| {
                let hit = facts.match_paths(self.path_selector(), effect, true);
                (hit, format!("its path is not {}", join_or(self.paths.iter().map(PathPattern::as_str))))
            }),
            (!self.urls.is_empty()).then(|| {
                let hit = facts.match_urls(&self.urls, effect, true);
                (hit, format!("its URL is not {}", join_or(self.urls.iter().map(UrlPattern::as_str))))
            }),
            self.inside.as_ref().map(|inside| facts.match_inside(inside)),
            self.when.as_ref().map(|when: &CompiledCondition| {
                (facts.match_condition(when), "its `when` is not true".to_owned())
            }),
        ];
        let arguments = self.args.iter().map(move |(at, predicates)| {
            let shown: Vec<_> = predicates.iter().map(ToString::to_string).collect();
            let why = format!("`{}` is not {}", at.as_str(), shown.join(" and "));
            Some((facts.match_argument(at, predicates), why))
        });
        let others = others.into_iter().chain(hints).flatten().filter(|hit| !is_match(hit)).map(|_| None);
        let content = content.into_iter().chain(arguments).flatten().filter(|(hit, _)| !is_match(hit));
        others.chain(content.map(|(hit, why)| {
            Some(match hit {
                SelectorHit::Unclear(why) | SelectorHit::Failed(why) => why,
                SelectorHit::Yes(_) | SelectorHit::No => why,
            })
        }))
    }
}

fn is_match(hit: &SelectorHit) -> bool {
    matches!(hit, SelectorHit::Yes(_))
}

/// A few patterns, as text.
fn join_or<'a>(patterns: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 2;
    let more = if patterns.len() > SHOWN { " or another that it names" } else { "" };
    let shown: Vec<_> = patterns.take(SHOWN).map(|pattern| format!("`{pattern}`")).collect();
    format!("{}{more}", shown.join(" or "))
}

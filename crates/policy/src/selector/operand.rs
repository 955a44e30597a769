//! Matching commands, addresses and paths with patterns and zones.

use crate::{
    facts::CallFacts,
    outcome::{RuleEffect, SelectorHit},
    tools::OperandKind,
};
use countersign_patterns::{CommandPattern, MatchAnswer, ParsedPath, PathPattern, UrlPattern, command};

/// A place in the tree of files.
#[derive(Debug, Clone)]
pub(crate) struct PathZone {
    pub(crate) name: String,
    pub(crate) root: ParsedPath,
}

impl CallFacts<'_> {
    /// Whether the commands match.
    pub(crate) fn commands(
        &self,
        patterns: &[CommandPattern],
        effect: RuleEffect,
        named: bool,
    ) -> SelectorHit {
        let shown = || list(patterns.iter().map(CommandPattern::as_str));
        self.scripts().judge(OperandKind::Command, effect, named, |(text, script)| {
            let answer = match effect {
                RuleEffect::Widen => command::match_every(patterns, script),
                RuleEffect::Restrict => command::match_any(patterns, script),
            };
            self.hit(answer, OperandKind::Command, text, shown)
        })
    }

    /// Whether the addresses match.
    pub(crate) fn urls(&self, patterns: &[UrlPattern], effect: RuleEffect, named: bool) -> SelectorHit {
        let shown = || list(patterns.iter().map(UrlPattern::as_str));
        self.addresses().judge(OperandKind::Url, effect, named, |url| {
            let answer = best(patterns.iter().map(|pattern| pattern.matches(url)));
            self.hit(answer, OperandKind::Url, url.as_str(), shown)
        })
    }

    /// Whether the paths match.
    pub(crate) fn paths(&self, patterns: &[PathPattern], effect: RuleEffect, named: bool) -> SelectorHit {
        let shown = || list(patterns.iter().map(PathPattern::as_str));
        self.places().judge(OperandKind::Path, effect, named, |path| {
            let answer = best(patterns.iter().map(|pattern| pattern.matches(path)));
            self.hit(answer, OperandKind::Path, path.as_str(), shown)
        })
    }

    /// Whether the paths are in a zone.
    pub(crate) fn zone(&self, zone: &PathZone, effect: RuleEffect, named: bool) -> SelectorHit {
        self.places().judge(OperandKind::Path, effect, named, |path| {
            let text = || self.shown(path.as_str());
            match path.is_within(&zone.root) {
                MatchAnswer::Yes => SelectorHit::Yes(format!("path `{}` is in zone `{}`", text(), zone.name)),
                MatchAnswer::No => SelectorHit::No,
                MatchAnswer::Unclear => {
                    SelectorHit::Unclear(format!("nobody can say where path `{}` leads", text()))
                }
            }
        })
    }
}

impl CallFacts<'_> {
    fn hit(
        &self,
        answer: MatchAnswer,
        kind: OperandKind,
        text: &str,
        shown: impl Fn() -> String,
    ) -> SelectorHit {
        match answer {
            MatchAnswer::Yes => SelectorHit::Yes(format!("{} {} matches", kind.as_str(), shown())),
            MatchAnswer::No => SelectorHit::No,
            MatchAnswer::Unclear => SelectorHit::Unclear(format!(
                "{} `{}` cannot be read for sure",
                kind.as_str(),
                self.shown(text)
            )),
        }
    }

    /// As much of it as a sentence can hold. Nobody knows half of a secret for one any more, so all of them go before.
    fn shown(&self, text: &str) -> String {
        short(self.redactor().redact_text(text).as_deref().unwrap_or(text))
    }
}

/// One pattern that matches is enough; one that cannot say leaves it open.
fn best(answers: impl Iterator<Item = MatchAnswer>) -> MatchAnswer {
    answers.fold(MatchAnswer::No, |so_far, answer| match (so_far, answer) {
        (MatchAnswer::Yes, _) | (_, MatchAnswer::Yes) => MatchAnswer::Yes,
        (MatchAnswer::Unclear, _) | (_, MatchAnswer::Unclear) => MatchAnswer::Unclear,
        (MatchAnswer::No, MatchAnswer::No) => MatchAnswer::No,
    })
}

fn list<'a>(patterns: impl Iterator<Item = &'a str>) -> String {
    patterns.map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(" or ")
}

/// As much of a text as a sentence can hold, without anything that could not be shown.
pub(crate) fn short(text: &str) -> String {
    let shown: String = text.chars().take(80).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if shown.chars().count() < text.chars().count() { format!("{shown}…") } else { shown }
}

//! Matches commands, URLs and paths with patterns and zones.

use crate::{RuleEffect, facts::CallFacts, outcome::SelectorHit, tools::OperandKind};
use countersign_patterns::{CommandPattern, MatchAnswer, ParsedPath, PathPattern, UrlPattern};

/// A named folder of the file system.
#[derive(Debug, Clone)]
pub(crate) struct PathZone {
    pub(crate) name: String,
    pub(crate) root: ParsedPath,
}

impl CallFacts<'_> {
    /// Matches the commands.
    pub(crate) fn match_commands(
        &self,
        patterns: &[CommandPattern],
        effect: RuleEffect,
        named: bool,
    ) -> SelectorHit {
        let shown = || format_patterns(patterns.iter().map(CommandPattern::as_str));
        self.commands().match_all(OperandKind::Command, effect, named, |command| {
            let answer = command.match_patterns(patterns, effect);
            self.pattern_hit(answer, OperandKind::Command, &command.text, shown)
        })
    }

    /// Matches the URLs.
    pub(crate) fn match_urls(&self, patterns: &[UrlPattern], effect: RuleEffect, named: bool) -> SelectorHit {
        let shown = || format_patterns(patterns.iter().map(UrlPattern::as_str));
        self.urls().match_all(OperandKind::Url, effect, named, |url| {
            let answer = any_match(patterns.iter().map(|pattern| pattern.matches(url)));
            self.pattern_hit(answer, OperandKind::Url, url.as_str(), shown)
        })
    }

    /// Matches the paths.
    pub(crate) fn match_paths(
        &self,
        patterns: &[PathPattern],
        effect: RuleEffect,
        named: bool,
    ) -> SelectorHit {
        let shown = || format_patterns(patterns.iter().map(PathPattern::as_str));
        self.paths().match_all(OperandKind::Path, effect, named, |path| {
            let answer = any_match(patterns.iter().map(|pattern| pattern.matches(path)));
            self.pattern_hit(answer, OperandKind::Path, path.as_str(), shown)
        })
    }

    /// Matches if the paths are in the zone.
    pub(crate) fn match_zone(&self, zone: &PathZone, effect: RuleEffect, named: bool) -> SelectorHit {
        self.paths().match_all(OperandKind::Path, effect, named, |path| {
            let text = || self.redact_and_shorten(path.as_str());
            match path.is_within(&zone.root) {
                MatchAnswer::Yes => SelectorHit::Yes(format!("path `{}` is in zone `{}`", text(), zone.name)),
                MatchAnswer::No => SelectorHit::No,
                MatchAnswer::Unclear => {
                    SelectorHit::Unclear(format!("the target of path `{}` is unknown", text()))
                }
            }
        })
    }
}

impl CallFacts<'_> {
    fn pattern_hit(
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
                "{} `{}` cannot be read with certainty",
                kind.as_str(),
                self.redact_and_shorten(text)
            )),
        }
    }

    /// Redacts and shortens a string for a reason. Redaction comes first, because it cannot recognise half a secret.
    fn redact_and_shorten(&self, text: &str) -> String {
        shorten(self.redactor().redact_text(text).as_deref().unwrap_or(text))
    }
}

/// Combines the answers of several patterns: one match is enough, and otherwise one unclear answer makes the result
/// unclear.
pub(super) fn any_match(answers: impl Iterator<Item = MatchAnswer>) -> MatchAnswer {
    answers.fold(MatchAnswer::No, |so_far, answer| match (so_far, answer) {
        (MatchAnswer::Yes, _) | (_, MatchAnswer::Yes) => MatchAnswer::Yes,
        (MatchAnswer::Unclear, _) | (_, MatchAnswer::Unclear) => MatchAnswer::Unclear,
        (MatchAnswer::No, MatchAnswer::No) => MatchAnswer::No,
    })
}

pub(crate) fn format_patterns<'a>(patterns: impl Iterator<Item = &'a str>) -> String {
    patterns.map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(" or ")
}

/// Shortens a string for a reason, and replaces control characters.
fn shorten(text: &str) -> String {
    let shown: String = text.chars().take(80).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if shown.chars().count() < text.chars().count() { format!("{shown}…") } else { shown }
}

//! Matches commands, URLs and paths with patterns and zones.

use crate::{
    RuleEffect, command_operand::CommandMatch, facts::CallFacts, harmless::ToolKind, outcome::SelectorHit,
    tools::OperandKind,
};
use countersign_patterns::{
    CommandPattern, MatchAnswer, ParsedPath, PathPattern, UrlPattern, command::PathAccess,
};

/// The paths that a rule matches.
#[derive(Clone, Copy)]
pub(crate) struct PathSelector<'a> {
    pub(crate) patterns: &'a [PathPattern],
    /// What a call may do with the paths, for a rule that restricts. Empty: anything.
    pub(crate) accesses: &'a [PathAccess],
}

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
        way: CommandMatch,
        named: bool,
    ) -> SelectorHit {
        let shown = || format_patterns(patterns.iter().map(CommandPattern::as_str));
        self.commands().match_all(OperandKind::Command, way.effect, named, |command| {
            let answer = command.match_patterns(patterns, way);
            match self.pattern_hit(answer, OperandKind::Command, &command.text, shown) {
                SelectorHit::Unclear(text) => SelectorHit::Unclear(match command.explain_unreadable() {
                    Some(why) => format!("{text} ({why})"),
                    None => text,
                }),
                hit => hit,
            }
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

    /// Matches the paths. A rule that restricts also looks at those in commands.
    pub(crate) fn match_paths(
        &self,
        selector: PathSelector<'_>,
        effect: RuleEffect,
        named: bool,
    ) -> SelectorHit {
        let patterns = selector.patterns;
        let shown = || format_patterns(patterns.iter().map(PathPattern::as_str));
        let in_commands = match effect {
            RuleEffect::Restrict => self.match_paths_in_commands(selector),
            RuleEffect::Widen => SelectorHit::No,
        };
        let has_access = selector.accesses.is_empty()
            || self.path_access() == PathAccess::Unknown
            || selector.accesses.contains(&self.path_access());
        let has_commands = !self.commands().found.is_empty();
        if matches!(in_commands, SelectorHit::Yes(_))
            || !has_access
            || has_commands && self.paths().found.is_empty()
        {
            return in_commands;
        }
        let own = self.paths().match_all(OperandKind::Path, effect, named, |path| {
            let answer = any_match(patterns.iter().map(|pattern| pattern.matches(path)));
            self.pattern_hit(answer, OperandKind::Path, path.as_str(), shown)
        });
        if own == SelectorHit::No { in_commands } else { own }
    }

    fn match_paths_in_commands(&self, selector: PathSelector<'_>) -> SelectorHit {
        let every = [PathAccess::Read, PathAccess::List, PathAccess::Write, PathAccess::Delete];
        let accesses: &[_] = if selector.accesses.is_empty() { &every } else { selector.accesses };
        let shown = || format_patterns(selector.patterns.iter().map(PathPattern::as_str));
        let mut unclear = SelectorHit::No;
        for (command, paths) in self.commands().found.iter().zip(self.word_paths()) {
            match any_match(paths.iter().map(|path| path.match_patterns(selector.patterns, accesses))) {
                MatchAnswer::Yes => {
                    return SelectorHit::Yes(format!("a path in the command matches {}", shown()));
                }
                MatchAnswer::Unclear => {
                    let text = self.redact_and_shorten(&command.text);
                    unclear =
                        SelectorHit::Unclear(format!("a path in command `{text}` may match {}", shown()));
                }
                MatchAnswer::No => {}
            }
        }
        unclear
    }

    /// What the tool does with the paths among its arguments.
    fn path_access(&self) -> PathAccess {
        let is_kind = |kind: ToolKind| kind.includes(self.subject.tool.as_str(), RuleEffect::Widen);
        match (is_kind(ToolKind::Read), is_kind(ToolKind::Edit)) {
            (true, false) => PathAccess::Read,
            (false, true) => PathAccess::Write,
            _ => PathAccess::Unknown,
        }
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
    pub(crate) fn redact_and_shorten(&self, text: &str) -> String {
        shorten(self.redactor().redact_text(text).as_deref().unwrap_or(text))
    }
}

/// Combines the answers of several patterns: one match is enough, and otherwise one unclear answer makes the result
/// unclear.
pub(super) fn any_match(answers: impl Iterator<Item = MatchAnswer>) -> MatchAnswer {
    answers.fold(MatchAnswer::No, MatchAnswer::or)
}

/// The first patterns of a list in words: a reason with hundreds of them would explain nothing.
pub(crate) fn format_patterns<'a>(patterns: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 5;
    let more = patterns.len().saturating_sub(MOST);
    let mut shown: Vec<_> = patterns.take(MOST).map(|pattern| format!("`{pattern}`")).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(" or ")
}

/// Shortens a string for a reason. Line breaks and tabs become blanks, and other control characters are replaced.
fn shorten(text: &str) -> String {
    let show = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        _ if c.is_control() => '\u{FFFD}',
        _ => c,
    };
    let shown: String = text.chars().take(80).map(show).collect();
    if shown.chars().count() < text.chars().count() { format!("{shown}…") } else { shown }
}

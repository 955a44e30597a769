//! Matching commands, addresses and paths with patterns and zones.

use crate::{
    facts::Facts,
    outcome::{Effect, Hit},
    tools::Kind,
};
use countersign_patterns::{Answer, CommandPattern, PathPattern, Place, UrlPattern, command};

/// A place in the tree of files.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    pub(crate) name: String,
    pub(crate) root: Place,
}

impl Facts<'_> {
    /// Whether the commands match.
    pub(crate) fn commands(&self, patterns: &[CommandPattern], effect: Effect, named: bool) -> Hit {
        let shown = || list(patterns.iter().map(CommandPattern::as_str));
        self.scripts().judge(Kind::Command, effect, named, |(text, script)| {
            let answer = match effect {
                Effect::Widen => command::every(patterns, script),
                Effect::Restrict => command::any(patterns, script),
            };
            self.hit(answer, Kind::Command, text, shown)
        })
    }

    /// Whether the addresses match.
    pub(crate) fn urls(&self, patterns: &[UrlPattern], effect: Effect, named: bool) -> Hit {
        let shown = || list(patterns.iter().map(UrlPattern::as_str));
        self.addresses().judge(Kind::Url, effect, named, |url| {
            let answer = best(patterns.iter().map(|pattern| pattern.matches(url)));
            self.hit(answer, Kind::Url, url.as_str(), shown)
        })
    }

    /// Whether the paths match.
    pub(crate) fn paths(&self, patterns: &[PathPattern], effect: Effect, named: bool) -> Hit {
        let shown = || list(patterns.iter().map(PathPattern::as_str));
        self.places().judge(Kind::Path, effect, named, |path| {
            let answer = best(patterns.iter().map(|pattern| pattern.matches(path)));
            self.hit(answer, Kind::Path, path.as_str(), shown)
        })
    }

    /// Whether the paths are in a zone.
    pub(crate) fn zone(&self, zone: &Zone, effect: Effect, named: bool) -> Hit {
        self.places().judge(Kind::Path, effect, named, |path| {
            let text = || self.shown(path.as_str());
            match path.is_within(&zone.root) {
                Answer::Yes => Hit::Yes(format!("path `{}` is in zone `{}`", text(), zone.name)),
                Answer::No => Hit::No,
                Answer::Unclear => Hit::Unclear(format!("nobody can say where path `{}` leads", text())),
            }
        })
    }
}

impl Facts<'_> {
    fn hit(&self, answer: Answer, kind: Kind, text: &str, shown: impl Fn() -> String) -> Hit {
        match answer {
            Answer::Yes => Hit::Yes(format!("{} {} matches", kind.as_str(), shown())),
            Answer::No => Hit::No,
            Answer::Unclear => {
                Hit::Unclear(format!("{} `{}` cannot be read for sure", kind.as_str(), self.shown(text)))
            }
        }
    }

    /// As much of it as a sentence can hold. Nobody knows half of a secret for one any more, so all of them go before.
    fn shown(&self, text: &str) -> String {
        short(self.redactor().text(text).as_deref().unwrap_or(text))
    }
}

/// One pattern that matches is enough; one that cannot say leaves it open.
fn best(answers: impl Iterator<Item = Answer>) -> Answer {
    answers.fold(Answer::No, |so_far, answer| match (so_far, answer) {
        (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
        (Answer::Unclear, _) | (_, Answer::Unclear) => Answer::Unclear,
        (Answer::No, Answer::No) => Answer::No,
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

//! Commands, addresses and paths: where they stand among the arguments, and which of them match.

use super::{Effect, Hit, Names};
use crate::{
    facts::Facts,
    value::{Pointer, Value},
};
use countersign_patterns as pattern;
use countersign_patterns::{Address, Answer, CommandPattern, PathPattern, Place, Script, UrlPattern};

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Command,
    Url,
    Path,
}

impl Kind {
    /// Where tools commonly keep it, when nothing is said of a tool.
    pub(crate) const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Command => &["/command", "/cmd", "/script"],
            Self::Url => &["/url", "/uri", "/href"],
            Self::Path => &[
                "/path",
                "/file_path",
                "/filePath",
                "/file",
                "/filename",
                "/directory",
                "/dir",
                "/source",
                "/destination",
                "/paths/*",
            ],
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Url => "url",
            Self::Path => "path",
        }
    }
}

/// What the policy says of tools: where their operands stand, and what they do.
#[derive(Debug, Clone)]
pub(crate) struct Mapping {
    pub(crate) tools: Names,
    pub(crate) operation: Option<String>,
    pub(crate) commands: Vec<Pointer>,
    pub(crate) urls: Vec<Pointer>,
    pub(crate) paths: Vec<Pointer>,
    pub(crate) idempotent: Option<bool>,
}

impl Mapping {
    pub(crate) fn pointers(&self, kind: Kind) -> &[Pointer] {
        match kind {
            Kind::Command => &self.commands,
            Kind::Url => &self.urls,
            Kind::Path => &self.paths,
        }
    }
}

/// A place in the tree of files.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    pub(crate) name: String,
    pub(crate) root: Place,
}

/// The operands of one kind that a call has.
#[derive(Debug)]
pub(crate) struct Operands<T> {
    pub(crate) found: Vec<T>,
    /// Why not all of them are known, if so.
    pub(crate) trouble: Option<Hit>,
    /// Whether the policy says where they stand.
    pub(crate) mapped: bool,
}

impl<T> Operands<T> {
    /// Finds them, and makes of each text what matchers want.
    pub(crate) fn find(facts: &Facts<'_>, kind: Kind, make: impl Fn(&Value) -> Option<T>) -> Self {
        let (pointers, mapped) = facts.pointers(kind);
        let mut operands = Self { found: Vec::new(), trouble: None, mapped };
        let Some(args) = facts.args() else {
            operands.trouble = Some(Hit::Unclear("the arguments cannot be read".to_owned()));
            return operands;
        };
        for pointer in pointers {
            if facts.is_masked(&pointer) {
                operands.trouble = Some(Hit::Unclear(format!("{} is masked", pointer.as_str())));
            }
            if pointer.strays(args) {
                let why = format!("something else stands where {} leads through", pointer.as_str());
                operands.trouble.get_or_insert(Hit::Failed(why));
            }
            for value in pointer.find_all(args).into_iter().filter(|value| **value != Value::Null) {
                operands.add(kind, value, &make);
            }
        }
        operands
    }

    fn add(&mut self, kind: Kind, value: &Value, make: &impl Fn(&Value) -> Option<T>) {
        match (kind, value) {
            // Each element counts; but a command that is a list is one command and its arguments.
            (Kind::Url | Kind::Path, Value::List(values)) if !values.is_empty() => {
                for value in values {
                    self.add_one(kind, value, make);
                }
            }
            _ => self.add_one(kind, value, make),
        }
    }

    fn add_one(&mut self, kind: Kind, value: &Value, make: &impl Fn(&Value) -> Option<T>) {
        match make(value) {
            Some(operand) => self.found.push(operand),
            None if self.trouble.is_some() => {}
            None => {
                let why = format!("the {} is {}, which cannot be matched", kind.as_str(), value.kind());
                self.trouble = Some(Hit::Failed(why));
            }
        }
    }

    /// What a selector says of them, which asks `matches` about each. A rule that names no tools has nothing
    /// to say of a tool that has no such operand.
    fn judge(&self, kind: Kind, effect: Effect, named: bool, matches: impl Fn(&T) -> Hit) -> Hit {
        if self.found.is_empty() && self.trouble.is_none() {
            let spoken_of = named || self.mapped;
            let missing = || Hit::Failed(format!("the call has no {}", kind.as_str()));
            return if spoken_of { missing() } else { Hit::No };
        }
        let mut worst = self.trouble.clone();
        let mut last = Hit::No;
        for operand in &self.found {
            match (matches(operand), effect) {
                (Hit::Yes(why), Effect::Restrict) => return Hit::Yes(why),
                (Hit::No, Effect::Widen) => return Hit::No,
                (Hit::Unclear(why) | Hit::Failed(why), _) => worst = worst.or(Some(Hit::Unclear(why))),
                (hit, _) => last = hit,
            }
        }
        worst.unwrap_or(last)
    }
}

/// A URL that is a string.
pub(crate) fn address(value: &Value) -> Option<Address> {
    value.text().map(Address::read)
}

/// A path that is a string.
pub(crate) fn place(value: &Value) -> Option<Place> {
    value.text().map(Place::read)
}

/// A script, or one simple command given word by word.
pub(crate) fn script(value: &Value) -> Option<(String, Script)> {
    let text = match value {
        Value::Text(text) => text.clone(),
        Value::List(words) if !words.is_empty() => {
            let words: Option<Vec<_>> = words.iter().map(|word| word.text().map(quoted)).collect();
            words?.join(" ")
        }
        _ => return None,
    };
    let script = Script::parse(&text);
    Some((text, script))
}

/// A word as a shell reads it, to the letter.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Facts<'_> {
    /// Whether the commands match.
    pub(crate) fn commands(&self, patterns: &[CommandPattern], effect: Effect, named: bool) -> Hit {
        let shown = || list(patterns.iter().map(CommandPattern::as_str));
        self.scripts().judge(Kind::Command, effect, named, |(text, script)| {
            let answer = match effect {
                Effect::Widen => pattern::command::every(patterns, script),
                Effect::Restrict => pattern::command::any(patterns, script),
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

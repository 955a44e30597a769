//! The walk through a JSON text: values under sensitive keys and secrets inside of strings are
//! rewritten, all other bytes are copied.

use super::{
    MASK,
    keys::{KeyJudgement, is_count},
    patterns::SecretPatterns,
    program::{self, NamedProgram},
    tape::{self, TapeKind, TapeNode},
    text,
};
use countersign_events::json::{MAX_DEPTH, unquote};
use serde_json::value::RawValue;
use std::{borrow::Cow, ops::Range};

/// How many bytes of pointers are enough: a long key above many secrets would fill the memory.
const MAX_POINTERS: usize = 1024 * 1024;

/// Rounds after which a text that still has secrets is masked as a whole.
const MAX_ROUNDS: usize = 8;

/// Whether the string is an object or an array of JSON itself.
pub(super) fn holds_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The JSON text without its secrets, and pointers to where they were; `None` if there are none.
pub(super) fn redact(secrets: &SecretPatterns, text: &str, depth: usize) -> Option<(String, Vec<String>)> {
    let nodes = tape::read(text);
    let mut walk = RedactionWalk {
        secrets,
        text,
        nodes: &nodes,
        out: String::new(),
        copied: 0,
        pointer: String::new(),
        pointers: Vec::new(),
        named: 0,
        depth,
    };
    if !nodes.is_empty() {
        walk.value(0, ValueContext::default());
    }
    if walk.pointers.is_empty() {
        return None;
    }
    walk.out.push_str(&text[walk.copied..]);
    Some((walk.out, walk.pointers))
}

/// What the values around one say about it.
#[derive(Debug, Clone, Copy, Default)]
struct ValueContext {
    in_array: bool,
    program: Option<NamedProgram>,
}

struct RedactionWalk<'a> {
    secrets: &'a SecretPatterns,
    text: &'a str,
    nodes: &'a [TapeNode],
    out: String,
    /// How much of the text stands in `out` already.
    copied: usize,
    pointer: String,
    pointers: Vec<String>,
    /// How many bytes the pointers have.
    named: usize,
    depth: usize,
}

impl<'a> RedactionWalk<'a> {
    fn value(&mut self, index: usize, around: ValueContext) {
        match self.nodes[index].kind {
            // Whatever is in there, nobody looked at it.
            TapeKind::Object | TapeKind::Array if self.depth >= MAX_DEPTH => self.mask(index),
            TapeKind::Object => self.nested(index, |walk| walk.object(index)),
            TapeKind::Array => self.nested(index, |walk| walk.array(index, around)),
            TapeKind::Text => self.string(index),
            TapeKind::Number => {
                let number = self.raw(index);
                if self.secrets.values.iter().any(|own| own.is_match(number)) {
                    self.mask(index);
                }
            }
            TapeKind::Word => {}
        }
    }

    fn nested(&mut self, index: usize, walk: impl FnOnce(&mut Self)) {
        // An empty one needs no room of its own.
        if self.nodes[index].after > index + 1 {
            self.depth += 1;
            walk(self);
            self.depth -= 1;
        }
    }

    fn object(&mut self, index: usize) {
        let pair = self.pair(index);
        let around = ValueContext { in_array: false, program: self.program(index) };
        for child in tape::children(self.nodes, index) {
            let key = self.key(child);
            let secret = match pair {
                Some(NamedValue { value, secret, .. }) if value == child => {
                    secret || self.is_secret(child, &key)
                }
                Some(NamedValue { name, .. }) if name == child => false,
                _ => self.is_secret(child, &key),
            };
            self.step(&key, |walk| if secret { walk.mask(child) } else { walk.value(child, around) });
        }
    }

    /// Walks an array. One of strings may be the words of a command, where a flag says what comes
    /// after it, and one of two strings in an array may be a name and its value.
    fn array(&mut self, index: usize, around: ValueContext) {
        let nodes = self.nodes;
        let children = tape::children(nodes, index);
        let named = around.in_array && nodes[index].after == index + 3;
        let (mut before, mut program) = (Cow::Borrowed(""), around.program);
        for (place, child) in children.enumerate() {
            let word = self.unescaped(child).unwrap_or_default();
            let secret = program::after(&self.secrets.keys, program, &before, &word)
                || (named && place == 1 && self.names_secret(&before));
            let inner = ValueContext { in_array: true, program };
            let joined = program.and_then(|program| program.joined(&word));
            self.step(&place.to_string(), |walk| match joined {
                _ if secret => walk.mask(child),
                Some(at) => walk.replace(child, &format!("{}{MASK}", &word[..at])),
                None => walk.value(child, inner),
            });
            program = NamedProgram::of(&word).or(program);
            before = word;
        }
    }

    fn step(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
        let parent = self.pointer.len();
        self.pointer.push('/');
        for letter in name.chars() {
            match letter {
                '~' => self.pointer.push_str("~0"),
                '/' => self.pointer.push_str("~1"),
                _ => self.pointer.push(letter),
            }
        }
        walk(self);
        self.pointer.truncate(parent);
    }

    fn string(&mut self, index: usize) {
        let Some(text) = self.unescaped(index) else { return self.mask(index) };
        if let Some(less) = redact_string(self.secrets, &text, self.depth) {
            self.replace(index, &less);
        }
    }

    /// Masks a value as a whole, if there is anything to it.
    fn mask(&mut self, index: usize) {
        let nothing = match self.nodes[index].kind {
            TapeKind::Word => true,
            TapeKind::Object | TapeKind::Array => self.nodes[index].after == index + 1,
            TapeKind::Text => self.raw(index).len() == 2,
            TapeKind::Number => false,
        };
        if !nothing {
            self.replace(index, MASK);
        }
    }

    fn replace(&mut self, index: usize, less: &str) {
        if self.unescaped(index).is_some_and(|text| text == less) {
            return;
        }
        let Range { start, end } = self.nodes[index].span.clone();
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(&serde_json::Value::from(less).to_string());
        self.copied = end;
        if self.named < MAX_POINTERS {
            self.named += self.pointer.len();
            self.pointers.push(self.pointer.clone());
        }
    }

    fn is_secret(&self, child: usize, key: &str) -> bool {
        match self.secrets.keys.judge(key) {
            KeyJudgement::Clear => false,
            KeyJudgement::Secret => true,
            KeyJudgement::Count => {
                let count = self.unescaped(child).is_some_and(|text| is_count(&text));
                self.nodes[child].kind != TapeKind::Number && !count
            }
        }
    }

    /// Whether a string is the name of a secret. One that held a secret itself is no name any more:
    /// without it, it could say something else.
    fn names_secret(&self, name: &str) -> bool {
        !name.contains(MASK) && self.secrets.keys.judge(name) == KeyJudgement::Secret
    }

    /// The members of an object that is a name and a value, such as a header or a variable.
    fn pair(&self, index: usize) -> Option<NamedValue> {
        let member = |names: &[&str]| {
            tape::children(self.nodes, index)
                .find(|child| names.iter().any(|name| self.key(*child).eq_ignore_ascii_case(name)))
        };
        let value = member(&["value", "val", "v", "values"])?;
        let names = ["name", "key", "k", "header", "field", "variable", "var", "env", "param", "parameter"];
        let name = member(&names)?;
        let secret = self.names_secret(&self.unescaped(name)?);
        Some(NamedValue { name, value, secret })
    }

    /// The program that an object names beside its arguments.
    fn program(&self, index: usize) -> Option<NamedProgram> {
        let names = ["command", "cmd", "program", "executable", "file"];
        let child = tape::children(self.nodes, index).find(|child| names.contains(&&*self.key(*child)))?;
        NamedProgram::of(&self.unescaped(child)?)
    }

    fn key(&self, child: usize) -> Cow<'a, str> {
        self.nodes[child].key.clone().and_then(|span| unescaped(&self.text[span])).unwrap_or_default()
    }

    /// What a string says; `None` if it is no string, or no Unicode.
    fn unescaped(&self, index: usize) -> Option<Cow<'a, str>> {
        (self.nodes[index].kind == TapeKind::Text).then(|| unescaped(self.raw(index))).flatten()
    }

    fn raw(&self, index: usize) -> &'a str {
        &self.text[self.nodes[index].span.clone()]
    }
}

struct NamedValue {
    name: usize,
    value: usize,
    secret: bool,
}

fn unescaped(quoted: &str) -> Option<Cow<'_, str>> {
    unquote(quoted).ok()
}

/// The text of a string `depth` levels deep, without its secrets; `None` if it has none. A mask may uncover another
/// secret, and redacting twice must change nothing, so the search repeats until it finds no more.
pub(super) fn redact_string(secrets: &SecretPatterns, text: &str, depth: usize) -> Option<String> {
    if !text::suspects(secrets, text) {
        return None;
    }
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match redact_once(secrets, &clean, depth) {
            Some(less) => clean = Cow::Owned(less),
            None => return (clean != text).then(|| clean.into_owned()),
        }
    }
    Some(MASK.to_owned())
}

fn redact_once(secrets: &SecretPatterns, text: &str, depth: usize) -> Option<String> {
    if holds_json(text) {
        return redact(secrets, text, depth + 1).map(|(text, _)| text);
    }
    text::mask(text, text::secrets(secrets, text))
}

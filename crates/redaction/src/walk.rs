//! Walks through a JSON text. Values under sensitive keys and secrets in strings are masked; all other bytes are
//! copied.

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

/// The limit for the pointers, in bytes. Without it, one long key above many secrets would exhaust the memory.
const MAX_POINTERS: usize = 1024 * 1024;

/// The number of rounds after which a text that still has secrets is masked as a whole.
const MAX_ROUNDS: usize = 8;

/// True if the string is itself a JSON object or array.
pub(super) fn holds_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Masks the secrets of a JSON text. Returns the text and pointers to the masks, or `None` if there are no secrets.
pub(super) fn redact_json(
    secrets: &SecretPatterns,
    text: &str,
    depth: usize,
) -> Option<(String, Vec<String>)> {
    let nodes = tape::read_nodes(text);
    let mut walk = RedactionWalk {
        secrets,
        text,
        nodes: &nodes,
        out: String::new(),
        copied: 0,
        pointer: String::new(),
        pointers: Vec::new(),
        pointer_bytes: 0,
        depth,
    };
    if !nodes.is_empty() {
        walk.visit_value(0, ValueContext::default());
    }
    if walk.pointers.is_empty() {
        return None;
    }
    walk.out.push_str(&text[walk.copied..]);
    Some((walk.out, walk.pointers))
}

/// Facts about a value that its surroundings determine.
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
    /// The end of the part of `text` that `out` already covers.
    copied: usize,
    pointer: String,
    pointers: Vec<String>,
    /// The total size of `pointers`, in bytes.
    pointer_bytes: usize,
    depth: usize,
}

impl<'a> RedactionWalk<'a> {
    fn visit_value(&mut self, index: usize, around: ValueContext) {
        match self.nodes[index].kind {
            // The walk goes no deeper, so anything below this depth is masked unread.
            TapeKind::Object | TapeKind::Array if self.depth >= MAX_DEPTH => self.mask_value(index),
            TapeKind::Object => self.descend(index, |walk| walk.visit_object(index)),
            TapeKind::Array => self.descend(index, |walk| walk.visit_array(index, around)),
            TapeKind::Text => self.visit_string(index),
            TapeKind::Number => {
                let number = self.raw_text(index);
                if self.secrets.values.iter().any(|own| own.is_match(number)) {
                    self.mask_value(index);
                }
            }
            TapeKind::Word => {}
        }
    }

    fn descend(&mut self, index: usize, walk: impl FnOnce(&mut Self)) {
        // An empty container does not count as a level.
        if self.nodes[index].after > index + 1 {
            self.depth += 1;
            walk(self);
            self.depth -= 1;
        }
    }

    fn visit_object(&mut self, index: usize) {
        let pair = self.named_value(index);
        let around = ValueContext { in_array: false, program: self.named_program(index) };
        for child in tape::children(self.nodes, index) {
            let key = self.key_of(child);
            let secret = match pair {
                Some(NamedValue { value, secret, .. }) if value == child => {
                    secret || self.is_secret(child, &key)
                }
                Some(NamedValue { name, .. }) if name == child => false,
                _ => self.is_secret(child, &key),
            };
            self.visit_child(&key, |walk| {
                if secret { walk.mask_value(child) } else { walk.visit_value(child, around) }
            });
        }
    }

    /// Visits an array. An array of strings may be the words of a command, in which an option precedes its value. An
    /// array of two strings inside another array may be a name and its value.
    fn visit_array(&mut self, index: usize, around: ValueContext) {
        let nodes = self.nodes;
        let children = tape::children(nodes, index);
        let named = around.in_array && nodes[index].after == index + 3;
        let (mut before, mut program) = (Cow::Borrowed(""), around.program);
        for (position, child) in children.enumerate() {
            let word = self.string_text(child).unwrap_or_default();
            let secret = program::is_option_secret(&self.secrets.keys, program, &before, &word)
                || (named && position == 1 && self.names_secret(&before));
            let inner = ValueContext { in_array: true, program };
            let joined = program.and_then(|program| program.joined_secret_start(&word));
            self.visit_child(&position.to_string(), |walk| match joined {
                _ if secret => walk.mask_value(child),
                Some(at) => walk.replace_value(child, &format!("{}{MASK}", &word[..at])),
                None => walk.visit_value(child, inner),
            });
            program = NamedProgram::from_word(&word).or(program);
            before = word;
        }
    }

    /// Calls `walk` with the pointer extended by `name`.
    fn visit_child(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
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

    fn visit_string(&mut self, index: usize) {
        let Some(text) = self.string_text(index) else { return self.mask_value(index) };
        if let Some(less) = redact_string(self.secrets, &text, self.depth) {
            self.replace_value(index, &less);
        }
    }

    /// Masks a whole value. Empty values and `true`, `false` and `null` stay, because they cannot be secrets.
    fn mask_value(&mut self, index: usize) {
        let is_empty = match self.nodes[index].kind {
            TapeKind::Word => true,
            TapeKind::Object | TapeKind::Array => self.nodes[index].after == index + 1,
            TapeKind::Text => self.raw_text(index).len() == 2,
            TapeKind::Number => false,
        };
        if !is_empty {
            self.replace_value(index, MASK);
        }
    }

    fn replace_value(&mut self, index: usize, less: &str) {
        if self.string_text(index).is_some_and(|text| text == less) {
            return;
        }
        let Range { start, end } = self.nodes[index].span.clone();
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(&serde_json::Value::from(less).to_string());
        self.copied = end;
        if self.pointer_bytes < MAX_POINTERS {
            self.pointer_bytes += self.pointer.len();
            self.pointers.push(self.pointer.clone());
        }
    }

    fn is_secret(&self, child: usize, key: &str) -> bool {
        match self.secrets.keys.judge(key) {
            KeyJudgement::Clear => false,
            KeyJudgement::Secret => true,
            KeyJudgement::Count => {
                let count = self.string_text(child).is_some_and(|text| is_count(&text));
                self.nodes[child].kind != TapeKind::Number && !count
            }
        }
    }

    /// True if a string is the name of a secret. A string that contains a mask is not a name: its masked part could
    /// change the judgement, and redacting twice must change nothing.
    fn names_secret(&self, name: &str) -> bool {
        !name.contains(MASK) && self.secrets.keys.judge(name) == KeyJudgement::Secret
    }

    /// The members of an object that holds one name and its value, such as a header or a variable.
    fn named_value(&self, index: usize) -> Option<NamedValue> {
        let member = |names: &[&str]| {
            tape::children(self.nodes, index)
                .find(|child| names.iter().any(|name| self.key_of(*child).eq_ignore_ascii_case(name)))
        };
        let value = member(&["value", "val", "v", "values"])?;
        let names = ["name", "key", "k", "header", "field", "variable", "var", "env", "param", "parameter"];
        let name = member(&names)?;
        let secret = self.names_secret(&self.string_text(name)?);
        Some(NamedValue { name, value, secret })
    }

    /// The program that an object names next to its arguments.
    fn named_program(&self, index: usize) -> Option<NamedProgram> {
        let names = ["command", "cmd", "program", "executable", "file"];
        let child = tape::children(self.nodes, index).find(|child| names.contains(&&*self.key_of(*child)))?;
        NamedProgram::from_word(&self.string_text(child)?)
    }

    fn key_of(&self, child: usize) -> Cow<'a, str> {
        self.nodes[child].key.clone().and_then(|span| unescape(&self.text[span])).unwrap_or_default()
    }

    /// The text of a string; `None` if the value is not a string or not valid Unicode.
    fn string_text(&self, index: usize) -> Option<Cow<'a, str>> {
        (self.nodes[index].kind == TapeKind::Text).then(|| unescape(self.raw_text(index))).flatten()
    }

    fn raw_text(&self, index: usize) -> &'a str {
        &self.text[self.nodes[index].span.clone()]
    }
}

struct NamedValue {
    name: usize,
    value: usize,
    secret: bool,
}

fn unescape(quoted: &str) -> Option<Cow<'_, str>> {
    unquote(quoted).ok()
}

/// Masks the secrets of a string `depth` levels deep. Returns `None` if it has none. A mask may uncover another
/// secret, and redacting twice must change nothing, so the search repeats until it finds no more.
pub(super) fn redact_string(secrets: &SecretPatterns, text: &str, depth: usize) -> Option<String> {
    if !text::may_hold_secret(secrets, text) {
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
        return redact_json(secrets, text, depth + 1).map(|(text, _)| text);
    }
    text::mask_spans(text, text::find_secrets(secrets, text))
}

//! Walks through JSON. Values under sensitive keys and secrets in strings are masked leaf by leaf; all other bytes are
//! copied.

use super::{
    json_nodes::{self, JsonKind, JsonNode},
    keys::KeyJudgement,
    leaf::{self, LeafContext},
    mask::MASK,
    named_pairs::{self, PairMember},
    patterns::SecretPatterns,
    text, word_lists,
};
use countersign_events::json::{MAX_DEPTH, unquote};
use serde_json::value::RawValue;
use std::{borrow::Cow, ops::Range};

/// The limit for the pointers, in bytes. Without it, one long key above many secrets would exhaust the memory.
const MAX_POINTERS: usize = 1024 * 1024;

/// The number of rounds after which the text is returned even if a mask uncovered another secret.
const MAX_ROUNDS: usize = 8;

/// Returns true if the string is itself a JSON object or array.
fn holds_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Masks the secrets in JSON. Returns the JSON and pointers to the masks, or `None` if there are no secrets.
pub(crate) fn redact_json(secrets: &SecretPatterns, text: &str) -> Option<(String, Vec<String>)> {
    redact_nested(secrets, text, LeafContext::default(), 0)
}

fn redact_nested(
    secrets: &SecretPatterns,
    text: &str,
    around: LeafContext,
    depth: usize,
) -> Option<(String, Vec<String>)> {
    let nodes = json_nodes::read_nodes(text);
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
        walk.visit_value(0, around);
    }
    if walk.pointers.is_empty() {
        return None;
    }
    walk.out.push_str(&text[walk.copied..]);
    Some((walk.out, walk.pointers))
}

struct RedactionWalk<'a> {
    secrets: &'a SecretPatterns,
    text: &'a str,
    nodes: &'a [JsonNode],
    out: String,
    /// The position up to which `out` covers `text`.
    copied: usize,
    pointer: String,
    pointers: Vec<String>,
    /// The total size of `pointers`, in bytes.
    pointer_bytes: usize,
    depth: usize,
}

impl<'a> RedactionWalk<'a> {
    fn visit_value(&mut self, index: usize, around: LeafContext) {
        match self.nodes[index].kind {
            // Callers cannot send such values: the walk goes no deeper, so they are masked unread.
            JsonKind::Object | JsonKind::Array if self.depth >= MAX_DEPTH => self.mask_container(index),
            JsonKind::Object => self.descend(index, |walk| walk.visit_object(index, around)),
            JsonKind::Array => self.descend(index, |walk| walk.visit_array(index, around)),
            JsonKind::Text => self.visit_string(index, around),
            JsonKind::Number => {
                let number = self.raw_text(index);
                if leaf::is_secret_number(around.judged, number)
                    || self.secrets.values.iter().any(|own| own.is_match(number))
                {
                    self.replace_value(index, MASK);
                }
            }
            JsonKind::Word => {}
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

    fn visit_object(&mut self, index: usize, around: LeafContext) {
        let nodes = self.nodes;
        let keys: Vec<_> =
            json_nodes::children(nodes, index).map(|child| (self.key_of(child), child)).collect();
        let members: Vec<_> = keys
            .iter()
            .map(|(key, child)| PairMember {
                key,
                child: *child,
                text: self.string_text(*child),
                is_true: self.raw_text(*child) == "true",
            })
            .collect();
        let pairs = named_pairs::judge_pairs(&self.secrets.keys, &members);
        let name = named_pairs::name_of_pair(&members);
        let content = named_pairs::secret_content(&self.secrets.keys, &members);
        let has_partition_key = keys.iter().any(|(key, _)| key.eq_ignore_ascii_case("pk"));
        let kind = keys.iter().find(|(key, _)| key == "kind").and_then(|(_, child)| self.string_text(*child));
        let is_secret_object = kind.as_deref() == Some("Secret");
        let command = word_lists::program_member(&keys).filter(|child| nodes[*child].kind == JsonKind::Text);
        for (key, child) in &keys {
            let own = match self.secrets.keys.judge_argument(key) {
                // The sort key of a table is next to its partition key.
                KeyJudgement::Short if has_partition_key && key.eq_ignore_ascii_case("sk") => {
                    KeyJudgement::Weak
                }
                own => own,
            };
            let mut judged = leaf::judge_member(own, around, key);
            for pair in pairs.iter().filter(|pair| pair.child == *child) {
                judged = judged.max(pair.judged);
            }
            if name == Some(*child) {
                judged = KeyJudgement::Clear;
            }
            if content == Some(*child) {
                judged = judged.max(KeyJudgement::Strong);
            }
            let manifest = is_secret_object && matches!(&**key, "data" | "stringData");
            let inner = LeafContext {
                judged: if manifest { KeyJudgement::Chosen } else { judged },
                in_array: false,
                program: command.filter(|command| command != child),
            };
            self.visit_child(key, |walk| walk.visit_value(*child, inner));
        }
    }

    /// Visits an array. An array of strings may be command words. An array of two strings inside another array may be a
    /// name and its value.
    fn visit_array(&mut self, index: usize, around: LeafContext) {
        let nodes = self.nodes;
        let children: Vec<_> = json_nodes::children(nodes, index).collect();
        let texts: Vec<_> = children.iter().map(|child| self.string_text(*child)).collect();
        let program = around.program.and_then(|program| self.string_text(program));
        let mut masked = word_lists::mask_words(&self.secrets.keys, program.as_deref(), &texts);
        if program.is_some() && around.in_array {
            // An array among program arguments may itself be a command.
            for (position, less) in word_lists::mask_words(&self.secrets.keys, None, &texts) {
                masked.entry(position).or_insert(less);
            }
        }
        let named = around.in_array && children.len() == 2;
        for (position, child) in children.iter().enumerate() {
            let mut inner = LeafContext { in_array: true, ..around };
            if let (true, 1, Some(name)) = (named, position, &texts[0]) {
                let judged = self.secrets.keys.judge(name);
                inner.judged = if name.contains(MASK) { inner.judged } else { inner.judged.max(judged) };
            }
            // A completely secret string is not masked in part.
            let whole =
                texts[position].as_deref().is_some_and(|text| leaf::is_secret_text(inner.judged, text));
            let less = masked.get(&position).filter(|_| !whole);
            self.visit_child(&position.to_string(), |walk| match less {
                Some(less) => {
                    let again = redact_string(walk.secrets, less, inner, walk.depth);
                    walk.replace_value(*child, again.as_deref().unwrap_or(less));
                }
                None => walk.visit_value(*child, inner),
            });
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

    fn visit_string(&mut self, index: usize, around: LeafContext) {
        // A lone surrogate cannot be shown, and callers cannot send one.
        let Some(text) = self.string_text(index) else { return self.replace_value(index, MASK) };
        if let Some(less) = redact_string(self.secrets, &text, around, self.depth) {
            self.replace_value(index, &less);
        }
    }

    fn mask_container(&mut self, index: usize) {
        if self.nodes[index].after > index + 1 {
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

    fn key_of(&self, child: usize) -> Cow<'a, str> {
        self.nodes[child].key.clone().and_then(|span| unescape(&self.text[span])).unwrap_or_default()
    }

    /// String content; `None` if the value is not a string or not valid Unicode.
    fn string_text(&self, index: usize) -> Option<Cow<'a, str>> {
        (self.nodes[index].kind == JsonKind::Text).then(|| unescape(self.raw_text(index))).flatten()
    }

    fn raw_text(&self, index: usize) -> &'a str {
        &self.text[self.nodes[index].span.clone()]
    }
}

fn unescape(quoted: &str) -> Option<Cow<'_, str>> {
    unquote(quoted).ok()
}

/// Masks the secrets in free text. Returns `None` if it has none.
pub(crate) fn redact_text(secrets: &SecretPatterns, text: &str) -> Option<String> {
    redact_string(secrets, text, LeafContext::default(), 0)
}

/// Masks the secrets in a string `depth` levels deep. A mask may uncover another secret, and redacting twice must
/// change nothing, so the search repeats until it finds no more.
fn redact_string(secrets: &SecretPatterns, text: &str, around: LeafContext, depth: usize) -> Option<String> {
    if text.len() > text::MAX_TEXT {
        return Some(MASK.to_owned());
    }
    let json = depth < MAX_DEPTH && holds_json(text);
    if !json && leaf::is_secret_text(around.judged, text) {
        return Some(MASK.to_owned());
    }
    let mut clean = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let less = if json {
            let inner = LeafContext { in_array: false, program: None, ..around };
            redact_nested(secrets, &clean, inner, depth + 1).map(|(text, _)| text)
        } else {
            text::mask_spans(&clean, text::find_secrets(secrets, &clean))
        };
        let Some(less) = less else { break };
        clean = Cow::Owned(less);
    }
    (clean != text).then(|| clean.into_owned())
}

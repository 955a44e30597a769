//! Finds secrets by the line they are in: a name and its value with a blank between them, a YAML block below a
//! sensitive key, a form part.

use super::{
    keys::{KeyJudgement, SensitiveKeys},
    literal::{is_literal_byte, is_secret, looks_like_password},
    literal_spans,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// A line that starts with a name and a blank, also after a language keyword: `#define`, `set(`, `(def`.
static NAMED_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m-u)^[ \t]{0,32}(?:(#[ \t]{0,4}define[ \t]{1,8}|set\([ \t]{0,4})|\(?(?:setenv|setq|defparameter|defvar|def|define|export|option|param|config|set)[ \t]{1,8})?(\(?[:;]?[A-Za-z_][A-Za-z0-9_.-]+)(?:[ \t]{1,16}(?:\.[ \t])?)",
    )
    .expect("a constant pattern")
});

/// A sensitive key whose value is a block in the next lines.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)^([ \t]*(?:- )?)["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?:[ \t]{1,8}(?:!(?:vault|unsafe|str)[ \t]{1,4})?[|>][+-]?[0-9]?[+-]?[ \t\r]{0,8}\n"#)
        .expect("a constant pattern")
});

/// A form part's name, up to its content.
static FORM_PART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i-u)\bname=\\{0,7}"([A-Za-z0-9_.\[\]-]+)\\{0,7}"[ -\[\]-~]*(?:\r?\n[A-Za-z-]+: [ -~]*){0,4}(?:\r?\n\r?\n|\\r\\n\\r\\n)"#)
        .expect("a constant pattern")
});

/// Adds the spans of such values to `spans`.
pub(crate) fn find_line_values(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    for found in NAMED_LINE.captures_iter(text) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(2)) else { continue };
        let judged = keys.judge(name.as_str().trim_start_matches(['(', ':', ';']));
        if judged > KeyJudgement::Weak {
            let defined = found.get(1).and_then(|_| literal_spans::quoted_at(text, whole.end()));
            let defined = defined.filter(|range| is_secret(judged, &text[range.clone()]));
            spans.extend(defined.or_else(|| value_to_line_end(text, whole.end(), judged)));
        }
    }
    for found in BLOCK.captures_iter(text) {
        let (Some(whole), Some(indent), Some(name)) = (found.get(0), found.get(1), found.get(2)) else {
            continue;
        };
        let judged = keys.judge(name.as_str());
        if judged != KeyJudgement::Clear {
            find_block_lines(text, whole.end(), indent.as_str().len(), judged, spans);
        }
    }
    for found in FORM_PART.captures_iter(text) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        let judged = keys.judge(name.as_str());
        let value = literal_spans::word_at(text, whole.end());
        spans.extend(value.filter(|range| is_secret(judged, &text[range.clone()])));
    }
}

/// The literal at `start` if it extends to the line end, a bracket or a semicolon.
fn value_to_line_end(text: &str, start: usize, judged: KeyJudgement) -> Option<Range<usize>> {
    let range = literal_spans::literal_at(text, start)?;
    let rest = text[range.end..].split('\n').next().unwrap_or_default();
    let ends = rest
        .trim_start_matches(['"', '\'', '\\'])
        .trim_end()
        .trim_end_matches([')', ';', ',', '}'])
        .is_empty();
    let value = &text[range.clone()];
    (ends && is_secret(judged, value) && looks_like_password(value)).then_some(range)
}

/// The block lines that are one word. Other lines may be commands.
fn find_block_lines(
    text: &str,
    start: usize,
    indent: usize,
    judged: KeyJudgement,
    spans: &mut Vec<Range<usize>>,
) {
    let mut at = start;
    for line in text[start..].split_inclusive('\n').take(1_000) {
        let content = line.trim();
        let own = line.len() - line.trim_start().len();
        if !content.is_empty() && own <= indent {
            return;
        }
        let is_word = content.bytes().all(is_literal_byte);
        if is_word
            && looks_like_password(content)
            && is_secret(judged, content)
            && !content.starts_with(['.', '/'])
        {
            spans.push(at + own..at + own + content.len());
        }
        at += line.len();
    }
}

//! Finds names and values in separate members: `name="password" value="…"`, in XML, HTML, YAML, plists, HCL and code,
//! and a default value after a variable name.

use super::{
    keys::{KeyJudgement, SensitiveKeys, judge_field},
    literal::{is_secret, looks_like_password},
    literal_spans,
    mask::MASK,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The number of bytes after a name that are searched for its value.
const MAX_DISTANCE: usize = 240;

/// A name: as a member value, after a keyword, or an option in a list.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u)(?:\b(?:name|key|id|parameterkey|variable|setting|property|header|placeholder|label|type)["']?[ \t]{0,8}(?:=>|[=:])[ \t]{0,8}\\{0,7}["']?|<(?:key|name|string|param)>[ \t]{0,8}|\b(?:variable|parameter|option|param|env)[ \t]{1,4}["']|["']-{1,2})([a-z_/#.][a-z0-9_./#:-]+)"#,
    )
    .expect("a constant pattern")
});

/// A YAML object key, whose value may be one of its members.
static OBJECT_KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)^[ \t-]*["']?([A-Za-z_][A-Za-z0-9_.-]+)["']?:[ \t\r]{0,4}$"#)
        .expect("a constant pattern")
});

/// Where a value starts, or where the text around a name ends.
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?im-u)\b(?:value|val|parametervalue|default|content|contents)["']?[ \t]{0,8}(?:=>|[=:]>?)[ \t]{0,8}|>\s{0,8}(?:<(?:value|string)>\s{0,8})?|</(?:key|name|string|param)>\s*<(?:value|string)>|(\n[ \t]*- |\n[ \t]*\n|/>|</|[;}]|\b(?:name|key|id)["']?[ \t]{0,8}[=:])"#,
    )
    .expect("a constant pattern")
});

/// A value before its name, in one tag of XML.
static VALUE_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u)\bvalue=\\{0,7}(["'])([!#%*+,./0-9:=?@A-Z^_a-z~-]+)\\{0,7}["'][ -%'-:=?-{}~]{0,120}?\b(?:name|key|type|id)=\\{0,7}["']([a-z0-9_.:-]{2,})["'\\]"#,
    )
    .expect("a constant pattern")
});

/// Adds the value spans of such pairs to `spans`.
pub(crate) fn find_text_pairs(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    for found in NAME.captures_iter(text).chain(OBJECT_KEY.captures_iter(text)) {
        let Some(name) = found.get(1) else { continue };
        let judged = judge(keys, name.as_str());
        if judged != KeyJudgement::Clear {
            spans.extend(value_after(text, name.end(), judged));
        }
    }
    for found in VALUE_FIRST.captures_iter(text) {
        let (Some(value), Some(name)) = (found.get(2), found.get(3)) else { continue };
        if is_secret(judge(keys, name.as_str()), value.as_str()) && looks_like_password(value.as_str()) {
            spans.push(value.range());
        }
    }
}

fn judge(keys: &SensitiveKeys, name: &str) -> KeyJudgement {
    let judged = keys.judge(name);
    if judged == KeyJudgement::Clear && name.starts_with('#') { judge_field(name) } else { judged }
}

/// The literal in the first value member near the name, unless the text around the name ends before it.
fn value_after(text: &str, start: usize, judged: KeyJudgement) -> Option<Range<usize>> {
    let end = text.floor_char_boundary(start + MAX_DISTANCE);
    let near = text.get(start..end)?;
    for found in VALUE.captures_iter(near) {
        if found.get(1).is_some() {
            return None;
        }
        let at = start + found.get(0)?.end();
        if text[at..].trim_start_matches(['"', '\'', '\\']).starts_with(MASK) {
            return None;
        }
        let range = literal_spans::literal_at(text, at).filter(|range| !range.is_empty());
        let Some(range) = range else { continue };
        let value = &text[range.clone()];
        return (is_secret(judged, value) && looks_like_password(value)).then_some(range);
    }
    None
}

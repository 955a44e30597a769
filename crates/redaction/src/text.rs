//! Free text: what in it is secret, and the text without that.

use super::{MASK, patterns::SecretPatterns, scan::TextScan, shapes};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// A text without any of these holds nothing that the built-in patterns know, neither as JSON nor as
/// free text. It is read once for each string, and is all that a clean one costs.
pub(super) static TRIGGER: LazyLock<Regex> = LazyLock::new(|| {
    let keys = r"key|pass|p-?ss?w|pwd|token|secret|auth|cred|cookie|bearer|basic|otp|pin|sess|jwt|pw|sig";
    let programs =
        "mysql|mariadb|login|mongo|curl|http|xh|redis|ldap|sqlcmd|bcp|zip|7z|rar|smbcl|rpccl|identified";
    let shapes = r"://|\\u|\\/|gh[pousr]_|hub_pat|slack|sk-|[srp]k_|whsec_|akia|asia|xox|xapp|aiza|ya29|glpat|npm_|hf_|pypi|sg\.|shp|do[op]_|hv[sb]\.|eyj";
    Regex::new(&format!("(?i:{keys})|(?i-u:{programs}|{shapes})")).expect("a constant pattern")
});

/// Returns true if the text may hold a secret. An operator's own pattern may match any text.
pub(super) fn suspects(patterns: &SecretPatterns, text: &str) -> bool {
    patterns.keys.has_own() || !patterns.values.is_empty() || TRIGGER.is_match(text)
}

/// Where secrets stand in the text, in no order.
pub(super) fn secrets(patterns: &SecretPatterns, text: &str) -> Vec<Range<usize>> {
    let mut spans = TextScan::new(&patterns.keys, text).run();
    shapes::find(text, &mut spans);
    for own in &patterns.values {
        spans.extend(own.find_iter(text).map(|found| found.range()));
    }
    spans
}

/// The text with a mask in place of each of those; `None` if all of them are masked already.
pub(super) fn mask(text: &str, spans: Vec<Range<usize>>) -> Option<String> {
    if spans.iter().all(Range::is_empty) {
        return None;
    }
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for TextSpan { range, hard } in merged(text, spans) {
        if hard {
            out.push_str(&text[copied..range.start]);
            out.push_str(MASK);
            copied = range.end;
        }
    }
    out.push_str(&text[copied..]);
    (copied > 0).then_some(out)
}

struct TextSpan {
    range: Range<usize>,
    /// Whether there is more to it than a mask that stands there already.
    hard: bool,
}

/// The spans in order, each grown over the masks that it touches and joined with its neighbours, so
/// that a mask is never masked in part.
fn merged(text: &str, spans: Vec<Range<usize>>) -> Vec<TextSpan> {
    let masks =
        text.match_indices(MASK).map(|(at, mask)| TextSpan { range: at..at + mask.len(), hard: false });
    let found =
        spans.into_iter().filter(|range| !range.is_empty()).map(|range| TextSpan { range, hard: true });
    let mut all: Vec<_> = masks.chain(found).collect();
    all.sort_by_key(|span| (span.range.start, span.hard));
    let mut merged: Vec<TextSpan> = Vec::with_capacity(all.len());
    for span in all {
        match merged.last_mut() {
            Some(last) if !last.hard && span.hard && span.range.end <= last.range.end => {}
            Some(last)
                if span.range.start < last.range.end || (last.hard && span.range.start == last.range.end) =>
            {
                last.hard |= span.hard;
                last.range.end = last.range.end.max(span.range.end);
            }
            _ => merged.push(span),
        }
    }
    merged
}

//! Finds and masks the secrets in a free text.

use super::{MASK, patterns::SecretPatterns, scan::TextScan, shapes};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// A cheap first test: a text without a match contains no secret that the built-in patterns find, neither as JSON nor
/// as free text. A clean text costs only this one scan.
pub(super) static TRIGGER: LazyLock<Regex> = LazyLock::new(|| {
    let keys = r"key|pass|p-?ss?w|pwd|token|secret|auth|cred|cookie|bearer|basic|otp|pin|sess|jwt|pw|sig";
    let programs =
        "mysql|mariadb|login|mongo|curl|http|xh|redis|ldap|sqlcmd|bcp|zip|7z|rar|smbcl|rpccl|identified";
    let shapes = r"://|\\u|\\/|gh[pousr]_|hub_pat|slack|sk-|[srp]k_|whsec_|akia|asia|xox|xapp|aiza|ya29|glpat|npm_|hf_|pypi|sg\.|shp|do[op]_|hv[sb]\.|eyj";
    Regex::new(&format!("(?i:{keys})|(?i-u:{programs}|{shapes})")).expect("a constant pattern")
});

/// Returns true if the text may hold a secret. An operator's own pattern may match any text.
pub(super) fn may_hold_secret(patterns: &SecretPatterns, text: &str) -> bool {
    patterns.keys.has_globs() || !patterns.values.is_empty() || TRIGGER.is_match(text)
}

/// Finds the spans of the secrets in the text, in no particular order.
pub(super) fn find_secrets(patterns: &SecretPatterns, text: &str) -> Vec<Range<usize>> {
    let mut spans = TextScan::new(&patterns.keys, text).find_secrets();
    shapes::find_shaped_secrets(text, &mut spans);
    for own in &patterns.values {
        spans.extend(own.find_iter(text).map(|found| found.range()));
    }
    spans
}

/// Replaces each span with a mask. Returns `None` if all of them are masked already.
pub(super) fn mask_spans(text: &str, spans: Vec<Range<usize>>) -> Option<String> {
    if spans.iter().all(Range::is_empty) {
        return None;
    }
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for TextSpan { range, is_unmasked } in merge_spans(text, spans) {
        if is_unmasked {
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
    /// True if the span covers more than an existing mask.
    is_unmasked: bool,
}

/// Sorts the spans, extends each over the masks that it touches, and joins adjacent ones, so that a mask is never
/// masked in part.
fn merge_spans(text: &str, spans: Vec<Range<usize>>) -> Vec<TextSpan> {
    let masks = text
        .match_indices(MASK)
        .map(|(at, mask)| TextSpan { range: at..at + mask.len(), is_unmasked: false });
    let found = spans
        .into_iter()
        .filter(|range| !range.is_empty())
        .map(|range| TextSpan { range, is_unmasked: true });
    let mut all: Vec<_> = masks.chain(found).collect();
    all.sort_by_key(|span| (span.range.start, span.is_unmasked));
    let mut merged: Vec<TextSpan> = Vec::with_capacity(all.len());
    for span in all {
        match merged.last_mut() {
            Some(last) if !last.is_unmasked && span.is_unmasked && span.range.end <= last.range.end => {}
            Some(last)
                if span.range.start < last.range.end
                    || (last.is_unmasked && span.range.start == last.range.end) =>
            {
                last.is_unmasked |= span.is_unmasked;
                last.range.end = last.range.end.max(span.range.end);
            }
            _ => merged.push(span),
        }
    }
    merged
}

//! Finds and masks the secrets in free text.

use super::{
    assigned_values, command_values,
    keys::{self, SensitiveKeys},
    mask::MASK,
    mnemonics,
    patterns::SecretPatterns,
    private_keys, prose, quoted_arguments, secret_lines, sql_values, text_pairs, token_shapes, url_secrets,
    yaml_secrets,
};
use std::ops::Range;

/// The maximum text length, in bytes. Arguments are shorter. Longer text is masked completely.
pub(crate) const MAX_TEXT: usize = 16 * 1024 * 1024;

/// Finds the secret spans in the text, in no particular order.
pub(crate) fn find_secrets(patterns: &SecretPatterns, text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    token_shapes::find_shapes(text, &mut spans);
    private_keys::find_private_keys(text, &mut spans);
    url_secrets::find_url_secrets(text, &mut spans);
    yaml_secrets::find_yaml_secrets(text, &mut spans);
    mnemonics::find_mnemonics(text, &mut spans);
    quoted_arguments::find_call_arguments(&patterns.keys, text, &mut spans);
    sql_values::find_column_values(&patterns.keys, text, &mut spans);
    assigned_values::find_assigned_values(&patterns.keys, text, &mut spans);
    if keys::may_name_secret(text) {
        find_named_secrets(&patterns.keys, text, &mut spans);
    }
    command_values::find_command_values(&patterns.keys, text, &mut spans);
    for own in &patterns.values {
        spans.extend(own.find_iter(text).map(|found| found.range()));
    }
    spans
}

/// Finds the secrets that a name shows, other than by an assignment.
pub(crate) fn find_named_secrets(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    secret_lines::find_line_values(keys, text, spans);
    text_pairs::find_text_pairs(keys, text, spans);
    quoted_arguments::find_quoted_arguments(keys, text, spans);
    prose::find_spoken_secrets(text, spans);
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
    /// Whether the span covers more than an existing mask.
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

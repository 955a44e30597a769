//! Finds the values of sensitive columns: in `INSERT INTO t (name, password) VALUES ('ada', '…')`, and below a CSV
//! header.

use super::{
    keys::{KeyJudgement, SensitiveKeys},
    literal::{is_secret, looks_like_password},
    literal_spans,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The limits on the columns and rows of a statement or table that are read.
const MAX_COLUMNS: usize = 64;
const MAX_ROWS: usize = 10_000;

/// A statement up to its values.
static INSERT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i-u)\b(?:insert|replace|upsert|merge)\s{1,8}(?:or\s{1,8}[a-z]{1,12}\s{1,8}|ignore\s{1,8}|overwrite\s{1,8})?into\s{1,8}[`"'\\a-z0-9_.\[\]]+\s{0,8}\(([a-z0-9_,\s`"'\\\[\]]+)\)\s{0,20}(?:output\s[ -'*-~]{1,60}?)?values\s{0,20}"#,
    )
    .expect("a constant pattern")
});

/// The header line of a table whose columns have plain names.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m-u)^["']?([A-Za-z_][A-Za-z0-9_ -]*["']?(?:[,;\t]["']?[A-Za-z_][A-Za-z0-9_ -]*["']?)+)\r?\n"#,
    )
    .expect("a constant pattern")
});

/// Adds the spans of such values to `spans`.
pub(crate) fn find_column_values(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    // Most inputs have neither, and an unused expression is not built.
    let has_statement = text.contains("into") || text.contains("INTO");
    let has_lines = text.contains('\n');
    for found in has_statement.then(|| INSERT.captures_iter(text)).into_iter().flatten() {
        let (Some(whole), Some(columns)) = (found.get(0), found.get(1)) else { continue };
        let judged = judge_columns(keys, columns.as_str().split(','));
        if judged.iter().any(|judged| *judged > KeyJudgement::Weak) {
            find_rows(text, whole.end(), &judged, spans);
        }
    }
    if let Some(found) = has_lines.then(|| HEADER.captures(text)).flatten().and_then(|found| found.get(1)) {
        let judged = judge_columns(keys, found.as_str().split([',', ';', '\t']));
        if judged.iter().any(|judged| *judged > KeyJudgement::Weak) {
            find_lines(text, found.end(), &judged, spans);
        }
    }
}

fn judge_columns<'a>(keys: &SensitiveKeys, columns: impl Iterator<Item = &'a str>) -> Vec<KeyJudgement> {
    let name = |column: &'a str| column.trim_matches(|letter: char| !letter.is_alphanumeric());
    columns.take(MAX_COLUMNS).map(|column| keys.judge(name(column))).collect()
}

/// Reads rows of quoted literals and plain words in parentheses.
fn find_rows(text: &str, start: usize, judged: &[KeyJudgement], spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let blanks = |at: usize| {
        at + bytes[at.min(bytes.len())..].iter().take(80).take_while(|b| b.is_ascii_whitespace()).count()
    };
    let mut at = start;
    for _ in 0..MAX_ROWS {
        if bytes.get(at) != Some(&b'(') {
            return;
        }
        at += 1;
        for column in judged {
            at = blanks(at);
            let range = literal_spans::literal_at(text, at);
            let Some(range) = range.filter(|range| !range.is_empty()) else { return };
            let value = &text[range.clone()];
            if is_secret(*column, value) && text.as_bytes()[range.start - 1] != b'(' {
                spans.push(range.clone());
            }
            let after = bytes[range.end..].iter().take(9).take_while(|byte| b"'\"\\".contains(byte)).count();
            at = blanks(range.end + after);
            match bytes.get(at) {
                Some(b',') => at += 1,
                Some(b')') => break,
                _ => return,
            }
        }
        at = blanks(at + 1);
        if bytes.get(at) != Some(&b',') {
            return;
        }
        at = blanks(at + 1);
    }
}

/// Reads the lines below a header. The table ends at the first line with another number of cells.
fn find_lines(text: &str, header_end: usize, judged: &[KeyJudgement], spans: &mut Vec<Range<usize>>) {
    let separator =
        text[..header_end].rsplit('\n').next().and_then(|line| line.chars().find(|c| ",;\t".contains(*c)));
    let (Some(separator), Some(first)) = (separator, text[header_end..].find('\n')) else { return };
    let mut at = header_end + first + 1;
    for line in text[at..].split_inclusive('\n').take(MAX_ROWS) {
        if line.trim_end().split(separator).count() != judged.len() {
            return;
        }
        let mut cell_start = at;
        for (cell, judged) in line.trim_end().split(separator).zip(judged) {
            let value = cell.trim_matches(['"', '\'', ' ']);
            let start = cell_start + cell.find(value).unwrap_or(0);
            let is_word = literal_spans::word_at(text, start).is_some_and(|word| word.len() == value.len());
            if is_word && looks_like_password(value) && is_secret(*judged, value) {
                spans.push(start..start + value.len());
            }
            cell_start += cell.len() + separator.len_utf8();
        }
        at += line.len();
    }
}

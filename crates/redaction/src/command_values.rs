//! Finds secrets in the words of commands, by the rules of programs and by the names of options, and in what a command
//! gives to one that reads a secret, or writes to a file of secrets.

use super::{
    command_words::{SpannedWord, WordList, split_commands},
    cookies,
    keys::SensitiveKeys,
    literal::{holds_code, is_literal_byte, is_secret, looks_like_password},
    program_rules::{self, ProgramPlace, base_name, is_literal_secret, is_option, secret_part},
    secret_files,
    tables::SecretPart,
};
use std::ops::Range;

/// The number of levels of quoted commands that are read: `ssh host "bash -c 'mysql -psecret'"` has two.
const MAX_NESTING: usize = 3;

/// The number of words of one command that are searched. Later words are data.
const MAX_COMMAND_WORDS: usize = 2_000;

/// The number of words of one command that may name a program.
const MAX_PROGRAMS: usize = 8;

/// The secret part in a word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WordSecret {
    pub(crate) word: usize,
    /// Its bytes in the word's value.
    pub(crate) range: Range<usize>,
}

/// Adds the spans of secrets in the commands of `text` to `spans`.
pub(crate) fn find_command_values(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    find_at_level(keys, text, 0, MAX_NESTING, spans);
}

fn find_at_level(
    keys: &SensitiveKeys,
    text: &str,
    offset: usize,
    levels: usize,
    spans: &mut Vec<Range<usize>>,
) {
    if !has_two_words(text) {
        return;
    }
    let commands = split_commands(text);
    for (at, command) in commands.iter().enumerate() {
        let words = word_values(command);
        let mut found: Vec<_> = find_word_secrets(keys, &words)
            .into_iter()
            .filter_map(|secret| source_span(text, &command.words[secret.word], &secret.range))
            .collect();
        let reader = commands.get(at + 1).filter(|_| command.piped).map(word_values);
        found.extend(find_given(keys, text, command, &words, reader.as_deref()));
        spans.extend(found.into_iter().map(|span| offset + span.start..offset + span.end));
        for word in command.words.iter().filter(|_| levels > 0) {
            if let Some(inner) = quoted_command(&text[word.span.clone()]) {
                find_at_level(keys, inner, offset + word.span.start + 1, levels - 1, spans);
            }
        }
    }
}

/// Returns false for a text without a blank, a quote or an operator, such as a path: one word, in which nothing names the other.
fn has_two_words(text: &str) -> bool {
    text.bytes().any(|byte| !byte.is_ascii_graphic() || b"\"'`\\|&;<>()".contains(&byte))
}

fn word_values(command: &WordList) -> Vec<Option<&str>> {
    command.words.iter().take(MAX_COMMAND_WORDS).map(|word| word.text.as_deref()).collect()
}

/// The quoted text in a word that may be a command.
fn quoted_command(raw: &str) -> Option<&str> {
    let quote = raw.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
    (inner.contains(' ') && !inner.contains(quote)).then_some(inner)
}

/// Maps a range in the word value to the text. A range that quotes interrupt is covered up to its last byte.
fn source_span(text: &str, word: &SpannedWord, range: &Range<usize>) -> Option<Range<usize>> {
    let value = word.text.as_deref()?;
    let (raw, part) = (&text[word.span.clone()], value.get(range.clone())?);
    // The part ends the word or precedes an equal ending, so its last occurrence is the right one.
    let behind = value.len() - range.end;
    let found = raw.get(..raw.len().checked_sub(behind)?).and_then(|raw| raw.rfind(part));
    found.map(|at| word.span.start + at..word.span.start + at + part.len())
}

/// Finds the secrets in the words of one command. A word that is not a literal is `None`.
pub(crate) fn find_word_secrets(keys: &SensitiveKeys, words: &[Option<&str>]) -> Vec<WordSecret> {
    let mut found: Vec<WordSecret> = Vec::new();
    let mut programs: Vec<ProgramPlace> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(value) = *word else { continue };
        // The letters of `-psecret` are not an option name.
        let follows_secret = found.last().is_some_and(|secret| secret.word + 1 == at);
        let by_name = |found: &Range<usize>| !follows_secret || found.start > 0;
        let by_setting = || {
            programs
                .iter()
                .rev()
                .find_map(|program| find_by_setting_name(keys, &words[program.at..], at - program.at, value))
        };
        let secret = (programs.iter().rev())
            .find_map(|program| program.find_secret(words, at))
            .or_else(|| find_by_option_name(keys, words, at).filter(by_name))
            .or_else(by_setting);
        found.extend(secret.into_iter().map(|range| WordSecret { word: at, range }));
        for program in &programs {
            let ranges = cookie_ranges(program, words, at);
            found.extend(ranges.into_iter().map(|range| WordSecret { word: at, range }));
        }
        if programs.len() < MAX_PROGRAMS {
            programs.extend(ProgramPlace::find(words, at));
        }
    }
    found
}

/// The cookie values in an option value, as for `curl -b`.
fn cookie_ranges(program: &ProgramPlace, words: &[Option<&str>], at: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (value, option) = (words[at].unwrap_or_default(), words[at - 1].unwrap_or_default());
    let mut rules = program.rules(words, at).filter(|rule| rule.part == SecretPart::Cookies);
    let takes = |next: &String| program_rules::takes_next_word(next, option);
    if value.contains('=') && rules.any(|rule| rule.next.iter().any(takes)) {
        cookies::find_cookies(value, 0, &mut ranges);
    }
    ranges
}

/// Finds option values whose option name is a sensitive key: `--password X`, `--password=X`, `-Dpassword=X`.
fn find_by_option_name(keys: &SensitiveKeys, words: &[Option<&str>], at: usize) -> Option<Range<usize>> {
    let value = words[at]?;
    if let Some((name, secret)) = value.split_once('=') {
        // The search for named values finds plain words. Only a shell word can hold an operator.
        let quoted = secret.contains([' ', ';', '|', '&', '<', '>', '(', ')']);
        let name = name.rsplit([':', '/']).next().unwrap_or(name).trim_start_matches('-');
        if quoted && is_name(name) && is_secret(keys.judge(name), secret) && !holds_code(secret) {
            return Some(value.len() - secret.len()..value.len());
        }
    }
    let option = words[at.checked_sub(1)?]?;
    let name = option.strip_prefix('-')?.trim_start_matches('-');
    let takes_value = is_name(name)
        && name.len() > 1
        && !program_rules::is_switch(&words[..at], option)
        && !is_option(value);
    let judged = keys.judge_argument(name);
    let secret = takes_value && is_secret(judged, value) && !holds_code(value);
    secret.then_some(0..value.len())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Finds the value after a setting name: `ENV DB_PASSWORD secret`.
fn find_by_setting_name(
    keys: &SensitiveKeys,
    words: &[Option<&str>],
    at: usize,
    value: &str,
) -> Option<Range<usize>> {
    let name = words[at.checked_sub(1)?]?;
    let setting =
        at > 1 && program_rules::names_setting(base_name(words[0]?), &words[..at]) && !name.starts_with('-');
    let name = name.rsplit([':', '/']).next().unwrap_or(name);
    let secret =
        setting && is_name(name) && looks_like_password(value) && is_secret(keys.judge_argument(name), value);
    secret.then_some(0..value.len())
}

/// Finds the secret that a command gives: `echo` or `printf` to the command that reads its output or to a file of secrets,
/// and a here-string or here-document to the command itself.
fn find_given(
    keys: &SensitiveKeys,
    text: &str,
    command: &WordList,
    words: &[Option<&str>],
    reader: Option<&[Option<&str>]>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let written = command.writes.iter().find_map(|path| secret_files::secret_part_of(keys, path));
    let tee = |reader: &[Option<&str>]| {
        let is_tee = reader.iter().flatten().any(|word| *word == "tee");
        let paths =
            || reader.iter().skip(1).flatten().find_map(|path| secret_files::secret_part_of(keys, path));
        is_tee.then(paths).flatten()
    };
    if is_writer(words) {
        let piped = reader.and_then(program_rules::stdin_rule).map(|rule| rule.part);
        if let (Some(word), Some(part)) = (command.words.last(), piped) {
            found.extend(given_span(text, word, part, is_literal_secret));
        }
        if let (Some(word), Some(part)) = (command.words.last(), written.or_else(|| reader.and_then(tee))) {
            found.extend(given_span(text, word, part, secret_files::is_secret_content));
        }
    }
    let reads = program_rules::stdin_rule(words).map(|rule| rule.part);
    let part = reads.or(written).or_else(|| reader.and_then(program_rules::stdin_rule).map(|rule| rule.part));
    if let (Some(word), Some(part)) = (&command.here_string, part) {
        found.extend(given_span(text, word, part, secret_files::is_secret_content));
    }
    if let (Some(document), Some(part)) = (&command.document, reads.or(written)) {
        find_document_lines(text, document, part, &mut found);
    }
    found
}

/// Returns true for a command that writes its last word.
fn is_writer(words: &[Option<&str>]) -> bool {
    let first = words.first().copied().flatten().map(base_name);
    words.len() > 1 && matches!(first, Some("echo" | "printf" | "yes"))
}

fn given_span(
    text: &str,
    word: &SpannedWord,
    part: SecretPart,
    is_secret: fn(&str) -> bool,
) -> Option<Range<usize>> {
    let value = word.text.as_deref()?;
    let range = secret_part(part, value, 0)?;
    let secret = !is_option(value) && is_secret(&value[range.clone()]);
    secret.then(|| source_span(text, word, &range)).flatten()
}

/// Finds here-document lines that are one word.
fn find_document_lines(text: &str, document: &Range<usize>, part: SecretPart, found: &mut Vec<Range<usize>>) {
    let mut at = document.start;
    for line in text.get(document.clone()).unwrap_or_default().split_inclusive('\n') {
        let word = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        if let Some(range) = secret_part(part, word, 0).filter(|_| word.bytes().all(is_literal_byte))
            && secret_files::is_secret_content(&word[range.clone()])
        {
            found.push(start + range.start..start + range.end);
        }
        at += line.len();
    }
}

//! Finds secrets in the words of commands, by the options and positions of `data/programs.toml` and by the names of
//! options.

use super::{
    command_words::{SpannedWord, WordList, split_commands},
    cookies,
    keys::{KeyJudgement, SensitiveKeys},
    literal::{holds_code, is_secret, looks_like_password},
    tables::{OptionRule, PROGRAMS, SecretPart, StdinRule},
};
use std::{collections::HashSet, ops::Range, sync::LazyLock};

/// The number of levels of quoted commands that are read: `ssh host "bash -c 'mysql -psecret'"` has two.
const MAX_NESTING: usize = 3;

/// The number of words of one command that are searched. Later words are data.
const MAX_COMMAND_WORDS: usize = 2_000;

/// The secret part of a word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WordSecret {
    pub(crate) word: usize,
    /// Its bytes in the value of the word.
    pub(crate) range: Range<usize>,
}

/// Adds the spans of the secrets in the commands of `text` to `spans`.
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
    let commands = split_commands(text);
    for (at, command) in commands.iter().enumerate() {
        let words = word_values(command);
        let reader = commands.get(at + 1).filter(|_| command.piped).map(word_values);
        for secret in find_word_secrets(keys, &words, reader.as_deref()) {
            let span = source_span(text, &command.words[secret.word], &secret.range);
            spans.extend(span.map(|span| offset + span.start..offset + span.end));
        }
        for word in command.words.iter().filter(|_| levels > 0) {
            if let Some(inner) = quoted_command(&text[word.span.clone()]) {
                find_at_level(keys, inner, offset + word.span.start + 1, levels - 1, spans);
            }
        }
    }
}

fn word_values(command: &WordList) -> Vec<Option<&str>> {
    command.words.iter().take(MAX_COMMAND_WORDS).map(|word| word.text.as_deref()).collect()
}

/// The text in the quotes of a word that may be a command.
fn quoted_command(raw: &str) -> Option<&str> {
    let quote = raw.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
    (inner.contains(' ') && !inner.contains(quote)).then_some(inner)
}

/// Maps a part of a word's value to the text. A part that quotes interrupt is covered up to its last byte.
fn source_span(text: &str, word: &SpannedWord, range: &Range<usize>) -> Option<Range<usize>> {
    let value = word.text.as_deref()?;
    let (raw, part) = (&text[word.span.clone()], value.get(range.clone())?);
    // The part ends the word or precedes an equal ending, so its last occurrence is the right one.
    let behind = value.len() - range.end;
    let found = raw.get(..raw.len().checked_sub(behind)?).and_then(|raw| raw.rfind(part));
    found.map(|at| word.span.start + at..word.span.start + at + part.len())
}

/// Finds the secrets in the words of one command. A word that is not a literal is `None`. `reader` is the command that
/// reads the output of this one.
pub(crate) fn find_word_secrets(
    keys: &SensitiveKeys,
    words: &[Option<&str>],
    reader: Option<&[Option<&str>]>,
) -> Vec<WordSecret> {
    let mut found = Vec::new();
    let mut program = None;
    for (at, word) in words.iter().enumerate() {
        let Some(value) = *word else { continue };
        // The letters of `-psecret` are not the name of an option.
        let follows_secret = found.last().is_some_and(|secret: &WordSecret| secret.word + 1 == at);
        let by_name = |found: &Range<usize>| !follows_secret || found.start > 0;
        let secret = program
            .and_then(|program| find_by_program(&words[program..], at - program, value))
            .or_else(|| find_by_option_name(keys, words, at).filter(by_name))
            .or_else(|| find_by_setting_name(keys, &words[program?..], at - program?, value));
        found.extend(secret.into_iter().map(|range| WordSecret { word: at, range }));
        found.extend(
            cookie_ranges(&words[program.unwrap_or(0)..at], value)
                .map(|range| WordSecret { word: at, range }),
        );
        if is_program(value) || (program.is_none() && names_setting(base_name(value), None)) {
            program = Some(at);
        }
    }
    found.extend(reader.and_then(|reader| find_piped(words, reader)));
    found
}

fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// True if `name` is `pattern`, in which a `*` at the beginning or end stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix("-*"), pattern.strip_suffix('*')) {
        (Some(letter), _) => {
            name.starts_with('-') && !name.starts_with("--") && name.contains(letter.trim_end_matches('*'))
        }
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

/// The exact names of programs with a rule, and the beginnings of others.
static PROGRAM_NAMES: LazyLock<(HashSet<&str>, Vec<&str>)> = LazyLock::new(|| {
    let names = PROGRAMS.option.iter().flat_map(|rule| rule.programs.iter().map(String::as_str));
    let (starts, exact): (Vec<_>, Vec<_>) = names.partition(|name| name.ends_with('*'));
    (exact.into_iter().collect(), starts.into_iter().map(|name| name.trim_end_matches('*')).collect())
});

fn is_program(word: &str) -> bool {
    let name = base_name(word);
    let (exact, starts) = &*PROGRAM_NAMES;
    exact.contains(name) || starts.iter().any(|start| name.starts_with(start))
}

fn rules_for<'a>(words: &'a [Option<&str>], at: usize) -> impl Iterator<Item = &'static OptionRule> + 'a {
    let name = base_name(words[0].unwrap_or_default());
    PROGRAMS.option.iter().filter(move |rule| {
        rule.programs.iter().any(|program| fits(program, name))
            && rule.with.iter().all(|with| words[..at].iter().flatten().any(|word| fits(with, word)))
    })
}

/// Finds a secret by the rules of the program `words[0]`.
fn find_by_program(words: &[Option<&str>], at: usize, value: &str) -> Option<Range<usize>> {
    let before = words[at - 1].unwrap_or_default();
    for rule in rules_for(words, at).filter(|rule| rule.part != SecretPart::Cookies) {
        let long = rule.next.iter().find_map(|option| {
            let rest = option.starts_with("--").then(|| value.strip_prefix(option.as_str()))??;
            rest.strip_prefix('=').map(|rest| value.len() - rest.len())
        });
        let joined = || {
            let option = rule.joined.iter().find(|option| value.starts_with(option.as_str()))?;
            (value.len() > option.len()).then_some(option.len())
        };
        let follows = || {
            let next = rule.next.iter().any(|option| takes_next_word(option, before)) && !is_option(value);
            (next || is_at_position(rule, words, at)).then_some(0)
        };
        if let Some(start) = long.or_else(joined).or_else(follows) {
            let range =
                secret_part(rule.part, value, start).filter(|range| is_literal_secret(&value[range.clone()]));
            if range.is_some() {
                return range;
            }
        }
    }
    None
}

/// True for a word that may be hidden. A word with operators or substitutions may be a command of its own.
fn is_literal_secret(value: &str) -> bool {
    is_secret(KeyJudgement::Chosen, value) && !holds_code(value)
}

/// True if the option takes no value, so that the next word is an argument.
fn is_switch(before: &[Option<&str>], option: &str) -> bool {
    let named = |program: &String| before.iter().flatten().any(|word| fits(program, base_name(word)));
    PROGRAMS
        .switches
        .iter()
        .any(|rule| rule.options.iter().any(|switch| switch == option) && rule.programs.iter().any(named))
}

/// True if `word` is `option`, or short options of which the last is `option`, as in `-sSu`.
fn takes_next_word(option: &str, word: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let combined = letter.is_some_and(|letter| {
        word.len() <= 8
            && word.strip_prefix('-').is_some_and(|letters| {
                letters.ends_with(letter) && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            })
    });
    word == option || combined
}

/// True if the value is the word at the rule's position after the words of `with`.
fn is_at_position(rule: &OptionRule, words: &[Option<&str>], at: usize) -> bool {
    let Some(position) = rule.position else { return false };
    let last_with = words[..at]
        .iter()
        .rposition(|word| word.is_some_and(|word| rule.with.iter().any(|with| fits(with, word))));
    let between = words[last_with.unwrap_or(0) + 1..=at].iter();
    let plain = between.filter(|word| word.is_none_or(|word| !word.starts_with('-'))).count();
    let repeats = rule.part == SecretPart::Assignment && plain >= position;
    let value = words[at].unwrap_or_default();
    (plain == position || repeats) && !is_option(value) && !value.starts_with('/')
}

/// True if a word is an option and therefore not the value of one.
fn is_option(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter == '-' || letter.is_alphabetic())
}

fn secret_part(part: SecretPart, value: &str, start: usize) -> Option<Range<usize>> {
    let rest = value.get(start..)?;
    let after = |sign: &str| rest.find(sign).map(|at| start + at + sign.len());
    let start = match part {
        SecretPart::All => Some(start),
        SecretPart::AfterColon => after(":"),
        SecretPart::AfterPercent => after("%"),
        SecretPart::AfterPass => after("pass:"),
        SecretPart::Assignment => after("="),
        SecretPart::Cookies => None,
    }?;
    (start < value.len()).then_some(start..value.len())
}

/// The values of cookies in the value of an option such as `curl -b`.
fn cookie_ranges<'a>(
    before: &[Option<&str>],
    value: &'a str,
) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let mut ranges = Vec::new();
    let option = before.last().copied().flatten().unwrap_or_default();
    if !before.is_empty() && value.contains('=') {
        let mut rules = rules_for(before, before.len()).filter(|rule| rule.part == SecretPart::Cookies);
        if rules.any(|rule| rule.next.iter().any(|next| takes_next_word(next, option))) {
            cookies::find_cookies(value, 0, &mut ranges);
        }
    }
    ranges.into_iter()
}

/// Finds the value of an option whose name is a sensitive key: `--password X`, `--password=X`, `-Dpassword=X`.
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
    let takes_value = is_name(name) && name.len() > 1 && !is_switch(&words[..at], option);
    let secret = takes_value && !is_option(value) && is_secret(keys.judge(name), value) && !holds_code(value);
    secret.then_some(0..value.len())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// True if the command takes names and values of settings. Without `words`, only its first word is compared.
fn names_setting(program: &str, words: Option<&[Option<&str>]>) -> bool {
    PROGRAMS.named.iter().any(|named| {
        let (first, second) = named.split_once(' ').unwrap_or((named, ""));
        let has_second = |words: &[Option<&str>]| words.iter().flatten().any(|word| *word == second);
        first == program && (second.is_empty() || words.is_none_or(has_second))
    })
}

/// Finds the value after the name of a setting: `ENV DB_PASSWORD secret`.
fn find_by_setting_name(
    keys: &SensitiveKeys,
    words: &[Option<&str>],
    at: usize,
    value: &str,
) -> Option<Range<usize>> {
    let name = words[at.checked_sub(1)?]?;
    let setting = at > 1 && names_setting(base_name(words[0]?), Some(&words[..at])) && !name.starts_with('-');
    let name = name.rsplit([':', '/']).next().unwrap_or(name);
    let secret = setting && is_name(name) && looks_like_password(value) && is_secret(keys.judge(name), value);
    secret.then_some(0..value.len())
}

/// Finds the secret that `echo` or `printf` writes to a command that reads one.
fn find_piped(words: &[Option<&str>], reader: &[Option<&str>]) -> Option<WordSecret> {
    let writer = base_name(words.first().copied().flatten()?);
    if !matches!(writer, "echo" | "printf") || words.len() < 2 {
        return None;
    }
    let first = reader.iter().flatten().find(|word| **word != "sudo").map(|word| base_name(word))?;
    let rule: &StdinRule = PROGRAMS.stdin.iter().find(|rule| {
        let has_word = |word: &String| reader.iter().flatten().any(|other| other == word);
        rule.programs.iter().any(|program| program == first) && rule.word.as_ref().is_none_or(has_word)
    })?;
    let word = words.len() - 1;
    let value = words[word]?;
    let range = secret_part(rule.part, value, 0)?;
    let secret = !is_option(value) && is_literal_secret(&value[range.clone()]);
    secret.then_some(WordSecret { word, range })
}

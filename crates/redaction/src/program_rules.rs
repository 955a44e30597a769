//! Finds the rules in `data/programs.toml` for command words.

use super::{
    keys::KeyJudgement,
    literal::{holds_code, is_secret, looks_like_password},
    tables::{OptionRule, PROGRAMS, SecretPart, StdinRule},
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

/// The rules by the exact names of programs, and those for the beginnings of names.
#[derive(Default)]
struct ProgramRuleIndex {
    exact: HashMap<&'static str, Vec<&'static OptionRule>>,
    starts: Vec<(&'static str, &'static OptionRule)>,
}

static RULES: LazyLock<ProgramRuleIndex> = LazyLock::new(|| {
    let mut index = ProgramRuleIndex::default();
    for rule in &PROGRAMS.option {
        for program in &rule.programs {
            match program.strip_suffix('*') {
                Some(start) => index.starts.push((start, rule)),
                None => index.exact.entry(program.as_str()).or_default().push(rule),
            }
        }
    }
    index
});

/// The first words of commands that take names and values of settings.
static SETTERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| PROGRAMS.named.iter().filter_map(|named| named.split(' ').next()).collect());

/// Options whose value is a name, so it does not name a program to start.
const NAMING_OPTIONS: &[&str] = &[
    "--name",
    "--hostname",
    "--network",
    "--net",
    "--label",
    "--tag",
    "--image",
    "--service",
    "--namespace",
    "--app",
];

/// A word that names a program, and the rules for it.
pub(crate) struct ProgramPlace {
    pub(crate) at: usize,
    rules: Vec<&'static OptionRule>,
}

impl ProgramPlace {
    /// Returns the place if the word names a program with rules or one that sets values.
    pub(crate) fn find(words: &[Option<&str>], at: usize) -> Option<Self> {
        let before = at.checked_sub(1).and_then(|before| words[before]);
        if before.is_some_and(|before| NAMING_OPTIONS.contains(&before)) {
            return None;
        }
        let name = base_name(words[at]?);
        let mut rules = RULES.exact.get(name).cloned().unwrap_or_default();
        rules.extend(RULES.starts.iter().filter(|(start, _)| name.starts_with(start)).map(|(_, rule)| *rule));
        (!rules.is_empty() || SETTERS.contains(name)).then_some(Self { at, rules })
    }

    /// The rules whose other words precede the word `at`.
    pub(crate) fn rules(
        &self,
        words: &[Option<&str>],
        at: usize,
    ) -> impl Iterator<Item = &'static OptionRule> {
        let before = &words[self.at..at];
        self.rules.iter().copied().filter(move |rule| {
            rule.with.iter().all(|with| before.iter().flatten().any(|word| fits(with, word)))
        })
    }

    /// Finds a secret in the word `at`.
    pub(crate) fn find_secret(&self, words: &[Option<&str>], at: usize) -> Option<Range<usize>> {
        let (value, before) = (words[at]?, words[at - 1].unwrap_or_default());
        let rules = self.rules(words, at).filter(|rule| rule.part != SecretPart::Cookies);
        let mut found = rules.filter_map(|rule| {
            let start = self.value_start(rule, words, at, before)?;
            secret_part(rule.part, value, start).filter(|range| is_literal_secret(&value[range.clone()]))
        });
        found.next()
    }

    /// The offset in the word where the rule's value starts.
    fn value_start(
        &self,
        rule: &OptionRule,
        words: &[Option<&str>],
        at: usize,
        before: &str,
    ) -> Option<usize> {
        let value = words[at]?;
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
            let last = rule.last && at + 1 == words.len() && !is_option(value) && looks_like_password(value);
            (next && !is_address(value) || last || is_at_position(rule, &words[self.at..], at - self.at))
                .then_some(0)
        };
        long.or_else(joined).or_else(follows)
    }
}

pub(crate) fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns true if `name` is `pattern`, in which a `*` at the start or end stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix("-*"), pattern.strip_suffix('*')) {
        (Some(letter), _) => {
            name.starts_with('-') && !name.starts_with("--") && name.contains(letter.trim_end_matches('*'))
        }
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

/// Returns true for a word that may be hidden. A word with operators or substitutions may itself be a command.
pub(crate) fn is_literal_secret(value: &str) -> bool {
    is_secret(KeyJudgement::Chosen, value) && !holds_code(value)
}

/// Returns true for ports and addresses: `8080:80`, `127.0.0.1:5432`. The same option names them for other programs.
fn is_address(value: &str) -> bool {
    value.contains(':') && value.bytes().all(|byte| byte.is_ascii_digit() || b".:/-".contains(&byte))
}

/// Returns true if the option takes no value, so that the next word is an argument.
pub(crate) fn is_switch(before: &[Option<&str>], option: &str) -> bool {
    let named = |program: &String| before.iter().flatten().any(|word| fits(program, base_name(word)));
    PROGRAMS
        .switches
        .iter()
        .any(|rule| rule.options.iter().any(|switch| switch == option) && rule.programs.iter().any(named))
}

/// Returns true if `word` is `option`, or short options that end in `option`, as in `-sSu`.
pub(crate) fn takes_next_word(option: &str, word: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let combined = letter.is_some_and(|letter| {
        word.len() <= 8
            && word.strip_prefix('-').is_some_and(|letters| {
                letters.ends_with(letter) && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            })
    });
    word == option || combined
}

/// Returns true if the value is the word at the rule position after the words of `with`.
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

/// Returns true if a word is an option and therefore not an option value.
pub(crate) fn is_option(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter == '-' || letter.is_alphabetic())
}

/// The part of `value` from `start` that is secret.
pub(crate) fn secret_part(part: SecretPart, value: &str, start: usize) -> Option<Range<usize>> {
    let rest = value.get(start..)?;
    let after = |sign: &str| rest.find(sign).map(|at| start + at + sign.len());
    let begin = match part {
        SecretPart::All => Some(start),
        SecretPart::AfterColon => after(":"),
        SecretPart::AfterPercent => after("%"),
        SecretPart::AfterComma => after(","),
        SecretPart::AfterSlash => after("/"),
        SecretPart::AfterPass => after("pass:"),
        SecretPart::Assignment => after("="),
        SecretPart::Cookies => None,
    }?;
    let ends_at_host = part == SecretPart::AfterSlash;
    let end = value.rfind('@').filter(|end| ends_at_host && *end > begin).unwrap_or(value.len());
    (begin < end).then_some(begin..end)
}

/// Returns true if the command takes setting names and values, as `words` before the name show.
pub(crate) fn names_setting(program: &str, words: &[Option<&str>]) -> bool {
    SETTERS.contains(program)
        && PROGRAMS.named.iter().any(|named| {
            let (first, second) = named.split_once(' ').unwrap_or((named, ""));
            first == program && (second.is_empty() || words.iter().flatten().any(|word| *word == second))
        })
}

/// The rule by which a command reads a secret from its input, and does not run it.
pub(crate) fn stdin_rule(reader: &[Option<&str>]) -> Option<&'static StdinRule> {
    let program = |word: &&str| *word != "sudo" && !is_option(word) && !word.contains('=');
    let first = reader.iter().flatten().find(|word| program(word)).map(|word| base_name(word))?;
    let is_sudo = reader.first().copied().flatten().map(base_name) == Some("sudo");
    PROGRAMS.stdin.iter().find(|rule| {
        let named = |name: &str| rule.programs.iter().any(|program| program == name);
        let has_word = |word: &String| reader.iter().flatten().any(|other| other == word);
        let starts = rule.starts.is_empty() || is_sudo && starts_one_of(&rule.starts, reader, first);
        (named(first) || is_sudo && named("sudo") && !rule.starts.is_empty())
            && starts
            && rule.words.iter().all(has_word)
    })
}

/// Returns true if the program after `sudo` and its switches is in the list, or only an option without a program.
fn starts_one_of(starts: &[String], reader: &[Option<&str>], first: &str) -> bool {
    let listed = |word: &str| starts.iter().any(|start| start == word);
    let with_value =
        reader.iter().flatten().any(|word| matches!(*word, "-u" | "-g" | "-h" | "-p" | "-D" | "-R" | "-T"));
    !with_value
        && reader.iter().all(Option::is_some)
        && (listed(first) || !reader.iter().flatten().skip(1).any(|word| !is_option(word)))
}

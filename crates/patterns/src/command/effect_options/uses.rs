//! Finds the options of the table that the words of a command use.

use super::{
    scripts::{has_awk_effect, has_sed_effect},
    table::{EffectOption, EffectTable, ProgramEffects},
};
use crate::invisible::HOLE;

/// The maximum number of words that are examined.
pub(super) const MAX_WORDS: usize = 1000;
/// The maximum number of programs that are examined in the arguments of a program that runs others.
const MAX_PROGRAMS: usize = 8;

/// One use of an option of the table.
#[derive(Debug, Clone)]
pub(super) struct OptionUse<'a> {
    pub(super) option: &'static EffectOption,
    /// The part of the word that names the option: `--outp`, `-no`, `+`.
    pub(super) written: &'a str,
    /// The index of the word in the command.
    pub(super) at: usize,
    /// The index of its spelling.
    pub(super) spelling: usize,
    pub(super) form: OptionForm<'a>,
}

/// The form in which an option is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionForm<'a> {
    /// `--output`, `--output=value`, `-exec`.
    Long(Option<&'a str>),
    /// A letter in a bundle, with the rest of the word if it is the value.
    Short(char, &'a str),
    /// The start of an operand, and its rest.
    Prefix(&'a str),
    /// A whole word.
    Word,
}

/// True if a program that runs others has more programs in its arguments than are examined.
pub(super) fn has_many_programs(words: &[&str]) -> bool {
    let table = EffectTable::shared();
    words.first().is_some_and(|first| table.is_runner(first))
        && words.iter().skip(1).filter(|word| table.find_program(word).next().is_some()).count()
            > MAX_PROGRAMS
}

/// The options that apply to a command.
pub(super) fn find_tables<'a>(
    words: &'a [&'a str],
) -> impl Iterator<Item = (usize, &'static ProgramEffects)> + 'a {
    let table = EffectTable::shared();
    let is_runner = words.first().is_some_and(|first| table.is_runner(first));
    let others = words.iter().enumerate().skip(1).take(if is_runner { MAX_WORDS } else { 0 });
    let starts = others.filter(|(_, word)| table.find_program(word).next().is_some()).take(MAX_PROGRAMS);
    let starts = std::iter::once(0).chain(starts.map(|(at, _)| at)).filter(|at| *at < words.len());
    starts.flat_map(move |start| {
        let arguments = &words[start..];
        table
            .find_program(words[start])
            .filter(move |program| begin(program, arguments).is_some())
            .map(move |program| (start, program))
    })
}

/// The options of the table that the words use.
pub(super) fn find_uses<'a>(words: &'a [&'a str]) -> Vec<OptionUse<'a>> {
    let mut found: Vec<OptionUse<'a>> = Vec::new();
    for (start, program) in find_tables(words) {
        let command = &words[start..words.len().min(start + MAX_WORDS)];
        let mut reader = UseReader { program, command, start, found: Vec::new(), operands: 0, long_flags: 0 };
        reader.read();
        found.extend(reader.found);
    }
    found.sort_by_key(|option| option.at);
    found
}

/// The index of the subcommand: the first word that is neither an option nor the value of one.
pub(super) fn find_subcommand(command: &[&str]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = command.get(at) {
        if !word.starts_with('-') || word.contains(HOLE) {
            return Some(at);
        }
        at += 1 + usize::from(EffectTable::shared().takes_global_value(command[0], word));
    }
    None
}

/// True if the subcommand is missing or unknown.
pub(super) fn has_no_subcommand(command: &[&str]) -> bool {
    find_subcommand(command).is_none_or(|at| command[at].contains(HOLE))
}

/// The index of the first word to which the options apply. `None` if they do not apply to the command.
fn begin(program: &ProgramEffects, command: &[&str]) -> Option<usize> {
    let subcommand = || find_subcommand(command).map(|at| command[at]).filter(|word| !word.contains(HOLE));
    if !program.subcommands.is_empty() {
        let at = find_subcommand(command).unwrap_or(command.len());
        // A word before the subcommand may be the value of an unknown option, so any word of the list counts.
        let is_listed = |(index, word): (usize, &&str)| {
            program.subcommands.iter().any(|listed| listed == word) || index <= at && word.contains(HOLE)
        };
        return command.iter().enumerate().skip(1).position(is_listed).map(|index| index + 2);
    }
    let is_excepted =
        subcommand().is_some_and(|found| program.except.iter().any(|excepted| excepted == found));
    (!is_excepted).then_some(1)
}

/// Reads the arguments of one command.
struct UseReader<'a> {
    program: &'static ProgramEffects,
    command: &'a [&'a str],
    /// The index of the command's first word.
    start: usize,
    found: Vec<OptionUse<'a>>,
    /// The number of operands so far.
    operands: usize,
    /// The number of long options so far that may take the next word as their value.
    long_flags: usize,
}

impl<'a> UseReader<'a> {
    fn read(&mut self) {
        let first = begin(self.program, self.command).unwrap_or(self.command.len());
        let end = if self.program.before_subcommand { find_subcommand(self.command) } else { None };
        let end = end.unwrap_or(self.command.len());
        let (mut is_value, mut options_ended) = (false, false);
        for at in first..end {
            let word = self.command[at];
            let may_be_value = std::mem::take(&mut is_value);
            if word == "--" && self.program.bundles {
                // After an option, the dashes may be its value.
                options_ended |= !self.command[at - 1].starts_with('-');
            } else if !options_ended && word.len() > 1 && word.starts_with('-') {
                is_value = self.read_option(at, word);
            } else if !may_be_value {
                self.read_operand(at, word, first);
            }
        }
    }

    fn add(&mut self, at: usize, spelling: (usize, usize), written: &'a str, form: OptionForm<'a>) {
        let option = &self.program.options[spelling.0];
        let attached = match form {
            OptionForm::Long(value) => value,
            OptionForm::Short(_, value) => Some(value).filter(|value| !value.is_empty()),
            OptionForm::Prefix(_) | OptionForm::Word => None,
        };
        let value = attached.or_else(|| self.command.get(at + 1).copied());
        let has_effect = |value: &str| {
            let value = value.trim_start().to_ascii_lowercase();
            value.contains(HOLE) || option.values.iter().any(|begin| value.starts_with(begin))
        };
        if option.values.is_empty() || value.is_some_and(has_effect) {
            let at = at + self.start;
            self.found.push(OptionUse { option, written, at, spelling: spelling.1, form });
        }
    }

    fn spellings(&self) -> impl Iterator<Item = ((usize, usize), &'static str)> + use<> {
        self.program.options.iter().enumerate().flat_map(|(row, option)| {
            option.spellings.iter().enumerate().map(move |(at, text)| ((row, at), text.as_str()))
        })
    }

    /// Reads a word that begins with a dash. Returns true if it takes the next word as its value.
    fn read_option(&mut self, at: usize, word: &'a str) -> bool {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let may_shorten = self.program.abbreviations;
        let exact = self.spellings().find(|(_, text)| is_long_option(name, text));
        let found =
            exact.or_else(|| self.spellings().find(|(_, text)| may_shorten && is_abbreviation(name, text)));
        if let Some((spelling, _)) = found {
            self.add(at, spelling, name, OptionForm::Long(value));
            return self.program.options[spelling.0].value && value.is_none();
        }
        if word.starts_with("--") {
            self.long_flags += usize::from(value.is_none());
            self.read_sed_option(at, name, value);
            return false;
        }
        self.read_letters(at, word, 1)
    }

    /// Reads a bundle of short options from the byte `from`. Returns true if the last takes the next word as its value.
    fn read_letters(&mut self, at: usize, word: &'a str, from: usize) -> bool {
        for (offset, letter) in word.char_indices().skip(from) {
            let after = offset + letter.len_utf8();
            let rest = &word[after..];
            let known = self.spellings().find(|(_, text)| {
                text.len() == 2 && text.starts_with('-') && text.ends_with(letter) && letter.is_ascii()
            });
            if let Some((spelling, _)) = known {
                let takes_value = self.program.options[spelling.0].value && from > 0;
                let value = if takes_value { rest } else { "" };
                // A bundle without a dash is named only as a whole: `x` could be any word of a pattern.
                let written = if from == 0 { word } else { &word[..after] };
                self.add(at, spelling, written, OptionForm::Short(letter, value));
                if takes_value {
                    return rest.is_empty();
                }
            } else if from > 0 && self.program.short_values.contains(letter) {
                if letter == 'e' {
                    self.read_sed_value(at, rest);
                }
                return rest.is_empty();
            } else if from > 0 && self.program.optional_values.contains(letter) {
                return false;
            }
            if !self.program.bundles {
                return false;
            }
        }
        false
    }

    fn read_operand(&mut self, at: usize, word: &'a str, first: usize) {
        self.operands += 1;
        if self.program.leading_bundle && at == first {
            self.read_letters(at, word, 0);
        }
        for (spelling, text) in self.spellings() {
            let is_prefix = text.ends_with(['=', ':', '+', '@']) && !text.starts_with('-');
            if is_prefix {
                if let Some(rest) = word.strip_prefix(text).filter(|rest| !rest.is_empty()) {
                    self.add(at, spelling, &word[..text.len()], OptionForm::Prefix(rest));
                }
            } else if text == word || self.is_special(text, at, word) {
                self.add(at, spelling, word, OptionForm::Word);
            }
        }
    }

    /// True if the operand is one of a kind that has an effect.
    fn is_special(&self, kind: &str, at: usize, word: &str) -> bool {
        match kind {
            "<operand>" => true,
            "<second operand>" => self.operands > 1,
            "<number>" => word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'),
            "<assignment>" => word.contains('='),
            "<awk program>" => has_awk_effect(word),
            "<sed script>" => {
                self.operands <= 1 + self.long_flags && !self.has_sed_option(at) && has_sed_effect(word)
            }
            _ => false,
        }
    }

    /// True if an option before the word contains the script of `sed`, so that no operand does.
    fn has_sed_option(&self, at: usize) -> bool {
        let is_script = |word: &&str| {
            word.starts_with("--e") || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
        };
        self.command[1..at].iter().take_while(|word| **word != "--").any(is_script)
    }

    fn read_sed_option(&mut self, at: usize, name: &'a str, value: Option<&'a str>) {
        if name.len() > 2 && "--expression".starts_with(name) {
            self.read_sed_value(at, value.unwrap_or_default());
        }
    }

    /// Reads the script in the value of `-e`, or in the next word.
    fn read_sed_value(&mut self, at: usize, attached: &'a str) {
        let Some((spelling, _)) = self.spellings().find(|(_, text)| *text == "<sed script>") else { return };
        let next = if attached.is_empty() { self.command.get(at + 1) } else { None };
        let (at, script) = next.map_or((at, attached), |next| (at + 1, *next));
        if has_sed_effect(script) {
            self.add(at, spelling, script, OptionForm::Word);
        }
    }
}

/// True if `name` is the long option, with one or two dashes.
fn is_long_option(name: &str, option: &str) -> bool {
    match option.strip_suffix('*') {
        Some(begin) => name.len() > 2 && name.starts_with(begin),
        None if option.starts_with("--") => name == option,
        None => option.len() > 2 && option.starts_with('-') && (name == option || name[1..] == *option),
    }
}

/// True if `name` is an abbreviation of the long option, as many programs accept.
fn is_abbreviation(name: &str, option: &str) -> bool {
    name.len() > 2 && option.starts_with("--") && option.starts_with(name)
}

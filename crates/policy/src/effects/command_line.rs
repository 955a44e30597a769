//! The operands and options of a command, for programs with subcommands.

use super::word_list::has_word;
use countersign_patterns::command::CommandWords;

/// A command without its program.
pub(super) struct SubcommandLine<'a> {
    pub(super) operands: Vec<Operand<'a>>,
    /// The options, with their values.
    pub(super) options: Vec<(&'a str, Option<&'a str>)>,
}

/// A word that is neither an option nor a known option's value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand<'a> {
    /// The word; `None` if only the shell knows it.
    pub(super) text: Option<&'a str>,
    /// Whether it follows an option that is not known, so that it may be the value of that option.
    pub(super) may_be_value: bool,
}

/// The options of a program, as lists of words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KnownOptions {
    /// The options whose value may be the next word.
    pub(super) values: &'static str,
    /// The options without a value.
    pub(super) flags: &'static str,
}

impl<'a> SubcommandLine<'a> {
    pub(super) fn read(command: CommandWords<'a>, known: KnownOptions) -> Self {
        let mut line = Self { operands: Vec::new(), options: Vec::new() };
        let mut words = command.arguments();
        let mut may_be_value = false;
        let mut only_operands = false;
        while let Some(word) = words.next() {
            let text = word.filter(|word| !only_operands && word.len() > 1 && word.starts_with('-'));
            let Some(option) = text else {
                line.operands.push(Operand { text: word, may_be_value });
                may_be_value = false;
                continue;
            };
            may_be_value = false;
            if option == "--" {
                only_operands = true;
            } else if let Some((name, value)) = option.split_once('=') {
                line.options.push((name, Some(value)));
            } else if has_word(known.values, option) {
                line.options.push((option, words.next().flatten()));
            } else {
                may_be_value = !has_word(known.flags, option);
                line.options.push((option, None));
            }
        }
        line
    }

    /// The operands as strings.
    pub(super) fn texts(&self) -> impl Iterator<Item = Option<&'a str>> + '_ {
        self.operands.iter().map(|operand| operand.text)
    }

    /// The value of the last of these options, if it is known.
    pub(super) fn value_of(&self, names: &str) -> Option<&'a str> {
        self.options.iter().rfind(|(name, _)| has_word(names, name)).and_then(|(_, value)| *value)
    }

    pub(super) fn has_option(&self, names: &str) -> bool {
        self.options.iter().any(|(name, _)| has_word(names, name))
    }
}

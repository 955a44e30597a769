//! Finds the words with which a program runs its arguments.

use super::{
    code_arguments::find_code_argument,
    code_table::{CODE_PROGRAMS, CODE_SHAPES, CodeShape},
    line::CommandWord,
    runner_table::is_runner,
    shells::SHELLS,
};
use crate::MatchAnswer;

/// The reason why a command may run its arguments. A pattern allows the command only if it shows the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeReason {
    /// The program itself runs its arguments.
    Program,
    /// These words of the command make the program do so.
    Words(Vec<CodeWord>),
    /// An expansion may result in such a word.
    Expansion,
}

/// A word with which a program runs its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeWord {
    /// The word as shown to an approver.
    shown: String,
    /// The name of the option, if the word is one.
    option: &'static str,
}

impl CodeReason {
    /// True if a pattern shows the words, each as often as the command contains it.
    pub(super) fn is_shown_in(&self, pattern: &str) -> bool {
        let Self::Words(words) = self else { return *self == Self::Program };
        let mut parts: Vec<&str> = pattern.split([' ', '{', '}', ',']).collect();
        words.iter().all(|word| {
            if word.shown.starts_with('\'') {
                return pattern.contains(&word.shown);
            }
            let shows =
                |part: &&str| **part == word.shown || word.option.len() > 2 && part.starts_with(word.option);
            let found = parts.iter().position(shows);
            found.map(|at| parts.swap_remove(at)).is_some()
        })
    }
}

/// Finds the reason why a command may run its arguments.
pub(super) fn find_code(words: &[CommandWord]) -> Option<CodeReason> {
    let (first, arguments) = words.split_first()?;
    let name = first.text.rsplit('/').next().unwrap_or_default();
    if CODE_PROGRAMS.contains(&name) || SHELLS.contains(&name) || is_runner(name) {
        return Some(CodeReason::Program);
    }
    let shapes = || CODE_SHAPES.iter().filter(|shape| shape.program == name);
    if shapes().any(|shape| may_have_shape(shape, arguments)) {
        return Some(CodeReason::Expansion);
    }
    let mut found: Vec<CodeWord> = shapes().flat_map(|shape| find_shape(shape, arguments)).collect();
    match find_code_argument(name, arguments) {
        Some(word) if !word.is_literal() => return Some(CodeReason::Expansion),
        Some(word) => found.push(CodeWord { shown: word.shown(), option: "" }),
        None => {}
    }
    (!found.is_empty()).then_some(CodeReason::Words(found))
}

/// The words of the shape, if the arguments have it.
fn find_shape(shape: &'static CodeShape, arguments: &[CommandWord]) -> Vec<CodeWord> {
    if match_subcommands(shape, arguments) != MatchAnswer::Yes {
        return Vec::new();
    }
    let subcommands = shape.subcommands.iter().map(|&word| CodeWord { shown: word.to_owned(), option: "" });
    if shape.option.is_empty() {
        return subcommands.collect();
    }
    let end = if shape.leads { count_leading(arguments) } else { arguments.len() };
    let is_first_cluster = |at: usize| at == 0 && shape.program == "tar";
    let has_option = |(at, word): &(usize, &CommandWord)| {
        is_option(&word.text, shape.option)
            || is_first_cluster(*at) && is_option(&format!("-{}", word.text), shape.option)
    };
    let options = arguments[..end].iter().enumerate().filter(has_option);
    let options: Vec<_> =
        options.map(|(_, word)| CodeWord { shown: word.shown(), option: shape.option }).collect();
    if options.is_empty() { options } else { subcommands.chain(options).collect() }
}

/// True if an expansion in the arguments may result in the shape.
fn may_have_shape(shape: &CodeShape, arguments: &[CommandWord]) -> bool {
    let is_open = |words: &[CommandWord]| words.iter().any(CommandWord::may_be_option);
    match match_subcommands(shape, arguments) {
        MatchAnswer::No => false,
        MatchAnswer::Unclear => true,
        MatchAnswer::Yes if shape.leads => {
            let leading = count_leading(arguments);
            is_open(&arguments[..leading]) || arguments.get(leading).is_some_and(|word| !word.is_literal())
        }
        MatchAnswer::Yes => !shape.option.is_empty() && is_open(arguments),
    }
}

/// The number of arguments before the first one that is not an option. An option may take the next word as its value.
fn count_leading(arguments: &[CommandWord]) -> usize {
    let is_operand = |at: &usize| {
        !arguments[*at].text.starts_with('-') && (*at == 0 || !takes_value(&arguments[*at - 1].text))
    };
    (0..arguments.len()).find(is_operand).unwrap_or(arguments.len())
}

/// True if the word is an option that may take the next word as its value.
fn takes_value(text: &str) -> bool {
    text.starts_with('-') && !text.contains('=')
}

/// Matches the words that are not options with the subcommands, in every reading of the options.
fn match_subcommands(shape: &CodeShape, arguments: &[CommandWord]) -> MatchAnswer {
    let all = shape.subcommands.len();
    // Each value is true if some reading has met so many of the subcommands.
    let mut met = vec![false; all + 1];
    met[0] = true;
    for (at, word) in arguments.iter().enumerate() {
        if met[all] {
            break;
        }
        if !word.is_literal() {
            return MatchAnswer::Unclear;
        }
        let is_skipped = word.text.starts_with('-') || at > 0 && takes_value(&arguments[at - 1].text);
        for count in (0..all).rev() {
            met[count + 1] |= met[count] && word.text == shape.subcommands[count];
            met[count] &= is_skipped;
        }
        if !met.contains(&true) {
            return MatchAnswer::No;
        }
    }
    MatchAnswer::from_bool(met[all])
}

/// True if a word is the option, also with a value, shortened, or in a cluster of letters.
fn is_option(text: &str, option: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    if option.starts_with("--") {
        return name == option || name.len() > 4 && name.starts_with("--") && option.starts_with(name);
    }
    if option == "+" {
        return text.starts_with('+');
    }
    if option.len() > 2 {
        return name == option || name == format!("-{option}");
    }
    let letter = &option[1..];
    text.starts_with('-') && !text.starts_with("--") && text[1..].contains(letter)
}

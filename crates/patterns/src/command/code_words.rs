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
    Words(Vec<String>),
    /// An expansion may result in such a word.
    Expansion,
}

/// Finds the reason why a command may run its arguments.
pub(super) fn find_code(words: &[CommandWord]) -> Option<CodeReason> {
    let (first, arguments) = words.split_first()?;
    let name = first.text.rsplit('/').next().unwrap_or_default();
    if CODE_PROGRAMS.contains(&name) || SHELLS.contains(&name) || is_runner(name) {
        return Some(CodeReason::Program);
    }
    let shapes = || CODE_SHAPES.iter().filter(|shape| shape.program == name);
    if let Some(words) = shapes().find_map(|shape| find_shape(shape, arguments)) {
        return Some(CodeReason::Words(words));
    }
    if shapes().any(|shape| may_have_shape(shape, arguments)) {
        return Some(CodeReason::Expansion);
    }
    let found = find_code_argument(name, arguments)?;
    Some(if found.is_literal() { CodeReason::Words(vec![found.shown()]) } else { CodeReason::Expansion })
}

/// The words of the shape, if the arguments have it.
fn find_shape(shape: &CodeShape, arguments: &[CommandWord]) -> Option<Vec<String>> {
    let mut found: Vec<String> = shape.subcommands.iter().map(|&word| word.to_owned()).collect();
    if match_subcommands(shape, arguments) != MatchAnswer::Yes {
        return None;
    }
    if !shape.option.is_empty() {
        let end = if shape.leads { count_leading(arguments) } else { arguments.len() };
        let is_first_cluster = |at: usize| at == 0 && shape.program == "tar";
        let has_option = |(at, word): &(usize, &CommandWord)| {
            is_option(&word.text, shape.option)
                || is_first_cluster(*at) && is_option(&format!("-{}", word.text), shape.option)
        };
        let (_, option) = arguments[..end].iter().enumerate().find(has_option)?;
        found.push(option.text.clone());
    }
    Some(found)
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

/// The number of arguments before the first one that is no option. An option may take the next word as its value.
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

/// Matches the words that are no options with the subcommands, in any reading of the options.
fn match_subcommands(shape: &CodeShape, arguments: &[CommandWord]) -> MatchAnswer {
    let mut expected = shape.subcommands.iter().peekable();
    for (at, word) in arguments.iter().enumerate() {
        match expected.peek() {
            None => return MatchAnswer::Yes,
            Some(_) if !word.is_literal() => return MatchAnswer::Unclear,
            Some(next) if word.text == **next => drop(expected.next()),
            Some(_) if word.text.starts_with('-') || at > 0 && takes_value(&arguments[at - 1].text) => {}
            Some(_) => return MatchAnswer::No,
        }
    }
    MatchAnswer::from_bool(expected.peek().is_none())
}

/// True if a word is the option, also with a value, shortened, or in a cluster of letters.
fn is_option(text: &str, option: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    if option.starts_with("--") {
        return name == option || name.len() > 4 && name.starts_with("--") && option.starts_with(name);
    }
    if option.len() > 2 {
        return name == option;
    }
    let letter = &option[1..];
    text.starts_with('-') && !text.starts_with("--") && text[1..].contains(letter)
}

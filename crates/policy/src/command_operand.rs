//! The command in a call: one script, one list of words, or a program and its arguments in two values.

use crate::{
    RuleEffect,
    operands::{OperandValue, has_mapped_arguments},
    outcome::SelectorHit,
    shell_wrapper::{script_of_line, script_of_words},
    tools::{ARGUMENT_KEYS, OperandKind},
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{
    CommandPattern, MatchAnswer, ParsedScript,
    command::{self, FileCover, is_other_shell},
};
use std::iter;

/// The program keys whose arguments may be in another value of the same object.
const PROGRAM_KEYS: &[&str] = &["command", "cmd", "program", "executable"];

/// How a rule matches commands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandMatch {
    pub(crate) effect: RuleEffect,
    /// What shows the files of redirections, for a rule that allows.
    pub(crate) files: FileCover,
}

/// A command in every way in which the tool may run it.
#[derive(Debug)]
pub(crate) struct CommandOperand {
    /// The command as shown in a reason.
    pub(crate) text: String,
    reading: ParsedScript,
    /// The script, if the command only calls a shell to run it.
    wrapped: Option<ParsedScript>,
    /// The words joined without quotes and read as a script, if that is another command. A tool may pass its list to a
    /// shell in this way.
    joined: Option<ParsedScript>,
}

impl CommandOperand {
    /// Reads the command. With `argv`, the tool runs a list of words without a shell.
    pub(crate) fn read(found: OperandValue<'_>, tool: &str, argv: bool) -> Result<Self, SelectorHit> {
        if let (OrderedValue::Text(text), true) = (found.value, is_for_other_shell(found, tool)) {
            let reading = ParsedScript::of_other_shell(text);
            return Ok(Self { text: text.clone(), reading, wrapped: None, joined: None });
        }
        let arguments = read_arguments(found)?;
        match found.value {
            OrderedValue::Text(text) if arguments.is_empty() => Ok(Self::from_script(text)),
            OrderedValue::Text(program) => {
                Ok(Self::from_words(&[&[program.as_str()], &*arguments].concat(), argv))
            }
            OrderedValue::List(words) if !words.is_empty() => {
                let program = read_words(words).ok_or_else(|| found.wrong_type(OperandKind::Command))?;
                Ok(Self::from_words(&[program, arguments].concat(), argv))
            }
            _ => Err(found.wrong_type(OperandKind::Command)),
        }
    }

    fn from_script(text: &str) -> Self {
        let wrapped = script_of_line(text).map(|script| ParsedScript::parse(&script));
        Self { text: text.to_owned(), reading: ParsedScript::parse(text), wrapped, joined: None }
    }

    fn from_words(words: &[&str], argv: bool) -> Self {
        let text = words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ");
        let joined = words.join(" ");
        let joined = (!argv && joined != text).then(|| ParsedScript::parse(&joined));
        let wrapped = script_of_words(words).map(ParsedScript::parse);
        Self { reading: ParsedScript::parse(&text), text, wrapped, joined }
    }

    /// Matches the patterns. To allow, each reading of the command must match. To restrict, the words as a list decide,
    /// and a match in only the other reading is unclear.
    pub(crate) fn match_patterns(&self, patterns: &[CommandPattern], way: CommandMatch) -> MatchAnswer {
        let effect = way.effect;
        let answer = |script: &ParsedScript| match effect {
            RuleEffect::Widen => command::match_every_in(patterns, script, way.files),
            RuleEffect::Restrict => command::match_any(patterns, script),
        };
        let first = self.match_wrapped(effect, answer(&self.reading), answer);
        let Some(second) = self.joined.as_ref().map(answer) else { return first };
        match (effect, first, second) {
            (RuleEffect::Widen, MatchAnswer::No, _) | (RuleEffect::Widen, _, MatchAnswer::No) => {
                MatchAnswer::No
            }
            (RuleEffect::Restrict, MatchAnswer::Yes, _) => MatchAnswer::Yes,
            (RuleEffect::Widen, first, MatchAnswer::Yes) | (RuleEffect::Restrict, first, MatchAnswer::No) => {
                first
            }
            (_, _, _) => MatchAnswer::Unclear,
        }
    }

    /// A rule that allows a shell script, or the shell call, allows both. A rule that restricts either of them
    /// restricts both.
    fn match_wrapped(
        &self,
        effect: RuleEffect,
        outer: MatchAnswer,
        answer: impl Fn(&ParsedScript) -> MatchAnswer,
    ) -> MatchAnswer {
        let Some(inner) = self.wrapped.as_ref().map(answer) else { return outer };
        match (effect, outer, inner) {
            (_, MatchAnswer::Yes, _) | (_, _, MatchAnswer::Yes) => MatchAnswer::Yes,
            (RuleEffect::Restrict, MatchAnswer::No, inner) => inner,
            (_, outer, _) => outer,
        }
    }

    /// Every way in which the tool may run the command.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &ParsedScript> {
        iter::once(self.script()).chain(&self.joined)
    }

    /// What the command runs: a shell script, or the command itself.
    fn script(&self) -> &ParsedScript {
        self.wrapped.as_ref().unwrap_or(&self.reading)
    }

    /// Why the command cannot be read with certainty, whatever its commands are.
    pub(crate) fn explain_unreadable(&self) -> Option<&'static str> {
        self.scripts().find_map(ParsedScript::explain_unreadable)
    }

    /// The command, if the operand is one command and nothing else.
    pub(crate) fn only_command(&self) -> Option<&str> {
        let mut commands = self.script().commands();
        commands.next().filter(|_| self.joined.is_none() && commands.next().is_none())
    }

    /// A pattern for this command and similar ones.
    pub(crate) fn suggest(&self) -> Option<String> {
        self.script().suggest()
    }
}

/// Whether the tool, or the argument `shell` beside the command, names a shell whose grammar is not read.
fn is_for_other_shell(found: OperandValue<'_>, tool: &str) -> bool {
    let shell = found.parent.and_then(|parent| parent.get("shell")).and_then(OrderedValue::text);
    names_other_shell(tool) || shell.is_some_and(is_other_shell)
}

/// Whether the tool name has such a shell name as one of its words. `cmd` is recognised only as the whole name, because
/// other tools call a command `cmd`.
pub(crate) fn names_other_shell(tool: &str) -> bool {
    let words =
        tool.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.eq_ignore_ascii_case("cmd"));
    let own = tool.rsplit("__").next().unwrap_or_default();
    is_other_shell(own) || words.map(|word| word.trim_end_matches("Tool")).any(is_other_shell)
}

/// The arguments next to a program. Empty if there are none.
fn read_arguments(found: OperandValue<'_>) -> Result<Vec<&str>, SelectorHit> {
    if found.has_mapped_arguments || !is_program(found.pointer) {
        return Ok(Vec::new());
    }
    let is_present = |value: &&OrderedValue| !matches!(value, OrderedValue::Null);
    let values = ARGUMENT_KEYS.iter().filter_map(|key| found.parent?.get(key).filter(is_present));
    match values.collect::<Vec<_>>().as_slice() {
        [] => Ok(Vec::new()),
        [OrderedValue::Text(one)] => Ok(vec![one]),
        [OrderedValue::List(words)] => {
            let why = || SelectorHit::Failed("the arguments of the command must be strings".to_owned());
            read_words(words).ok_or_else(why)
        }
        [OrderedValue::Map(members)] if members.is_empty() => Ok(Vec::new()),
        [other] => Err(SelectorHit::Unclear(format!("the arguments of the command are {}", other.kind()))),
        _ => Err(SelectorHit::Unclear("the command has two lists of arguments".to_owned())),
    }
}

fn is_program(pointer: &JsonPointer) -> bool {
    pointer.last_step().is_some_and(|step| PROGRAM_KEYS.contains(&step))
}

/// The pointers to the arguments that are read together with one of the call's programs.
pub(crate) fn argument_pointers(pointers: &[JsonPointer], args: &OrderedValue) -> Vec<JsonPointer> {
    if has_mapped_arguments(pointers) {
        return Vec::new();
    }
    let has_value = |pointer: &&JsonPointer| {
        pointer.find_with_parents(args).iter().any(|(_, value)| !matches!(value, OrderedValue::Null))
    };
    let programs = pointers.iter().filter(|pointer| is_program(pointer)).filter(has_value);
    programs.flat_map(|program| ARGUMENT_KEYS.iter().filter_map(|key| program.sibling(key))).collect()
}

fn read_words(words: &[OrderedValue]) -> Option<Vec<&str>> {
    words.iter().map(OrderedValue::text).collect()
}

/// Quotes a word so that a shell reads it literally.
fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

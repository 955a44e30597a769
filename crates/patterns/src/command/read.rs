//! Walks the syntax tree of a command line and collects its simple commands at any depth.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
    CompoundList, ExtendedTestExpr, FunctionBody, IoRedirect, Pipeline, Program, SimpleCommand,
};

use super::{
    parse::parse,
    runners,
    script::{CommandOrigin, MAX_NESTING, ParsedCommand, ParsedScript},
    shells::StandardInput,
    word::ShellWord,
};
use crate::invisible::is_invisible;
use std::panic::catch_unwind;

impl ParsedScript {
    /// Parses a command line. Never fails: a line that cannot be parsed matches no `allow` rule and every `ask` rule.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let has_invisible =
            text.chars().any(|c| is_invisible(c) && c != '\n' && c != '\t') || text.contains("\\\n");
        let mut script = Self { text: text.to_owned(), has_invisible, ..Self::default() };
        script.read_nested(text, 0, CommandOrigin::Written);
        // The input of a group, a loop or a descriptor can reach any shell in the script.
        script.unreadable |= script.input.has_source && script.input.has_reading_shell;
        script
    }

    /// Reads a command line at nesting depth `depth` and adds its commands.
    pub(super) fn read_nested(&mut self, text: &str, depth: usize, origin: CommandOrigin) {
        let fits = depth < MAX_NESTING && self.reserve(text.len());
        // A panic in the parser must not end the process: treat it as a line that cannot be parsed.
        let program = catch_unwind(|| fits.then(|| parse(text)).flatten());
        match program.ok().flatten() {
            Some(program) => ScriptReader { script: self, depth, origin }.program(&program),
            None => self.unreadable = true,
        }
    }
}

/// A visitor over one command line that adds its commands to the script.
pub(super) struct ScriptReader<'a> {
    pub(super) script: &'a mut ParsedScript,
    /// The nesting depth of this command line.
    pub(super) depth: usize,
    /// The origin of the commands in it.
    pub(super) origin: CommandOrigin,
}

impl ScriptReader<'_> {
    pub(super) fn program(&mut self, program: &Program) {
        program.complete_commands.iter().for_each(|list| self.list(list));
    }

    pub(super) fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            for (_, pipeline) in &item.0 {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        self.script.input.has_source |= pipeline.seq.len() > 1;
        for (at, command) in pipeline.seq.iter().enumerate() {
            self.command(command, at > 0);
        }
    }

    fn command(&mut self, command: &Command, piped: bool) {
        match command {
            Command::Simple(simple) => self.simple(simple, piped),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                self.compound_redirects(redirects.as_ref().map_or(&[], |list| &list.0));
            }
            Command::Function(function) => {
                self.script.has_hidden_effect = true;
                let FunctionBody(body, redirects) = &function.body;
                self.compound(body);
                self.compound_redirects(redirects.as_ref().map_or(&[], |list| &list.0));
            }
            Command::ExtendedTest(test, redirects) => {
                self.script.has_hidden_effect = true;
                self.test(&test.expr);
                self.compound_redirects(redirects.as_ref().map_or(&[], |list| &list.0));
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(sum) => self.arithmetic(&sum.expr.value),
            CompoundCommand::ArithmeticForClause(each) => {
                self.script.has_hidden_effect = true;
                let parts = [&each.initializer, &each.condition, &each.updater];
                parts
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.expansions(&ShellWord::read_quoted(&part.value)));
                self.list(&each.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(each) => {
                // The loop variable is an assignment: `for PATH in /tmp` changes which programs run.
                self.script.has_hidden_effect = true;
                each.values
                    .iter()
                    .flatten()
                    .for_each(|value| self.expansions(&ShellWord::read(&value.value)));
                self.list(&each.body.list);
            }
            CompoundCommand::CaseClause(case) => {
                self.word(&case.value.value);
                for item in &case.cases {
                    item.patterns
                        .iter()
                        .for_each(|pattern| self.expansions(&ShellWord::read(&pattern.value)));
                    item.cmd.iter().for_each(|list| self.list(list));
                }
            }
            CompoundCommand::IfClause(choice) => {
                self.list(&choice.condition);
                self.list(&choice.then);
                for other in choice.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list));
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(repeat) | CompoundCommand::UntilClause(repeat) => {
                self.list(&repeat.0);
                self.list(&repeat.1.list);
            }
            CompoundCommand::Coprocess(process) => {
                self.script.has_hidden_effect = true;
                self.command(&process.body, false);
            }
        }
    }

    /// `((…))` is arithmetic in some shells and two subshells in others, so it is read both ways.
    fn arithmetic(&mut self, expression: &str) {
        self.script.has_hidden_effect = true;
        self.expansions(&ShellWord::read_quoted(expression));
        self.script.read_nested(expression, self.depth + 1, self.origin);
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.expansions(&ShellWord::read_quoted(&word.value)),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.expansions(&ShellWord::read_quoted(&left.value));
                self.expansions(&ShellWord::read_quoted(&right.value));
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, piped: bool) {
        let mut command = ParsedCommand { origin: self.origin, ..ParsedCommand::default() };
        let mut input = if piped { StandardInput::Unknown } else { StandardInput::Inherited };
        let mut second_start = None;
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::AssignmentWord(assignment, _) => {
                    command.has_hidden_effect = true;
                    self.assignment(assignment);
                }
                other => self.item(other, &mut command, &mut input),
            }
        }
        if let Some(name) = &simple.word_or_name {
            let name = self.word(&name.value);
            command.words.push(name);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut command, &mut input);
            if let Item::IoRedirect(IoRedirect::OutputAndError(..)) = item {
                second_start.get_or_insert(command.words.len());
            }
        }
        command.has_hidden_effect |= command.words.is_empty();
        let second = second_start.and_then(|at| command.words.get(at..)).unwrap_or_default().to_vec();
        command.has_hidden_effect |= !second.is_empty();
        self.add(command, &input);
        if !second.is_empty() {
            // A POSIX `sh` reads `ls &>f rm x` as `ls &` followed by `rm x`.
            self.nested(second, CommandOrigin::Guessed, &input);
        }
    }

    /// Adds a command that another command runs.
    fn nested(&mut self, words: Vec<ShellWord>, origin: CommandOrigin, input: &StandardInput) {
        let command = ParsedCommand { origin, words, ..ParsedCommand::default() };
        ScriptReader { script: self.script, depth: self.depth + 1, origin }.add(command, input);
    }

    /// Adds the command and the commands that it runs.
    fn add(&mut self, command: ParsedCommand, input: &StandardInput) {
        let depth = self.depth + 1;
        self.script.unreadable |= depth > MAX_NESTING;
        if depth > MAX_NESTING || !self.script.reserve_words(&command.words) {
            return;
        }
        let nested = runners::find_nested(&command.words, input);
        self.script.push(command);
        self.script.unreadable |= nested.unknown;
        self.script.input.has_reading_shell |= nested.reads_inherited_input;
        let origin = self.origin.max(CommandOrigin::Nested);
        for text in &nested.scripts {
            self.script.read_nested(text, depth, origin);
        }
        for (words, guessed) in nested.commands {
            self.nested(words, if guessed { CommandOrigin::Guessed } else { origin }, input);
        }
    }

    fn item(&mut self, item: &Item, command: &mut ParsedCommand, input: &mut StandardInput) {
        match item {
            Item::Word(word) => {
                let word = self.word(&word.value);
                command.words.push(word);
            }
            Item::AssignmentWord(assignment, word) => {
                if let AssignmentValue::Array(_) = assignment.value {
                    command.has_hidden_effect = true;
                    self.assignment(assignment);
                    command.words.push(ShellWord::literal(&word.value));
                } else {
                    let word = self.word(&word.value);
                    command.words.push(word);
                }
            }
            Item::ProcessSubstitution(_, subshell) => {
                (command.has_hidden_effect, self.script.input.has_source) = (true, true);
                command.words.push(ShellWord::read("<()"));
                self.list(&subshell.list);
            }
            Item::IoRedirect(redirect) => self.redirect(redirect, command, input),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        if let AssignmentName::ArrayElementName(_, index) = &assignment.name {
            self.expansions(&ShellWord::read_quoted(index));
        }
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.expansions(&ShellWord::read(&word.value)),
            AssignmentValue::Array(words) => {
                for (key, value) in words {
                    key.iter().chain([value]).for_each(|word| self.expansions(&ShellWord::read(&word.value)));
                }
            }
        }
    }

    /// Reads a word and the commands in its expansions.
    pub(super) fn word(&mut self, raw: &str) -> ShellWord {
        let word = ShellWord::read(raw);
        self.expansions(&word);
        word
    }

    pub(super) fn expansions(&mut self, word: &ShellWord) {
        self.script.unreadable |= word.broken;
        for script in &word.scripts {
            self.script.read_nested(script, self.depth + 1, self.origin);
        }
    }
}

//! From the parser's tree to the simple commands, wherever they stand in it.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
    CompoundList, ExtendedTestExpr, FunctionBody, IoRedirect, Pipeline, Program, SimpleCommand,
};

use super::{
    parse::parse,
    script::{CommandOrigin, DEEPEST, ParsedCommand, ParsedScript},
    shells::StandardInput,
    within,
    word::ShellWord,
};
use crate::unseen::is_unseen;
use std::panic::catch_unwind;

impl ParsedScript {
    /// Parses a command line. Never fails: what cannot be read matches no `allow` and every `ask`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let unseen = text.chars().any(|c| is_unseen(c) && c != '\n' && c != '\t') || text.contains("\\\n");
        let mut script = Self { text: text.to_owned(), unseen, ..Self::default() };
        script.read(text, 0, CommandOrigin::Written);
        // What is fed to a group, a loop or a descriptor reaches the shells in it, by whatever way.
        script.unreadable |= script.input.feeds && script.input.listens;
        script
    }

    /// Reads a command line that stands this deep within others.
    pub(super) fn read(&mut self, text: &str, depth: usize, origin: CommandOrigin) {
        let can_read = depth < DEEPEST && self.can_read(text.len());
        // A fault in the parser is a command line that cannot be read, and not the end of whoever judges it.
        let program = catch_unwind(|| can_read.then(|| parse(text)).flatten());
        match program.ok().flatten() {
            Some(program) => ScriptReader { script: self, depth, origin }.program(&program),
            None => self.unreadable = true,
        }
    }
}

/// A walk through one command line; what it finds goes into the script.
pub(super) struct ScriptReader<'a> {
    pub(super) script: &'a mut ParsedScript,
    /// How deep this command line stands within others.
    pub(super) depth: usize,
    /// Where its commands stand.
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
        self.script.input.feeds |= pipeline.seq.len() > 1;
        for (at, command) in pipeline.seq.iter().enumerate() {
            self.command(command, at > 0);
        }
    }

    fn command(&mut self, command: &Command, piped: bool) {
        match command {
            Command::Simple(simple) => self.simple(simple, piped),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                self.redirects_around(redirects.as_ref().map_or(&[], |list| &list.0));
            }
            Command::Function(function) => {
                self.script.unshown = true;
                let FunctionBody(body, redirects) = &function.body;
                self.compound(body);
                self.redirects_around(redirects.as_ref().map_or(&[], |list| &list.0));
            }
            Command::ExtendedTest(test, redirects) => {
                self.script.unshown = true;
                self.test(&test.expr);
                self.redirects_around(redirects.as_ref().map_or(&[], |list| &list.0));
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(sum) => self.sum(&sum.expr.value),
            CompoundCommand::ArithmeticForClause(each) => {
                self.script.unshown = true;
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
                // Its variable is set as by `PATH=/tmp`, and may mean as much.
                self.script.unshown = true;
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
                self.script.unshown = true;
                self.command(&process.body, false);
            }
        }
    }

    /// `((…))` is arithmetic to some shells and two subshells to others, so it is read both ways.
    fn sum(&mut self, sum: &str) {
        self.script.unshown = true;
        self.expansions(&ShellWord::read_quoted(sum));
        self.script.read(sum, self.depth + 1, self.origin);
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
        let mut fed = if piped { StandardInput::Unknown } else { StandardInput::Nothing };
        let mut apart = None;
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::AssignmentWord(assignment, _) => {
                    command.unshown = true;
                    self.assignment(assignment);
                }
                other => self.item(other, &mut command, &mut fed),
            }
        }
        if let Some(name) = &simple.word_or_name {
            let name = self.word(&name.value);
            command.words.push(name);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut command, &mut fed);
            if let Item::IoRedirect(IoRedirect::OutputAndError(..)) = item {
                apart.get_or_insert(command.words.len());
            }
        }
        command.unshown |= command.words.is_empty();
        let apart = apart.and_then(|at| command.words.get(at..)).unwrap_or_default().to_vec();
        command.unshown |= !apart.is_empty();
        self.keep(command, &fed);
        if !apart.is_empty() {
            // To a plain `sh`, `ls &>f rm x` is `ls &` and then `rm x`.
            self.handed(apart, CommandOrigin::Supposed, &fed);
        }
    }

    fn handed(&mut self, words: Vec<ShellWord>, origin: CommandOrigin, fed: &StandardInput) {
        let command = ParsedCommand { origin, words, ..ParsedCommand::default() };
        ScriptReader { script: self.script, depth: self.depth + 1, origin }.keep(command, fed);
    }

    /// Keeps the command, and looks for those it would run in its turn.
    fn keep(&mut self, command: ParsedCommand, fed: &StandardInput) {
        let depth = self.depth + 1;
        self.script.unreadable |= depth > DEEPEST;
        if depth > DEEPEST || !self.script.has_room(&command.words) {
            return;
        }
        let runs = within::runs(&command.words, fed);
        self.script.push(command);
        self.script.unreadable |= runs.unknown;
        self.script.input.listens |= runs.listens;
        let handed = self.origin.max(CommandOrigin::Handed);
        for text in &runs.scripts {
            self.script.read(text, depth, handed);
        }
        for (words, supposed) in runs.commands {
            self.handed(words, if supposed { CommandOrigin::Supposed } else { handed }, fed);
        }
    }

    fn item(&mut self, item: &Item, command: &mut ParsedCommand, fed: &mut StandardInput) {
        match item {
            Item::Word(word) => {
                let word = self.word(&word.value);
                command.words.push(word);
            }
            Item::AssignmentWord(assignment, word) => {
                if let AssignmentValue::Array(_) = assignment.value {
                    command.unshown = true;
                    self.assignment(assignment);
                    command.words.push(ShellWord::literal(&word.value));
                } else {
                    let word = self.word(&word.value);
                    command.words.push(word);
                }
            }
            Item::ProcessSubstitution(_, subshell) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                command.words.push(ShellWord::read("<()"));
                self.list(&subshell.list);
            }
            Item::IoRedirect(redirect) => self.redirect(redirect, command, fed),
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

    /// Reads a word, and what is run to expand it.
    pub(super) fn word(&mut self, raw: &str) -> ShellWord {
        let word = ShellWord::read(raw);
        self.expansions(&word);
        word
    }

    pub(super) fn expansions(&mut self, word: &ShellWord) {
        self.script.unreadable |= word.broken;
        for script in &word.scripts {
            self.script.read(script, self.depth + 1, self.origin);
        }
    }
}

//! From the parser's tree to the simple commands, wherever they stand in it.

use brush_parser::ast::{
    Assignment, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    ExtendedTestExpr, FunctionBody, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline, Program,
    SimpleCommand,
};

use super::{
    script::{DEEPEST, Origin, Script, Simple},
    within::{self, Fed},
    word::Word,
};

/// A walk through one command line; what it finds goes into the script.
pub(super) struct Reading<'a> {
    pub(super) script: &'a mut Script,
    /// How deep this command line stands within others.
    pub(super) depth: usize,
    /// Where its commands stand.
    pub(super) origin: Origin,
}

impl Reading<'_> {
    pub(super) fn program(&mut self, program: &Program) {
        program.complete_commands.iter().for_each(|list| self.list(list));
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            for (_, pipeline) in &item.0 {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
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
                parts.into_iter().flatten().for_each(|part| self.expansions(&Word::read_quoted(&part.value)));
                self.list(&each.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(each) => {
                each.values.iter().flatten().for_each(|value| self.expansions(&Word::read(&value.value)));
                self.list(&each.body.list);
            }
            CompoundCommand::CaseClause(case) => {
                self.word(&case.value.value);
                for item in &case.cases {
                    item.patterns.iter().for_each(|pattern| self.expansions(&Word::read(&pattern.value)));
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
        self.expansions(&Word::read_quoted(sum));
        self.script.read(sum, self.depth + 1, self.origin);
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.expansions(&Word::read_quoted(&word.value)),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.expansions(&Word::read_quoted(&left.value));
                self.expansions(&Word::read_quoted(&right.value));
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, piped: bool) {
        let mut command = Simple { origin: self.origin, ..Simple::default() };
        let mut fed = if piped { Fed::Unknown } else { Fed::Nothing };
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
        }
        command.unshown |= command.words.is_empty();
        self.keep(command, &fed);
    }

    /// Keeps the command, and looks for those it would run in its turn.
    fn keep(&mut self, command: Simple, fed: &Fed) {
        let depth = self.depth + 1;
        self.script.unreadable |= depth > DEEPEST;
        if depth > DEEPEST || !self.script.has_room(&command.words) {
            return;
        }
        let runs = within::runs(&command.words, fed);
        self.script.push(command);
        self.script.unreadable |= runs.unknown;
        let handed = self.origin.max(Origin::Handed);
        for text in &runs.scripts {
            self.script.read(text, depth, handed);
        }
        for (words, supposed) in runs.commands {
            let origin = if supposed { Origin::Supposed } else { handed };
            let command = Simple { origin, words, ..Simple::default() };
            Reading { script: self.script, depth, origin }.keep(command, fed);
        }
    }

    fn item(&mut self, item: &Item, command: &mut Simple, fed: &mut Fed) {
        match item {
            Item::Word(word) => {
                let word = self.word(&word.value);
                command.words.push(word);
            }
            Item::AssignmentWord(assignment, word) => {
                if let AssignmentValue::Array(_) = assignment.value {
                    command.unshown = true;
                    self.assignment(assignment);
                    command.words.push(Word::literal(&word.value));
                } else {
                    let word = self.word(&word.value);
                    command.words.push(word);
                }
            }
            Item::ProcessSubstitution(_, subshell) => {
                command.unshown = true;
                command.words.push(Word::read("<()"));
                self.list(&subshell.list);
            }
            Item::IoRedirect(redirect) => self.redirect(redirect, command, fed),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.expansions(&Word::read(&word.value)),
            AssignmentValue::Array(words) => {
                for (key, value) in words {
                    key.iter().chain([value]).for_each(|word| self.expansions(&Word::read(&word.value)));
                }
            }
        }
    }

    /// Redirections of a group or a loop: what no simple command shows.
    fn redirects_around(&mut self, redirects: &[IoRedirect]) {
        let mut around = Simple::default();
        for redirect in redirects {
            self.redirect(redirect, &mut around, &mut Fed::Nothing);
        }
        self.script.unshown |= around.unshown || around.input.is_some();
    }

    fn redirect(&mut self, redirect: &IoRedirect, command: &mut Simple, fed: &mut Fed) {
        match redirect {
            IoRedirect::File(_, kind, target) => self.file(kind, target, command, fed),
            IoRedirect::OutputAndError(word, _) => {
                let word = self.word(&word.value);
                command.unshown |= !is_nowhere(&word);
            }
            IoRedirect::HereDocument(_, document) => {
                command.unshown = true;
                let mut text = Word::literal(&document.doc.value);
                if document.requires_expansion {
                    text = Word::read_quoted(&document.doc.value);
                    self.expansions(&text);
                }
                *fed = Fed::Text(text);
            }
            IoRedirect::HereString(_, word) => {
                command.unshown = true;
                *fed = Fed::Text(self.word(&word.value));
            }
        }
    }

    fn file(
        &mut self,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        command: &mut Simple,
        fed: &mut Fed,
    ) {
        let word = match target {
            IoFileRedirectTarget::Fd(_) => return,
            IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                command.unshown = true;
                *fed = Fed::Unknown;
                return self.list(&subshell.list);
            }
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                self.word(&word.value)
            }
        };
        match kind {
            _ if is_nowhere(&word) => {}
            IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput
                if is_descriptor(&word) => {}
            IoFileRedirectKind::Read if word.literal && command.input.is_none() => {
                command.input = Some(format!("< {}", word.shown()));
                *fed = Fed::File;
            }
            _ => command.unshown = true,
        }
    }

    /// Reads a word, and what is run to expand it.
    fn word(&mut self, raw: &str) -> Word {
        let word = Word::read(raw);
        self.expansions(&word);
        word
    }

    fn expansions(&mut self, word: &Word) {
        self.script.unreadable |= word.broken;
        for script in &word.scripts {
            self.script.read(script, self.depth + 1, self.origin);
        }
    }
}

fn is_nowhere(word: &Word) -> bool {
    word.literal && word.text == "/dev/null"
}

/// A number of an open file, `-` for closing, or both.
fn is_descriptor(word: &Word) -> bool {
    let number = word.text.strip_suffix('-').unwrap_or(&word.text);
    word.literal && !word.text.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

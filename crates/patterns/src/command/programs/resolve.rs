//! Reads a command with the table: program, launcher and subcommands.

use super::{
    roles::{CommandReading, InnerCommand, InnerKind, OptionUse, ProgramKnowledge, WordRole},
    special::is_assignment,
    table::{InputUse, LaunchRow, LazyEntry, ProgramEntry, ProgramRow, ProgramTable},
};
use crate::command::line::CommandWord;

/// How many words are examined at most. Further words have unknown roles.
const MAX_WORDS: usize = 1000;
/// The `texts` of a program whose operands are all plain text.
const ALL_OPERANDS: usize = 1000;
/// The maximum number of commands within commands.
const MAX_DEPTH: usize = 8;

impl CommandReading {
    /// Reads command words.
    pub(in crate::command) fn read(words: &[CommandWord]) -> Self {
        read_at(words, 0)
    }

    /// Reads a module that an interpreter runs, as in `python3 -m json.tool`. Another program may have the same name.
    pub(in crate::command) fn read_module(words: &[CommandWord]) -> Self {
        let Some((first, arguments)) = words.split_first() else { return Self::default() };
        let name = format!("-m {}", first.text);
        if ProgramTable::shared().find_program(&name).is_empty() {
            return Self::read(words);
        }
        let mut renamed = vec![CommandWord::from_literal(&name)];
        renamed.extend_from_slice(arguments);
        let mut reading = read_at(&renamed, 0);
        // The interpreter is spelled out, and so is the option before the module.
        if !reading.is_named() {
            reading.roles[0] = WordRole::Free;
        }
        reading
    }
}

fn read_at(words: &[CommandWord], depth: usize) -> CommandReading {
    let Some(first) = words.first() else { return CommandReading::default() };
    let entries =
        if first.is_literal() { ProgramTable::shared().find_program(&first.text) } else { Vec::new() };
    let has_subcommands = entries.iter().any(|entry| !entry.subcommands.is_empty());
    let mut reader = RoleReader {
        words: &words[..words.len().min(MAX_WORDS)],
        depth,
        active: programs_own(&entries),
        entries,
        path: String::new(),
        path_ends: !has_subcommands,
        subcommand_end: 1,
        options_end: false,
        script_given: false,
        operands: 0,
        inner: None,
        roles: Vec::with_capacity(words.len()),
        uses: Vec::new(),
        texts: Vec::new(),
    };
    reader.read();
    reader.finish(words.len())
}

/// The entries that describe the program itself, and not its subcommands.
pub(super) fn programs_own(entries: &[&'static LazyEntry]) -> Vec<&'static ProgramEntry> {
    entries.iter().filter(|entry| entry.subcommands.is_empty()).map(|entry| entry.get()).collect()
}

/// Reads the arguments of one command.
pub(super) struct RoleReader<'a> {
    pub(super) words: &'a [CommandWord],
    pub(super) depth: usize,
    /// All entries for this program.
    pub(super) entries: Vec<&'static LazyEntry>,
    /// The entries that apply at this word.
    pub(super) active: Vec<&'static ProgramEntry>,
    /// The subcommands so far.
    pub(super) path: String,
    pub(super) path_ends: bool,
    /// Index of the word that follows all subcommands.
    pub(super) subcommand_end: usize,
    pub(super) options_end: bool,
    /// Whether an option has given the filter script, as `sed -e` does.
    pub(super) script_given: bool,
    /// The number of operands so far.
    pub(super) operands: usize,
    pub(super) inner: Option<InnerCommand>,
    pub(super) roles: Vec<WordRole>,
    pub(super) uses: Vec<OptionUse>,
    /// Indices of the first operands that are plain text.
    pub(super) texts: Vec<usize>,
}

/// How a program writes its options.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
#[derive(Clone, Copy)]
pub(super) struct OptionStyle {
    pub(super) bundles: bool,
    pub(super) attached: bool,
    pub(super) abbreviations: bool,
    pub(super) dashes: bool,
    pub(super) numbers: bool,
    pub(super) plus: bool,
}

impl RoleReader<'_> {
    fn read(&mut self) {
        let is_named = self.active.iter().any(|entry| entry.row.named) || self.words[0].text.starts_with('-');
        self.roles.push(if is_named { WordRole::UNLISTED } else { WordRole::Free });
        while self.inner.is_none() && self.roles.len() < self.words.len() {
            let at = self.roles.len();
            let word = &self.words[at];
            if self.starts_command(at) {
                self.start_inner(at, false);
            } else if word.text == "--" && word.is_literal() && (!self.options_end || self.awaits_command()) {
                self.read_dashes(at);
            } else if self.awaits_command() && word.may_be_option() && !word.text.starts_with('-') {
                self.start_inner(at, false);
            } else if !self.options_end && self.is_option(word) {
                self.read_option(at);
            } else {
                self.read_operand(at);
            }
        }
    }

    fn finish(mut self, all: usize) -> CommandReading {
        self.roles.resize(all, WordRole::UNLISTED);
        let is_inert = !self.active.is_empty() && self.active.iter().all(|entry| entry.row.xargs);
        let reads_code = self.active.iter().any(|entry| entry.row.input == InputUse::Code);
        let has_file = self.operands > 0 && self.active_launch().is_some_and(|launch| launch.file);
        let unknown = self.entries.is_empty();
        let texts = self.find_texts();
        // Words such as `---` are plain text, too.
        let takes_texts = |entry: &&ProgramEntry| entry.row.texts >= ALL_OPERANDS;
        if is_inert && self.active.iter().any(takes_texts) {
            self.roles.fill(WordRole::Free);
        }
        let is_plain = self.inner.is_none() && self.roles.iter().all(|role| *role == WordRole::Free);
        let only_reads = is_inert || is_plain && self.active.iter().any(|entry| entry.row.reads);
        CommandReading {
            only_reads,
            program: self.program_knowledge(),
            input: if unknown || reads_code && !has_file { InputUse::Code } else { InputUse::Data },
            is_inert,
            subcommand_end: self.subcommand_end,
            texts,
            roles: self.roles,
            uses: self.uses,
            inner: self.inner,
        }
    }

    /// Indices of the words that are plain text.
    fn find_texts(&mut self) -> Vec<usize> {
        let rows = || self.active.iter().map(|entry| &entry.row);
        let uses = |listed: fn(&ProgramRow) -> &[String]| {
            let is_listed = move |used: &&OptionUse| {
                rows().any(|row| listed(row).iter().any(|text| used.option.spellings.contains(text)))
            };
            self.uses.iter().filter(is_listed)
        };
        let has_other = uses(|row| &row.texts_unless).next().is_some();
        let values: Vec<_> = uses(|row| &row.text_values).map(OptionUse::value_index).collect();
        let operands = if has_other { Vec::new() } else { std::mem::take(&mut self.texts) };
        operands.into_iter().chain(values).collect()
    }

    fn program_knowledge(&self) -> ProgramKnowledge {
        let own = programs_own(&self.entries);
        if self.entries.is_empty() {
            ProgramKnowledge::Unknown
        } else if own.iter().any(|entry| entry.row.other_grammar) {
            ProgramKnowledge::OtherShell
        } else if own.iter().any(|entry| entry.row.named) {
            ProgramKnowledge::Named
        } else {
            ProgramKnowledge::Known
        }
    }

    pub(super) fn active_launch(&self) -> Option<&'static LaunchRow> {
        self.active.iter().find_map(|entry| entry.row.launch.as_ref())
    }

    pub(super) fn style(&self) -> OptionStyle {
        let all = |key: fn(&ProgramEntry) -> bool| self.active.iter().all(|entry| key(entry));
        let any = |key: fn(&ProgramEntry) -> bool| self.active.iter().any(|entry| key(entry));
        OptionStyle {
            bundles: all(|entry| entry.row.bundles),
            attached: any(|entry| entry.row.attached),
            abbreviations: all(|entry| entry.row.abbreviations),
            dashes: any(|entry| entry.row.dashes),
            numbers: any(|entry| entry.row.numbers),
            plus: any(|entry| entry.row.plus),
        }
    }

    fn is_option(&self, word: &CommandWord) -> bool {
        word.may_be_option()
            || word.text.len() > 1 && word.text.starts_with('-')
            || word.text == "-" && self.options().any(|(_, _, listed)| listed == "-")
            || word.text.len() > 1 && word.text.starts_with('+') && self.style().plus
    }

    /// Whether the inner command starts here, whatever the word is.
    fn starts_command(&self, at: usize) -> bool {
        let Some(launch) = self.active_launch().filter(|launch| launch.operands > 0 && !launch.dashes) else {
            return false;
        };
        let is_assignment = launch.assignments && is_assignment(&self.words[at].text);
        self.awaits_command() && !is_assignment && self.words[at].text != "--"
    }

    /// Whether the next operand is the program that this one runs.
    fn awaits_command(&self) -> bool {
        let awaits = |launch: &LaunchRow| launch.runs_operands() && self.operands == launch.operands;
        self.path_ends && self.active_launch().is_some_and(awaits)
    }

    /// Starts the inner command. With `is_named`, a pattern must spell out its program.
    pub(super) fn start_inner(&mut self, at: usize, is_named: bool) {
        let joins = self.active_launch().is_some_and(|launch| launch.joins);
        self.set_inner(at, if joins { InnerKind::Joined } else { InnerKind::Words }, is_named);
    }

    pub(super) fn set_inner(&mut self, at: usize, kind: InnerKind, is_named: bool) {
        let appends_input = self.active_launch().is_some_and(|launch| launch.appends_input);
        self.inner = Some(InnerCommand { at, kind, is_named, appends_input });
    }

    /// Reads `--`, which ends the options, or starts another program's words.
    fn read_dashes(&mut self, at: usize) {
        let rest = self.active.iter().find_map(|entry| entry.row.rest.as_deref());
        if let Some(launch) = self.active_launch().filter(|launch| launch.dashes) {
            self.roles.push(WordRole::Free);
            let kind = if launch.joins { InnerKind::Joined } else { InnerKind::Words };
            self.set_inner(at + 1, kind, false);
        } else if let Some(program) = rest {
            self.roles.push(WordRole::Free);
            let mut words = vec![CommandWord::from_literal(program)];
            words.extend_from_slice(&self.words[at + 1..]);
            self.add_roles(&words, 1, at);
        } else if self.style().bundles {
            self.options_end = true;
            self.roles.push(WordRole::Free);
        } else {
            self.roles.push(WordRole::UNLISTED);
        }
    }

    /// Adds the roles of another command's words, without its first `skipped` ones. Word 0 of the command has the
    /// index `at` here.
    pub(super) fn add_roles(&mut self, words: &[CommandWord], skipped: usize, at: usize) {
        if self.depth >= MAX_DEPTH {
            self.roles.extend(words[skipped..].iter().map(|_| WordRole::UNLISTED));
            return;
        }
        let reading = read_at(words, self.depth + 1);
        let inner_ends = reading.inner.map_or(words.len(), |inner| inner.at);
        let known =
            |(index, role): (usize, WordRole)| if index < inner_ends { role } else { WordRole::UNLISTED };
        self.roles.extend(reading.roles.into_iter().enumerate().skip(skipped).map(known));
        self.uses.extend(reading.uses.into_iter().filter(|used| used.at >= skipped).map(|mut used| {
            used.at += at;
            used
        }));
    }
}

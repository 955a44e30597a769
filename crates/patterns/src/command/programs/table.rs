//! Reads the table's files. An entry is parsed when a command first needs it, because most processes judge
//! commands of a few programs.

use super::options::{EffectRow, OptionEntry, OptionGroups, OptionSource, OptionValue};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{LazyLock, OnceLock},
};

static TABLE: LazyLock<ProgramTable> = LazyLock::new(ProgramTable::index);

const FILES: &[&str] = &[
    include_str!("launchers.toml"),
    include_str!("shells.toml"),
    include_str!("containers.toml"),
    include_str!("databases.toml"),
    include_str!("files.toml"),
    include_str!("git.toml"),
    include_str!("javascript.toml"),
    include_str!("native.toml"),
    include_str!("network.toml"),
    include_str!("python.toml"),
    include_str!("system.toml"),
    include_str!("text.toml"),
];

/// Starts each entry in a file.
const ENTRY: &str = "[[program]]\n";

/// All programs that are known.
pub(in crate::command) struct ProgramTable {
    entries: Vec<LazyEntry>,
    /// Entry indices by name.
    by_name: HashMap<String, Vec<usize>>,
}

/// An entry that is parsed when a command first needs it. Its subcommands are known before.
pub(in crate::command) struct LazyEntry {
    text: &'static str,
    pub(super) subcommands: Vec<&'static str>,
    parsed: OnceLock<ProgramEntry>,
}

/// What the table says about a program, or about some of its subcommands.
#[derive(Debug)]
pub(in crate::command) struct ProgramEntry {
    pub(in crate::command) row: ProgramRow,
    /// All options and special operands: first those with an effect.
    pub(in crate::command) options: Vec<OptionEntry>,
}

/// Keys that an entry may have.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::command) struct ProgramRow {
    #[cfg_attr(not(test), expect(dead_code, reason = "the index reads the names from the text"))]
    pub(in crate::command) names: Vec<String>,
    #[serde(default)]
    pub(super) subcommands: Vec<String>,
    #[serde(default)]
    pub(super) aliases: BTreeMap<String, String>,
    #[serde(default)]
    flags: OptionGroups,
    #[serde(default)]
    values: OptionGroups,
    #[serde(default)]
    optional: OptionGroups,
    #[serde(default)]
    effects: Vec<EffectRow>,
    #[serde(default)]
    pub(super) anywhere: bool,
    #[serde(default)]
    pub(in crate::command) named: bool,
    #[serde(default = "enabled")]
    pub(super) bundles: bool,
    #[serde(default)]
    pub(super) attached: bool,
    #[serde(default = "enabled")]
    pub(super) abbreviations: bool,
    #[serde(default)]
    pub(super) dashes: bool,
    #[serde(default)]
    pub(super) numbers: bool,
    #[serde(default)]
    pub(super) plus: bool,
    #[serde(default)]
    pub(super) posix: bool,
    #[serde(default)]
    pub(super) leading_bundle: bool,
    pub(super) max_operands: Option<usize>,
    /// Whether it only reads the files that its operands name, if it has harmless options alone.
    #[serde(default)]
    pub(super) reads: bool,
    /// The number of first operands that are plain text, such as a regular expression, and name no file.
    #[serde(default)]
    pub(super) texts: usize,
    /// The options whose value takes the place of these operands.
    #[serde(default)]
    pub(super) texts_unless: Vec<String>,
    /// The options whose value is plain text.
    #[serde(default)]
    pub(super) text_values: Vec<String>,
    #[serde(default)]
    pub(in crate::command) input: InputUse,
    #[serde(default)]
    pub(in crate::command) xargs: bool,
    /// Whether it is a shell with another grammar, so that its scripts are not read.
    #[serde(default)]
    pub(super) other_grammar: bool,
    pub(super) launch: Option<LaunchRow>,
    /// The program that reads the words after `--`. Empty: unknown.
    pub(super) rest: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests check each line"))]
    #[serde(default)]
    pub(super) innocent: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests check each line"))]
    #[serde(default)]
    pub(super) caught: Vec<String>,
}

/// What a program does with its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::command) enum InputUse {
    /// It reads data.
    #[default]
    Data,
    /// It reads commands.
    Code,
}

/// The way in which a program runs its arguments.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LaunchRow {
    /// The number of operands before the command.
    pub(super) operands: usize,
    /// The command follows `--`, if there is one.
    pub(super) dashes: bool,
    /// Operands of the form NAME=value precede the command.
    pub(super) assignments: bool,
    /// A shell reads the words, joined with spaces.
    pub(super) joins: bool,
    /// Arguments from the standard input are added to the command.
    pub(super) appends_input: bool,
    /// The option before a module name. A module is read as a program.
    pub(super) module: Option<String>,
    /// The option whose value a shell reads.
    pub(super) script: Option<String>,
    /// Only an option runs arguments: operands do not.
    pub(super) only_option: bool,
    /// Only a word that is not a listed subcommand starts the command.
    pub(super) otherwise: bool,
    /// The first operand is a script file of the program: what follows belongs to it.
    pub(super) file: bool,
    /// The options before a command that ends with `;` or `+`.
    pub(super) exec: Vec<String>,
}

impl LaunchRow {
    /// Whether the operands contain a command.
    pub(super) fn runs_operands(&self) -> bool {
        !self.only_option && !self.otherwise && !self.file
    }
}

fn enabled() -> bool {
    true
}

impl ProgramTable {
    /// The table of this version.
    pub(in crate::command) fn shared() -> &'static Self {
        &TABLE
    }

    /// Indexes names and subcommands, and parses nothing else.
    fn index() -> Self {
        let mut table = Self { entries: Vec::new(), by_name: HashMap::new() };
        for text in FILES.iter().flat_map(|file| file.split(ENTRY).skip(1)) {
            for name in list_of(text, "names = [") {
                table.by_name.entry(name.to_ascii_lowercase()).or_default().push(table.entries.len());
            }
            let subcommands = list_of(text, "subcommands = [").collect();
            table.entries.push(LazyEntry { text, subcommands, parsed: OnceLock::new() });
        }
        table
    }

    /// The names of all programs, sorted.
    pub(in crate::command) fn names(&'static self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.by_name.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Entries for the program that `word` names, with or without a folder and a version.
    pub(in crate::command) fn find_program(&'static self, word: &str) -> Vec<&'static LazyEntry> {
        let name = base_name(word);
        // Names can end in a version: `python3.12`, `gcc-13`.
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
        let found = self.by_name.get(name.as_str()).or_else(|| self.by_name.get(bare));
        found.into_iter().flatten().map(|index| &self.entries[*index]).collect()
    }

    /// Whether the table lists subcommands of the program.
    pub(in crate::command) fn has_subcommands(&'static self, program: &str) -> bool {
        self.find_program(program).iter().any(|entry| !entry.subcommands.is_empty())
    }

    /// Whether a subcommand that the table lists starts with `stem`, after the program and the subcommands `names`.
    pub(in crate::command) fn has_subcommand_prefix(&'static self, names: &[String], stem: &str) -> bool {
        let Some((program, before)) = names.split_first() else { return false };
        let begin = before.iter().map(String::as_str).chain([stem]).collect::<Vec<_>>().join(" ");
        let entries = self.find_program(program);
        entries.iter().flat_map(|entry| &entry.subcommands).any(|listed| listed.starts_with(&begin))
    }

    /// Some options and operands with an effect, of a program without subcommands.
    pub(in crate::command) fn effect_options(&'static self, program: &str) -> Vec<&'static str> {
        if self.has_subcommands(program) {
            return Vec::new();
        }
        let entries = self.find_program(program);
        let options = entries.into_iter().flat_map(|entry| &entry.get().options);
        options
            .filter(|option| matches!(option.source, OptionSource::Effect(_)))
            .filter_map(|option| option.spellings.first())
            .filter(|spelling| !spelling.starts_with('<'))
            .map(|spelling| spelling.trim_end_matches('*'))
            .collect()
    }

    #[cfg(test)]
    pub(super) fn all(&'static self) -> impl Iterator<Item = &'static ProgramEntry> {
        self.entries.iter().map(LazyEntry::get)
    }
}

impl LazyEntry {
    pub(super) fn get(&'static self) -> &'static ProgramEntry {
        self.parsed.get_or_init(|| ProgramEntry::parse(self.text).expect("the tests parse each entry"))
    }
}

impl ProgramEntry {
    pub(super) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut row: ProgramRow = toml::from_str(text)?;
        let mut options: Vec<OptionEntry> =
            std::mem::take(&mut row.effects).into_iter().map(OptionEntry::from).collect();
        options.extend(row.flags.entries(OptionValue::None));
        options.extend(row.values.entries(OptionValue::Required));
        options.extend(row.optional.entries(OptionValue::Attached));
        Ok(Self { row, options })
    }
}

/// Reads a one-line list that starts with `key`.
fn list_of<'a>(text: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split('"').skip(1).step_by(2)
}

fn base_name(word: &str) -> String {
    word.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

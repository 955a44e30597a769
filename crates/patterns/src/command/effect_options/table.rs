//! The table of options that write, delete or run, as it is written in `effect_options.toml`.

use serde::Deserialize;
use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

static TABLE: LazyLock<EffectTable> =
    LazyLock::new(|| EffectTable::read(include_str!("../effect_options.toml")).expect("the table is valid"));

/// All programs of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffectTable {
    runners: Vec<String>,
    global_values: BTreeMap<String, Vec<String>>,
    #[serde(rename = "program")]
    pub(super) programs: Vec<ProgramEffects>,
    /// The indices in `programs` of each name.
    #[serde(skip)]
    by_name: HashMap<String, Vec<usize>>,
}

/// The options of a program, or of some of its subcommands.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table")]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramEffects {
    names: Vec<String>,
    #[serde(default)]
    pub(super) subcommands: Vec<String>,
    #[serde(default)]
    pub(super) except: Vec<String>,
    #[serde(default)]
    pub(super) before_subcommand: bool,
    #[serde(default)]
    pub(super) short_values: String,
    #[serde(default)]
    pub(super) optional_values: String,
    #[serde(default = "enabled")]
    pub(super) bundles: bool,
    #[serde(default = "enabled")]
    pub(super) abbreviations: bool,
    #[serde(default)]
    pub(super) leading_bundle: bool,
    pub(super) options: Vec<EffectOption>,
}

/// One option with its spellings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffectOption {
    pub(super) spellings: Vec<String>,
    pub(super) effect: OptionEffect,
    #[serde(default)]
    pub(super) value: bool,
    #[serde(default)]
    pub(super) values: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests check each row by its example"))]
    pub(super) example: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests check each row by its counterpart"))]
    pub(super) innocent: String,
}

/// The effect of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionEffect {
    /// It writes a file or changes a setting.
    Write,
    /// It deletes.
    Delete,
    /// It runs a command, or code that the command line or a file contains.
    Run,
}

impl OptionEffect {
    /// The effect as a verb.
    #[must_use]
    pub const fn as_verb(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Delete => "deletes",
            Self::Run => "runs code",
        }
    }
}

fn enabled() -> bool {
    true
}

impl EffectTable {
    /// The table of this version.
    pub(super) fn shared() -> &'static Self {
        &TABLE
    }

    fn read(text: &str) -> Result<Self, toml::de::Error> {
        let mut table: Self = toml::from_str(text)?;
        for (index, program) in table.programs.iter().enumerate() {
            for name in &program.names {
                table.by_name.entry(name.clone()).or_default().push(index);
            }
        }
        Ok(table)
    }

    /// The options of the program that `word` names, with a folder or a version if it has one.
    pub(super) fn find_program(&self, word: &str) -> impl Iterator<Item = &ProgramEffects> {
        let name = base_name(word);
        // Names can end in a version: `python3.12`, `gcc-13`.
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
        let found = self.by_name.get(&name).or_else(|| self.by_name.get(bare));
        found.into_iter().flatten().map(|index| &self.programs[*index])
    }

    /// True if the program runs the command in its arguments.
    pub(super) fn is_runner(&self, word: &str) -> bool {
        self.runners.contains(&base_name(word))
    }

    /// True if this option before the subcommand takes the next word as its value.
    pub(super) fn takes_global_value(&self, program: &str, option: &str) -> bool {
        self.global_values
            .get(&base_name(program))
            .is_some_and(|options| options.iter().any(|listed| listed == option))
    }
}

fn base_name(word: &str) -> String {
    word.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

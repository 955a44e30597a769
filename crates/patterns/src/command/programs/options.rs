//! Program options, as the table lists them.

use serde::{Deserialize, Deserializer};

/// What an option or an operand does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionEffect {
    /// It writes a file or changes a setting.
    Write,
    /// It deletes.
    Delete,
    /// It runs a command, or code that the command line or a file contains.
    Run,
    /// It sends data, or reaches another host or account.
    Send,
    /// It disables a protection.
    Protect,
}

impl OptionEffect {
    /// The effect as a verb.
    #[must_use]
    pub const fn as_verb(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Delete => "deletes",
            Self::Run => "runs code",
            Self::Send => "sends data or reaches another host",
            Self::Protect => "disables a protection",
        }
    }
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum OptionValue {
    /// It takes none.
    None,
    /// It takes a value in the same word or the next one.
    Required,
    /// It may have a value in the same word.
    Attached,
}

/// Where the table lists an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum OptionSource {
    /// Among the harmless options.
    Harmless,
    /// Among the options with an effect.
    Effect(OptionEffect),
}

/// One option with all of its spellings.
#[derive(Debug, Clone)]
pub(in crate::command) struct OptionEntry {
    /// `-x` and `--xyz` are options; `-xyz` is a long option with one dash; an ending `*` stands for any text; an
    /// ending `=` or `::`, and `+` or `:` alone, start an operand; any other word is an operand or its kind.
    pub(in crate::command) spellings: Vec<String>,
    pub(in crate::command) value: OptionValue,
    pub(in crate::command) source: OptionSource,
    /// Only values that start with one of these, in lower case, have the effect. Empty: all values.
    effect_values: Vec<String>,
    /// Values without the effect: exact, or up to an ending `*`.
    harmless_values: Vec<String>,
}

/// One `effects` row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffectRow {
    spellings: Vec<String>,
    effect: OptionEffect,
    #[serde(default)]
    value: bool,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    harmless: Vec<String>,
}

impl From<EffectRow> for OptionEntry {
    fn from(row: EffectRow) -> Self {
        Self {
            spellings: row.spellings,
            value: if row.value { OptionValue::Required } else { OptionValue::None },
            source: OptionSource::Effect(row.effect),
            effect_values: row.values,
            harmless_values: row.harmless,
        }
    }
}

impl OptionEntry {
    fn harmless(group: &str, value: OptionValue) -> Self {
        Self {
            spellings: group.split('/').map(str::to_owned).collect(),
            value,
            source: OptionSource::Harmless,
            effect_values: Vec::new(),
            harmless_values: Vec::new(),
        }
    }

    /// Whether the option takes a value in the same word or the next one.
    pub(in crate::command) fn takes_value(&self) -> bool {
        self.value == OptionValue::Required
    }

    /// What the option does with this value, if it has an effect.
    pub(super) fn effect_with(&self, value: Option<&str>) -> Option<OptionEffect> {
        let OptionSource::Effect(effect) = self.source else { return None };
        let is_listed = |listed: &String| match (listed.strip_suffix('*'), value) {
            (Some(begin), Some(value)) => value.starts_with(begin),
            (None, Some(value)) => value == listed,
            (_, None) => false,
        };
        let is_harmless = if self.harmless_values.is_empty() {
            let begins = |value: &str| {
                let value = value.trim_start().to_lowercase();
                value.contains(crate::invisible::HOLE)
                    || self.effect_values.iter().any(|begin| value.starts_with(begin.as_str()))
            };
            !self.effect_values.is_empty() && !value.is_some_and(begins)
        } else {
            self.harmless_values.iter().any(is_listed)
        };
        (!is_harmless).then_some(effect)
    }
}

/// The options of one of the keys `flags`, `values` and `optional`: separated by spaces, with `/` between the
/// spellings of one option.
#[derive(Debug, Default)]
pub(super) struct OptionGroups(Vec<String>);

impl<'de> Deserialize<'de> for OptionGroups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(text.split_whitespace().map(str::to_owned).collect()))
    }
}

impl OptionGroups {
    pub(super) fn entries(&self, value: OptionValue) -> impl Iterator<Item = OptionEntry> + '_ {
        self.0.iter().map(move |group| OptionEntry::harmless(group, value))
    }
}

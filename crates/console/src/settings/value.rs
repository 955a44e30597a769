//! The values of settings.

use crate::settings::keys::{SettingDefinition, SettingKind};
use std::fmt;

/// A setting value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// One string.
    Text(String),
    /// Several strings.
    Texts(Vec<String>),
    /// On or off.
    Switch(bool),
}

impl SettingValue {
    /// Reads a value from text. The error says what it must be.
    pub fn read(facts: &SettingDefinition, text: &str) -> Result<Self, String> {
        match facts.takes {
            SettingKind::Path | SettingKind::Text => Ok(Self::Text(text.to_owned())),
            SettingKind::Texts => Ok(Self::Texts(
                text.split([',', ' ']).filter(|text| !text.is_empty()).map(str::to_owned).collect(),
            )),
            SettingKind::Switch => match text {
                "true" | "yes" | "on" | "1" => Ok(Self::Switch(true)),
                "false" | "no" | "off" | "0" => Ok(Self::Switch(false)),
                _ => Err("true or false".to_owned()),
            },
            SettingKind::Number if text.parse().is_ok_and(|number: u32| number > 0) => {
                Ok(Self::Text(text.to_owned()))
            }
            SettingKind::Number => Err("a number, at least 1".to_owned()),
            SettingKind::Word(words) if words.contains(&text) => Ok(Self::Text(text.to_owned())),
            SettingKind::Word(words) => Err(alternatives(words)),
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
            Self::Switch(switch) => write!(f, "{switch}"),
        }
    }
}

/// Lists alternatives, such as `auto, always or never`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[value(help = None::<&'static str>)]
    Human,
    /// For programs.
    #[value(help = None::<&'static str>)]
    Json,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ColourMode {
    /// On a terminal that supports colours.
    #[value(help = None::<&'static str>)]
    Auto,
    /// Also in files and pipes.
    #[value(help = None::<&'static str>)]
    Always,
    /// Not at all.
    #[value(help = None::<&'static str>)]
    Never,
}

impl LogFormat {
    /// The word in a settings file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }
}

impl ColourMode {
    /// The word in a settings file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

//! What keys are set to: texts, switches, and words that mean something.

use super::{Facts, Takes};
use std::fmt;

/// What a key is set to.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Text(String),
    Texts(Vec<String>),
    Switch(bool),
}

impl Value {
    /// A value as a text gives it, or what would be one.
    pub(crate) fn read(facts: &Facts, text: &str) -> Result<Self, String> {
        match facts.takes {
            Takes::Path | Takes::Text => Ok(Self::Text(text.to_owned())),
            Takes::Texts => Ok(Self::Texts(
                text.split([',', ' ']).filter(|text| !text.is_empty()).map(str::to_owned).collect(),
            )),
            Takes::Switch => match text {
                "true" | "yes" | "on" | "1" => Ok(Self::Switch(true)),
                "false" | "no" | "off" | "0" => Ok(Self::Switch(false)),
                _ => Err("true or false".to_owned()),
            },
            Takes::Word(words) if words.contains(&text) => Ok(Self::Text(text.to_owned())),
            Takes::Word(words) => Err(alternatives(words)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
            Self::Switch(switch) => write!(f, "{switch}"),
        }
    }
}

/// One of these, in words.
fn alternatives(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// How the program's own log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    Human,
    Json,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

impl LogFormat {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }
}

impl Colour {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

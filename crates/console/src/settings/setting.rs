//! A setting: its value, and where it was set.

use super::value::SettingValue;
use crate::exit::{CliError, CommandExit};
use countersign_client::without_password;
use std::{ffi::OsString, fmt, path::PathBuf};

/// The place where a value was set. A later variant overrides an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// A file and a line.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(&'static str),
    /// A command-line option.
    Option(&'static str),
}

impl SettingOrigin {
    /// The origin's rank: a higher one wins.
    #[must_use]
    pub const fn strength(&self) -> u8 {
        match self {
            Self::File(..) => 1,
            Self::Environment(_) => 2,
            Self::Option(_) => 3,
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) | Self::Option(name) => f.write_str(name),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedSetting {
    /// The value.
    pub value: SettingValue,
    /// Where it was set.
    pub origin: SettingOrigin,
}

impl ResolvedSetting {
    /// The value without passwords, for printing.
    #[must_use]
    pub fn without_password(&self) -> SettingValue {
        match &self.value {
            SettingValue::Text(text) => SettingValue::Text(without_password(text)),
            value => value.clone(),
        }
    }
}

/// An error in the settings.
#[must_use]
pub fn invalid_setting(message: String) -> anyhow::Error {
    CliError { exit: CommandExit::USAGE, code: "bad_setting", message }.into()
}

/// An environment variable. An empty one is treated as not set.
#[must_use]
pub fn read_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

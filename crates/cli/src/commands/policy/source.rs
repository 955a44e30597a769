//! Reading a policy, and other input files.

use crate::{
    exit::CliError,
    settings::effective::{Settings, read_policy},
};
use countersign_gate::Policy;
use std::{io::Read, path::Path};

/// A policy and its origin.
pub(super) struct PolicySource {
    pub(super) policy: Policy,
    /// Its file, or `None` for the shipped policy.
    pub(super) file: Option<String>,
    pub(super) text: String,
}

impl PolicySource {
    /// Reads the policy from the settings, or the shipped one if none is set.
    pub(super) fn from_settings(settings: &Settings) -> anyhow::Result<Self> {
        let Some(path) = settings.policy_path() else {
            return Ok(Self { policy: Policy::shipped(), file: None, text: Policy::SHIPPED.to_owned() });
        };
        let policy = read_policy(&path)?;
        let text = std::fs::read_to_string(&path)?;
        Ok(Self { policy, file: Some(path.display().to_string()), text })
    }

    /// The name of the policy for people.
    pub(super) fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("the shipped policy (none is set)")
    }
}

/// Reads a file, or stdin for `-`.
pub(super) fn read_text(path: &Path) -> anyhow::Result<String> {
    let unreadable =
        |error: std::io::Error| CliError::usage(format!("{} cannot be read: {error}", path.display()));
    if path.as_os_str() != "-" {
        return Ok(std::fs::read_to_string(path).map_err(unreadable)?);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

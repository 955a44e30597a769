//! Reading a policy, and other input files.

use crate::{exit::CliError, policy_file::PolicyOnDisk, settings::effective::Settings};
use countersign_gate::Policy;
use std::{io::Read, path::Path};

/// A policy and its origin.
pub(super) struct PolicySource {
    pub(super) policy: Policy,
    /// Its file, or `None` for the shipped policy.
    pub(super) file: Option<String>,
    /// Its name for people.
    name: String,
    /// The entries of `policy.d` that are not layers.
    pub(super) ignored: Vec<String>,
}

impl PolicySource {
    /// Reads the policy from the settings, or the shipped one if none is set.
    pub(super) fn from_settings(settings: &Settings) -> anyhow::Result<Self> {
        match settings.policy_path() {
            Some(path) => Self::from_file(&path),
            None => Ok(Self {
                policy: Policy::shipped(),
                file: None,
                name: "the shipped policy (none is set)".to_owned(),
                ignored: Vec::new(),
            }),
        }
    }

    /// Reads a file and its layers.
    pub(super) fn from_file(path: &Path) -> anyhow::Result<Self> {
        let file = PolicyOnDisk::read(path)?;
        let (policy, name) = (file.parse()?, file.name());
        Ok(Self { policy, file: Some(file.path().display().to_string()), name, ignored: file.ignored })
    }

    /// The name of the policy for people.
    pub(super) fn name(&self) -> &str {
        &self.name
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

//! Reading a policy, and other input files.

use crate::commands::policy::recorded_policy::read_policy_in_force;
use countersign_api::SharedGate;
use countersign_console::{CliError, CommandContext, PolicyOnDisk, classify_error, unavailable_reason};
use countersign_policy::{Policy, PolicyProfile};
use std::{io::Read, path::Path};

/// A policy and its origin.
pub(crate) struct PolicySource {
    pub(crate) policy: Policy,
    /// Its file, or `None` for the active policy.
    pub(super) file: Option<String>,
    /// Its name for people.
    name: String,
    /// The entries of `policy.d` that are not layers.
    pub(super) ignored: Vec<String>,
}

impl PolicySource {
    /// Reads the policy from the settings, or else the active one. Without a log, that is the shipped policy, with
    /// which every log starts.
    pub(super) async fn find(context: &CommandContext) -> anyhow::Result<Self> {
        if let Some(path) = context.settings.policy_path() {
            return Self::from_file(&path);
        }
        match context.connect_to_read().await {
            Ok(gate) => Self::from_settings_or_log(context, &gate).await,
            Err(error) if has_no_log(&error) => Ok(Self {
                policy: Policy::shipped(),
                file: None,
                name: "the shipped policy (no log exists yet)".to_owned(),
                ignored: Vec::new(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Reads the policy from the settings, or else the active one.
    pub(crate) async fn from_settings_or_log(
        context: &CommandContext,
        gate: &SharedGate,
    ) -> anyhow::Result<Self> {
        if let Some(path) = context.settings.policy_path() {
            return Self::from_file(&path);
        }
        let recorded = read_policy_in_force(gate).await?;
        let name = if recorded.is_recorded() {
            format!("the active policy (event {}, from {})", recorded.seq, recorded.source)
        } else {
            "the shipped policy (the log has no policy, and it cannot be written)".to_owned()
        };
        Ok(Self { policy: recorded.parse()?, file: None, name, ignored: Vec::new() })
    }

    /// Reads a file and its layers.
    pub(super) fn from_file(path: &Path) -> anyhow::Result<Self> {
        let file = PolicyOnDisk::read(path)?;
        let (policy, name) = (file.parse()?, file.name());
        Ok(Self { policy, file: Some(file.path().display().to_string()), name, ignored: file.ignored })
    }

    /// A profile.
    pub(super) fn from_profile(profile: PolicyProfile) -> Self {
        let name = format!("the profile {profile}");
        Self { policy: profile.policy(), file: None, name, ignored: Vec::new() }
    }

    /// The policy name, for people.
    pub(crate) fn name(&self) -> &str {
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

/// Returns true if the log does not exist yet. An empty file with its name will become one.
fn has_no_log(error: &anyhow::Error) -> bool {
    unavailable_reason(error) == Some("missing")
        || ["no_folder", "empty_file"].contains(&classify_error(error).1.as_str())
}

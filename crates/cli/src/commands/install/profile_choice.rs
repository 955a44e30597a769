//! The policy that `countersign install` activates.

use crate::commands::policy::use_profile::{DefaultProfile, use_default_profile};
use countersign_console::{CommandContext, escape_text};
use countersign_policy::PolicyProfile;
use serde::Serialize;
use std::str::FromStr;

/// The value of `--profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProfileChoice {
    Profile(PolicyProfile),
    /// The active policy stays.
    None,
}

impl FromStr for ProfileChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::None);
        }
        text.parse()
            .map(Self::Profile)
            .map_err(|why: String| format!("{why}, and none keeps the active policy"))
    }
}

/// What became of the policy, in words. `profile` is the profile that is active now because of it.
#[derive(Serialize)]
pub(super) struct PolicyOutcome {
    profile: Option<&'static str>,
    pub(super) note: String,
}

/// Activates the usual profile in a log whose policy nobody chose. The hook is installed by now, so a failure is only
/// reported.
pub(super) async fn activate_usual_profile(context: &CommandContext) -> PolicyOutcome {
    let usual = PolicyProfile::ALL[0];
    let command = format!("{} policy use", context.command_prefix());
    let (profile, note) = match use_default_profile(context, usual).await {
        Ok(DefaultProfile::Activated) => (
            Some(usual.as_str()),
            format!(
                "The policy is now the profile {usual}: {}. To choose another: {command} careful, or --profile.",
                usual.summary()
            ),
        ),
        Ok(DefaultProfile::KeptProfile(profile)) => (
            None,
            format!(
                "The profile {profile} stays active. To choose another: {command} PROFILE, or --profile."
            ),
        ),
        Ok(DefaultProfile::KeptPolicy(source)) => (
            None,
            format!(
                "Your own policy stays active (from {}). To add the profile {usual}, with your rules as a layer: {command} {usual}",
                escape_text(&source)
            ),
        ),
        Err(error) => (
            None,
            format!(
                "The policy was not changed: {}. Whoever may set it can use the profile {usual}: {command} {usual}",
                escape_text(format!("{error:#}").trim_end().trim_end_matches('.'))
            ),
        ),
    };
    PolicyOutcome { profile, note }
}

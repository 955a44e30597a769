//! `countersign policy use`

use super::change::{ProposedPolicy, put_in_force, record_policy, refuse_agent};
use countersign_api::{PolicyInForce, SendOperation, operations};
use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_events::{PolicyLayer, principal::PrincipalKind};
use countersign_policy::{Policy, PolicyProfile, PolicyText};

/// The layer that keeps the policy file which was active before a profile.
const OWN_LAYER: &str = "policy.d/own.toml";

/// Options of `policy use`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The profiles are policies for coding agents:\n  \
coding   reading, editing, builds, tests and local Git in the project are free; all else is asked\n  \
careful  like coding, but edits are asked, too\n  \
observe  nothing is asked; the log has the verdicts that coding would have given\n\n\
All of them block what decides. `countersign policy show --profile coding` prints one. Your own rules stay: a policy of yours \
becomes the layer policy.d/own.toml, and layers stay as they are. The strictest rule of all wins. Like `policy apply`, it shows \
what changes, and asks.

JSON: as for `policy apply`")]
pub(crate) struct PolicyUseArgs {
    /// coding, careful or observe
    #[arg(value_name = "PROFILE")]
    profile: PolicyProfile,
    /// Do not ask for confirmation; without a terminal this is required
    #[arg(long)]
    yes: bool,
}

pub(super) async fn run_policy_use(
    context: &CommandContext,
    args: &PolicyUseArgs,
) -> anyhow::Result<CommandExit> {
    use_profile(context, args.profile, args.yes).await
}

/// Puts the profile in the place of the active policy file, and keeps all other rules.
pub(crate) async fn use_profile(
    context: &CommandContext,
    profile: PolicyProfile,
    yes: bool,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_set_up().await?;
    let active = gate.send(operations::ShowPolicy {}).await?;
    put_in_force(context, &gate, propose_profile(&active, profile)?, yes).await
}

fn propose_profile(active: &PolicyInForce, profile: PolicyProfile) -> Result<ProposedPolicy, CliError> {
    let policy = Policy::read_text(text_with_profile(active, profile)).map_err(|why| CliError {
        exit: CommandExit::REFUSED,
        code: "conflicting_policy",
        message: format!("the profile {profile} does not fit to your own policy, which stays active: {why}"),
    })?;
    Ok(ProposedPolicy { policy, source: format!("profile {profile}"), replay_command: None })
}

/// What became of the policy when a profile was only the default.
pub(crate) enum DefaultProfile {
    /// The profile is active now.
    Activated,
    /// This profile stays active.
    KeptProfile(PolicyProfile),
    /// A policy that somebody chose stays active. It comes from this source.
    KeptPolicy(String),
}

/// Activates the profile in a log whose policy nobody has chosen. Any other policy stays.
pub(crate) async fn use_default_profile(
    context: &CommandContext,
    profile: PolicyProfile,
) -> anyhow::Result<DefaultProfile> {
    if let Some(path) = context.settings.policy_path() {
        return Ok(DefaultProfile::KeptPolicy(path.display().to_string()));
    }
    // A server that does not answer is asked once: other connections try again for a while.
    context.find_server_caller().await?;
    let gate = context.connect_to_set_up().await?;
    let active = gate.send(operations::ShowPolicy {}).await?;
    if let Some(profile) = PolicyProfile::find(&active.text) {
        return Ok(DefaultProfile::KeptProfile(profile));
    }
    if !is_unchosen(&active) {
        return Ok(DefaultProfile::KeptPolicy(active.source));
    }
    refuse_agent(&gate)?;
    record_policy(&gate, propose_profile(&active, profile)?, active.hash).await?;
    Ok(DefaultProfile::Activated)
}

/// Returns true if the log began with the shipped policy, and nobody has set one since.
fn is_unchosen(active: &PolicyInForce) -> bool {
    active.text == Policy::SHIPPED
        && active.layers.is_empty()
        && active.principal.kind() != PrincipalKind::User
}

/// Returns true if the active policy file is a part of this program, so that nobody wrote it.
fn is_built_in(active: &PolicyInForce) -> bool {
    active.text == Policy::SHIPPED || PolicyProfile::find(&active.text).is_some()
}

fn text_with_profile(active: &PolicyInForce, profile: PolicyProfile) -> PolicyText {
    let mut layers = active.layers.clone();
    if !is_built_in(active) {
        layers.retain(|layer| layer.name != OWN_LAYER);
        layers.push(PolicyLayer { name: OWN_LAYER.to_owned(), text: active.text.clone() });
        layers.sort_by(|one, other| one.name.cmp(&other.name));
    }
    PolicyText { text: profile.text(), layers }
}

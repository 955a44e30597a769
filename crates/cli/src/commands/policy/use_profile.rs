//! `countersign policy use`

use super::change::{ProposedPolicy, put_in_force};
use countersign_api::{PolicyInForce, SendOperation, operations};
use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_events::PolicyLayer;
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
    let policy = Policy::read_text(text_with_profile(&active, profile)).map_err(|why| CliError {
        exit: CommandExit::REFUSED,
        code: "conflicting_policy",
        message: format!("the profile {profile} does not fit to your own policy, which stays active: {why}"),
    })?;
    let proposed = ProposedPolicy { policy, source: format!("profile {profile}"), replay_command: None };
    put_in_force(context, &gate, proposed, yes).await
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

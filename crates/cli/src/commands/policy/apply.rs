//! `countersign policy apply`

use super::{
    change::{ProposedPolicy, put_in_force},
    daily::{DayArgument, YESTERDAY, accept_day},
};
use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, PolicyOnDisk};
use std::path::{Path, PathBuf};

/// Options of `policy apply`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It shows the difference to the active policy and the verdicts that would have been different in the last week, and which sensitive things an agent in this folder could reach \
now (`policy reach`), and asks. \
All processes that use the log then judge by the policy, and pending calls that it blocks are denied. A policy with an \
error changes nothing. If another policy comes into force meanwhile, it is refused with exit code 3. Agents may not \
change the policy. The managed layer, which has the rules that people accepted, stays active; `policy revert` returns \
to a policy without it.

JSON: {\"changed\": false if it is active already, \"replaced\": the event of the policy before, \"policy\": {\"seq\", \
\"at\", \"principal\", \"hash\", \"source\", \"text\", \"layers\"}, \"unproven\": [{\"advisor\", \"why\"}]: those that are \
to decide, and only advise until they are proven, \"newlyReachable\": [{\"question\", \"rules\", \"call\"}]: sensitive things that an agent \
in this folder can reach now, and could not before, \"lostBlocks\": names of rules that block and that the new policy does not have}")]
pub(crate) struct PolicyApplyArgs {
    /// The policy, - for stdin; the files in the folder policy.d beside it belong to it
    #[arg(value_name = "FILE", required_unless_present = "daily", conflicts_with = "daily")]
    file: Option<PathBuf>,
    /// Accept the rules that `policy daily` offers, for yesterday or another day, into the managed layer
    #[arg(long, value_name = "DATE", num_args = 0..=1, require_equals = true, default_missing_value = YESTERDAY)]
    daily: Option<DayArgument>,
    /// Do not ask for confirmation; without a terminal this is required
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn apply_policy(
    context: &CommandContext,
    args: &PolicyApplyArgs,
) -> anyhow::Result<CommandExit> {
    match (&args.file, args.daily) {
        (_, Some(day)) => accept_day(context, day, args.yes).await,
        // Without `--daily`, the file is required.
        (file, None) => {
            apply_file(context, file.as_deref().unwrap_or_else(|| Path::new("-")), args.yes).await
        }
    }
}

async fn apply_file(context: &CommandContext, given: &Path, yes: bool) -> anyhow::Result<CommandExit> {
    // A broken file is reported before anything else is opened.
    let file = PolicyOnDisk::read(given)?;
    file.parse()?;
    let gate = context.connect().await?;
    let policy = file.parse_beside(&gate.send(operations::ShowPolicy {}).await?)?;
    let path = file.path();
    let source = path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string();
    let words = [context.command_prefix(), "policy replay --since 7d --policy".to_owned()];
    let quoted = shlex::try_quote(&given.display().to_string()).map(std::borrow::Cow::into_owned);
    let replay_command =
        quoted.ok().filter(|file| file != "-").map(|file| format!("{} {file}", words.join(" ")));
    put_in_force(context, &gate, ProposedPolicy { policy, source, replay_command }, yes).await
}

//! `countersign policy apply`

use super::change::{ProposedPolicy, put_in_force};
use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, PolicyOnDisk};
use std::path::PathBuf;

/// Options of `policy apply`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It shows the difference to the active policy and the verdicts that would have been different in the last week, and asks. \
All processes that use the log then judge by the policy, and pending calls that it blocks are denied. A policy with an \
error changes nothing. If another policy comes into force meanwhile, it is refused with exit code 3. Agents may not \
change the policy. The managed layer, which has the rules that people accepted, stays active; `policy revert` returns \
to a policy without it.

JSON: {\"changed\": false if it is active already, \"replaced\": the event of the policy before, \"policy\": {\"seq\", \
\"at\", \"principal\", \"hash\", \"source\", \"text\", \"layers\"}, \"unproven\": [{\"advisor\", \"why\"}]: those that are \
to decide, and only advise until they are proven}")]
pub(crate) struct PolicyApplyArgs {
    /// The policy, - for stdin; the files in the folder policy.d beside it belong to it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do not ask for confirmation; without a terminal this is required
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn apply_policy(
    context: &CommandContext,
    args: &PolicyApplyArgs,
) -> anyhow::Result<CommandExit> {
    // A broken file is reported before anything else is opened.
    let file = PolicyOnDisk::read(&args.file)?;
    file.parse()?;
    let gate = context.connect().await?;
    let policy = file.parse_beside(&gate.send(operations::ShowPolicy {}).await?)?;
    let path = file.path();
    let source = path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string();
    let words = [context.command_prefix(), "policy replay --since 7d --policy".to_owned()];
    let quoted = shlex::try_quote(&args.file.display().to_string()).map(std::borrow::Cow::into_owned);
    let replay_command =
        quoted.ok().filter(|file| file != "-").map(|file| format!("{} {file}", words.join(" ")));
    put_in_force(context, &gate, ProposedPolicy { policy, source, replay_command }, args.yes).await
}

//! `countersign policy revert`

use super::{
    change::{ProposedPolicy, put_in_force},
    recorded_policy::{RecordedPolicy, for_each_policy, read_policy_of},
};
use countersign_api::SharedGate;
use countersign_console::{CliError, CommandContext, CommandExit};

/// Options of `policy revert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It applies the earlier policy again, as a new event: the log keeps all policies. It shows and asks the same as \
`policy apply`, and its JSON is the same. A second `policy revert` returns to the policy that the first one replaced.")]
pub(crate) struct PolicyRevertArgs {
    /// The event whose policy to make active [default: the policy before the active one]
    #[arg(value_name = "SEQ")]
    seq: Option<i64>,
    /// Do not ask for confirmation; without a terminal this is required
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn revert_policy(
    context: &CommandContext,
    args: &PolicyRevertArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let earlier = match args.seq {
        Some(seq) => read_policy_of(&gate, seq).await?,
        None => read_previous_policy(&gate).await?,
    };
    let proposed = ProposedPolicy {
        policy: earlier.parse()?,
        source: format!("event {}: {}", earlier.seq, original_source(&earlier.source)),
        replay_command: None,
    };
    put_in_force(context, &gate, proposed, args.yes).await
}

/// Reads the last policy that differs from the active one.
async fn read_previous_policy(gate: &SharedGate) -> anyhow::Result<RecordedPolicy> {
    let (mut previous, mut in_force): (Option<RecordedPolicy>, Option<RecordedPolicy>) = (None, None);
    for_each_policy(gate, |policy| {
        if in_force.as_ref().is_none_or(|last| last.hash != policy.hash) {
            previous = in_force.take();
        }
        in_force = Some(policy);
    })
    .await?;
    previous.ok_or_else(|| {
        let message = "the log has had no other policy, so there is none to return to".to_owned();
        CliError { exit: CommandExit::NO_SUCH_CALL, code: "unknown_policy", message }.into()
    })
}

/// The policy's own source, if an earlier `revert` made it active.
fn original_source(source: &str) -> &str {
    let event = source.strip_prefix("event ").and_then(|rest| rest.split_once(": "));
    event.filter(|(seq, _)| seq.parse::<i64>().is_ok()).map_or(source, |(_, original)| original)
}

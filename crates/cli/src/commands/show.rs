//! `countersign show`

use crate::{
    commands::policy::recorded_policy::find_judging_policies,
    find::{CallSelector, find_call},
};
use countersign_console::{CommandContext, CommandExit, ValueDetail, print_call, print_line};

/// Options of `show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the call, as in the API")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    which: CallSelector,
    /// Print long arguments and results in full. Without it, they are folded
    #[arg(long)]
    full: bool,
}

pub(crate) async fn show_call(context: &CommandContext, args: &ShowArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let call = find_call(&gate, &args.which).await?;
    let detail = if args.full { ValueDetail::Full } else { ValueDetail::Folded("--full") };
    print_call(context.json, &call, context.now(), detail)?;
    if !context.json {
        // The call counts more than a note about its policy.
        let policies = find_judging_policies(&gate, &call).await.unwrap_or_default();
        for (seq, source) in policies {
            let command = format!("{} policy show --seq {seq}", context.command_prefix());
            print_line(&format!("  {:<10} event {seq}, from {source}: {command}", "policy"));
        }
    }
    Ok(CommandExit::DONE)
}

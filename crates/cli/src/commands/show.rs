//! `countersign show`

use crate::{
    commands::{evidence::write_evidence, policy::recorded_policy::find_judging_policies},
    find::{CallSelector, find_call},
};
use countersign_console::{CommandContext, CommandExit, ValueDetail, print_call, print_line};
use std::path::PathBuf;

/// Options of `show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The evidence is one JSON file: \"text\" as this command prints it, \"call\" as in the API, \"policies\" with their texts, \"events\" with \
what their hashes cover (those of the call, of the policies that judged it, of the grant that answered it, and of the keys of proofs), \
and \"proof\". `docs/verify_export.py` checks it. It has the arguments and results unmasked as far as the log has them: only its owner can \
read the file.

JSON: the call, as in the API; with --evidence {\"file\", \"events\": how many, \"tip\": SEQ:HASH}")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    which: CallSelector,
    /// Print long arguments and results in full. Without it, they are folded
    #[arg(long)]
    full: bool,
    /// Write all evidence of the call to this new file, - for stdout
    #[arg(long, value_name = "FILE", conflicts_with = "full")]
    evidence: Option<PathBuf>,
}

pub(crate) async fn show_call(context: &CommandContext, args: &ShowArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let call = find_call(&gate, &args.which).await?;
    if let Some(file) = &args.evidence {
        return write_evidence(context, &gate, &call, file).await;
    }
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

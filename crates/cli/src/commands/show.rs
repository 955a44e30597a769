//! `countersign show`

use crate::{
    context::CommandContext,
    exit::CommandExit,
    find::{CallSelector, find_call},
    present::call::print_call,
};

/// Options of `show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the call, as in the API")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    which: CallSelector,
}

pub(crate) async fn show_call(context: &CommandContext, args: &ShowArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    print_call(context.json, &find_call(&gate, &args.which).await?, context.now())?;
    Ok(CommandExit::DONE)
}

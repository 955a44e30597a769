//! `countersign checkpoint sign`

use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_line};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_service::checkpoint::{
    folder::CheckpointFolder,
    keys::CheckpointKey,
    make::{continue_folder, sign_tip},
};
use countersign_store::StoreOptions;
use serde_json::json;
use std::path::PathBuf;

/// Options of `checkpoint sign`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints the checkpoint as one line of JSON, after a check of the whole chain. With --to, it checks the chain from the \
newest checkpoint of the folder on, and writes the new one into a file there. A log whose chain is broken, or that lost \
the newest checkpoint, is not signed.

JSON: {\"kind\", \"log\": the hash of the first event, \"seq\", \"hash\", \"signedAt\", \"publicKey\", \"signature\"}. \
With --to: {\"file\", \"checkpoint\": SEQ:HASH, \"new\": false if the log has not grown}")]
pub(crate) struct CheckpointSignArgs {
    /// The secret key's file, from `countersign checkpoint key`
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Write the checkpoint into this folder, and continue from the newest one there
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(super) async fn sign_checkpoint(
    context: &CommandContext,
    args: &CheckpointSignArgs,
) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage(
            "checkpoint sign works on a database: use --database instead of --server",
        )
        .into());
    }
    let key = CheckpointKey::read(&args.key)?;
    let folder = args.to.as_deref().map(CheckpointFolder::open).transpose()?;
    let options = StoreOptions::for_reading();
    let gate = EmbeddedGate::open_with(context.settings.database()?, options, Policy::shipped()).await?;
    let total = gate.tip(None).await?;
    let mut progress = context.progress("events");
    let update = |done| progress.update(done, total);
    let Some(folder) = folder else {
        let signed = sign_tip(&gate, &key, None, context.now(), update).await;
        progress.clear();
        print_line(&signed?.to_line()?);
        return Ok(CommandExit::DONE);
    };
    let filed = continue_folder(&gate, &key, &folder, context.now(), update).await;
    progress.clear();
    let filed = filed?;
    let (file, tip) = (filed.path.display().to_string(), filed.checkpoint.tip());
    if context.json {
        let json = json!({ "file": file, "checkpoint": tip.to_string(), "new": filed.is_new });
        print_line(&json.to_string());
    } else if filed.is_new {
        print_line(&format!("Signed the tip {tip}: {}", escape_text(&file)));
    } else {
        let file = escape_text(&file);
        print_line(&format!("The log has not grown since the newest checkpoint: {file}"));
    }
    Ok(CommandExit::DONE)
}

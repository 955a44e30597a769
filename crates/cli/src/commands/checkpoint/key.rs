//! `countersign checkpoint key`

use countersign_console::{CommandContext, CommandExit, escape_text, print_error, print_line};
use countersign_service::checkpoint::keys::CheckpointKey;
use serde_json::json;
use std::path::PathBuf;

/// Options of `checkpoint key`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file contains the secret key, an Ed25519 key, and has the mode 0600. Its owner can sign checkpoints, and needs no \
other right. Keep the public key where the log is verified.

JSON: {\"file\", \"publicKey\": ed25519: and 64 hexadecimal digits, \"created\"}")]
pub(crate) struct CheckpointKeyArgs {
    /// The secret key's file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn print_public_key(
    context: &CommandContext,
    args: &CheckpointKeyArgs,
) -> anyhow::Result<CommandExit> {
    let created = !args.file.try_exists()?;
    let key = if created { CheckpointKey::create(&args.file)? } else { CheckpointKey::read(&args.file)? };
    let public = key.public();
    if context.json {
        let json = json!({ "file": args.file, "publicKey": public.to_string(), "created": created });
        print_line(&json.to_string());
    } else {
        if created {
            print_error(&format!("new key: {}", escape_text(&args.file.display().to_string())));
        }
        print_line(&public.to_string());
    }
    Ok(CommandExit::DONE)
}

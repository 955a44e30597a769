//! `countersign compact`

use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit, print_error, print_line};
use countersign_store::{DatabaseUrl, StoreError, UnavailableDatabase, read_disk_space};
use serde_json::json;
use std::path::Path;

pub(crate) async fn compact_database(context: &CommandContext) -> anyhow::Result<CommandExit> {
    let DatabaseUrl::File(path) = context.settings.database()? else {
        let why = "PostgreSQL has its own command: run VACUUM FULL events as the table's owner";
        return Err(CliError::usage(why).into());
    };
    let before = read_length(&path);
    check_room(&path, before)?;
    let gate = context.open_database_to_decide().await?;
    if !context.json {
        print_error(&format!(
            "Compacting {before} bytes. Other processes read meanwhile, and writers wait up to 10 s."
        ));
    }
    let compacted = gate.compact().await;
    gate.shut_down().await;
    compacted?;
    let after = read_length(&path);
    if context.json {
        print_line(&json!({ "before": before, "after": after }).to_string());
    } else {
        print_line(&format!("The file has {after} bytes, {before} before."));
    }
    Ok(CommandExit::DONE)
}

/// The file's length, in bytes. Opening it would release the locks of this process.
fn read_length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// Fails if the disk cannot hold the new file beside the old one.
fn check_room(path: &Path, needed: u64) -> anyhow::Result<()> {
    let Some(space) = read_disk_space(path).filter(|space| space.free < needed) else { return Ok(()) };
    let message = format!(
        "the disk is full: {} bytes are free, and the new file needs up to {needed}; nothing was changed, make room and try again",
        space.free
    );
    let full = StoreError::from(UnavailableDatabase::Full(path.into()));
    Err(anyhow::Error::from(full).context(message))
}

//! `countersign migrate`

use crate::{
    args::Args,
    exit::{Exit, Said},
    output,
};
use countersign_api::ApprovalGate;
use countersign_gate::{EmbeddedGate, Layout, Options, Policy};
use serde_json::json;

/// Everybody who opens a log brings it up to date by the way. Where those who work with it may not, its owner
/// does so with this.
pub(crate) async fn migrate(args: &Args) -> anyhow::Result<Exit> {
    if args.target.server.is_some() {
        let message = "migrate works on the database itself: use --database instead of --server";
        return Err(Said::usage(message).into());
    }
    let address = args.settings.database()?;
    let gate = EmbeddedGate::open_with(address.clone(), Options::default(), Policy::ask_always()).await?;
    let found = gate.found_layout();
    gate.shut_down().await;
    let (done, text) = match found {
        Layout::None => ("made", "There was no log, and one was made."),
        Layout::Older => ("migrated", "Brought up to the layout of this version."),
        Layout::Ours | Layout::Newer { .. } => ("nothing", "There was nothing to do."),
    };
    if args.json {
        output::say(&json!({"database": address.to_string(), "done": done}).to_string());
    } else {
        output::say(&format!("{address}: {text}"));
    }
    Ok(Exit::DONE)
}

//! `countersign migrate`

use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit, print_line};
use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_store::{LogMigration, MigrationRecord, SchemaLayout, StoreError, StoreOptions};
use serde_json::json;

/// Options of `migrate`.
#[derive(Debug, clap::Args)]
pub(crate) struct MigrateArgs {
    /// Change nothing, and report whether the log must be upgraded
    #[arg(long)]
    check: bool,
}

/// Upgrades a log.
pub(crate) async fn migrate_log(context: &CommandContext, args: &MigrateArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        let message = "migrate works on a database: use --database instead of --server";
        return Err(CliError::usage(message).into());
    }
    let address =
        if args.check { context.settings.database()? } else { context.settings.database_to_create()? };
    let migration = if args.check { LogMigration::Never } else { LogMigration::Always };
    let options = StoreOptions { create: !args.check, migration, ..StoreOptions::default() };
    let opened = EmbeddedGate::open_with(address.clone(), options, Policy::shipped()).await;
    let (done, text, record) = match opened {
        Err(GateFailure::Store(StoreError::OlderDatabase { .. })) if args.check => {
            ("needed", "must be upgraded to the schema of this version.", None)
        }
        opened => {
            let gate = opened?;
            let (found, record) = (gate.found_layout(), gate.migration().cloned());
            gate.shut_down().await;
            let (done, text) = match found {
                SchemaLayout::None => ("made", "created a new log."),
                SchemaLayout::Older => ("migrated", "upgraded to the schema of this version."),
                SchemaLayout::Ours | SchemaLayout::Unreleased | SchemaLayout::Newer { .. } => {
                    ("nothing", "the schema is up to date.")
                }
            };
            (done, text, record)
        }
    };
    if context.json {
        let users = record.iter().flat_map(|record| &record.users);
        let users: Vec<_> = users.map(|user| json!({"pid": user.pid, "program": user.program})).collect();
        let copy =
            record.as_ref().and_then(|record| record.copy.as_ref()).map(|path| path.display().to_string());
        let database = address.to_string();
        print_line(&json!({"database": database, "done": done, "copy": copy, "users": users}).to_string());
    } else {
        print_line(&format!("{address}: {text}"));
        record.iter().flat_map(describe_migration).for_each(|line| print_line(&line));
    }
    Ok(if done == "needed" { CommandExit::FAILED } else { CommandExit::DONE })
}

fn describe_migration(record: &MigrationRecord) -> Vec<String> {
    let copy = record.copy.iter().map(|path| format!("A copy from before: {}", path.display()));
    let user = |user: &_| {
        format!("In use by {user}, which continues, or only reads if the new layout excludes its version.")
    };
    copy.chain(record.users.iter().map(user)).collect()
}

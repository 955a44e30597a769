//! `countersign token list`

use crate::pages::{print_list, read_pages};
use countersign_api::{self as api, SelectionQuery, SendOperation, operations};
use countersign_console::{ColumnFit, CommandContext, CommandExit, TextTable, escape_text, format_age};
use countersign_events::Timestamp;

/// Options of `token list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"tokens\": [{\"id\", \"seq\", \"kind\": token, link or session, \"principal\", \"role\", \"level\", \"groups\", \"threads\", \"state\": active, expired, revoked or used, \"createdAt\", \"createdBy\", \"expiresAt\", \"parent\", \"addresses\", \"revokedBy\", \"revokedAt\", \"reason\"}], \"next\": null}, the oldest first"
)]
pub(crate) struct TokenListArgs {
    /// List also sessions, and tokens that have ended
    #[arg(long)]
    all: bool,
}

pub(super) async fn list_tokens(
    context: &CommandContext,
    args: &TokenListArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let mut all = api::TokenPage { tokens: Vec::new(), next: None };
    read_pages(0, async |page| {
        let query = SelectionQuery { all: args.all, page };
        let found = gate.send(operations::ListTokens { query }).await?;
        all.tokens.extend(found.tokens);
        Ok(found.next)
    })
    .await?;
    let more = if args.all { "" } else { " are accepted; --all lists those that have ended" };
    let table = token_table(&all.tokens, context.now());
    print_list(context, &all, &table, &format!("No tokens{more}."))
}

fn token_table(tokens: &[api::Token], now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("ID", ColumnFit::Whole),
        ("KIND", ColumnFit::Whole),
        ("HOLDER", ColumnFit::Wrapped),
        ("ROLE", ColumnFit::Whole),
        ("THREADS", ColumnFit::Wrapped),
        ("STATE", ColumnFit::Wrapped),
        ("CREATED", ColumnFit::Whole),
        ("USED FROM", ColumnFit::Wrapped),
    ]);
    for token in tokens {
        let threads = if token.threads.is_empty() { "all".to_owned() } else { token.threads.join(", ") };
        let level = token.level.as_ref().map_or(String::new(), |level| format!(" ({})", escape_text(level)));
        table.add_row(vec![
            escape_text(&token.id).into(),
            token.kind.as_str().into(),
            escape_text(token.principal.as_str()).into(),
            format!("{}{level}", token.role.as_str()).into(),
            escape_text(&threads).into(),
            describe_state(token).into(),
            format_age(token.created_at, now).into(),
            escape_text(&token.addresses.join(", ")).into(),
        ]);
    }
    table
}

fn describe_state(token: &api::Token) -> String {
    match (token.state, token.expires_at) {
        (api::TokenState::Active, None) => "active".to_owned(),
        (api::TokenState::Active, Some(end)) => format!("active until {end}"),
        (api::TokenState::Expired, _) => "expired".to_owned(),
        (api::TokenState::Used, _) => "used".to_owned(),
        (api::TokenState::Other, _) => "other".to_owned(),
        (api::TokenState::Revoked, _) => match &token.revoked_by {
            Some(by) => format!("revoked by {}", escape_text(by.as_str())),
            None => "revoked with its parent".to_owned(),
        },
    }
}

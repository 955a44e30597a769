//! `countersign token list`

use crate::{
    context::CommandContext,
    exit::CommandExit,
    present::table::{ColumnFit, TextTable},
};
use countersign_api as api;
use countersign_gate::Timestamp;
use countersign_tui::present::{
    print::{print_json, print_line},
    text::{escape_text, format_age},
};

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
    let selection = if args.all { api::TokenSelection::All } else { api::TokenSelection::Active };
    let mut all = api::TokenPage { tokens: Vec::new(), next: Some(0) };
    while let Some(after) = all.next {
        let page = gate.tokens(selection, api::PageQuery { after, limit: api::MAX_PAGE }).await?;
        all.tokens.extend(page.tokens);
        all.next = page.next;
    }
    if context.json {
        print_json(&all)?;
    } else if all.tokens.is_empty() {
        let more = if args.all { "" } else { " are accepted; --all lists those that have ended" };
        print_line(&format!("No tokens{more}."));
    } else {
        print_line(&token_table(&all.tokens, context.now()).format(&context.screen()));
    }
    Ok(CommandExit::DONE)
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
        (api::TokenState::Revoked, _) => match &token.revoked_by {
            Some(by) => format!("revoked by {}", escape_text(by.as_str())),
            None => "revoked with its parent".to_owned(),
        },
    }
}

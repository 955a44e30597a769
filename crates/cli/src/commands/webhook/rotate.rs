//! `countersign webhook rotate`

use super::add::read_file;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, escape_text, print_error, print_json, print_line,
};
use countersign_policy::parse_span;
use std::path::PathBuf;

/// Options of `webhook rotate`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "While both secrets sign, each message has two signatures, and a receiver accepts it with either secret. Give \
the receiver the new one in that time.\n\nJSON: {\"secret\", \"webhook\": as in `webhook list`}"
)]
pub(crate) struct WebhookRotateArgs {
    /// The webhook's name
    name: String,
    /// A file with the new secret, whsec_… [default: a random one, which is printed once]
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// The time for which the old secret signs, too, such as 24h or 30m; now ends it at once
    #[arg(long, value_name = "TIME", default_value = "24h")]
    old_ends: String,
}

pub(super) async fn rotate_webhook(
    context: &CommandContext,
    args: &WebhookRotateArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::RotateWebhookRequest {
        secret: args.secret_file.as_deref().map(read_file).transpose()?,
        old_secret_seconds: Some(read_span(&args.old_ends)?),
    };
    let operation = operations::RotateWebhook { name: args.name.clone(), body: request };
    let rotated = context.connect().await?.send(operation).await?;
    if context.json {
        print_json(&rotated)?;
        return Ok(CommandExit::DONE);
    }
    let name = escape_text(&rotated.webhook.name);
    let old = match rotated.webhook.old_secret_until {
        Some(until) => format!(
            "The old secret signs until {until}, too. `{} webhook end-old {name}` ends it at once.",
            context.command_prefix()
        ),
        None => "The old secret signs no more.".to_owned(),
    };
    match (&rotated.secret, &args.secret_file) {
        (Some(secret), None) => {
            print_line(secret);
            print_error(&format!("{name} signs messages with this secret, which is shown this once. {old}"));
        }
        _ => print_line(&format!("{name} signs messages with the new secret. {old}")),
    }
    Ok(CommandExit::DONE)
}

/// Reads the rest of the old secret's time, in seconds.
fn read_span(text: &str) -> anyhow::Result<u64> {
    let why = || CliError::usage(format!("--old-ends {text}: use a time such as 24h or 30m, or now"));
    let span = if text == "now" { Some(0) } else { parse_span(text).map(|span| span.as_secs()) };
    Ok(span.ok_or_else(why)?)
}

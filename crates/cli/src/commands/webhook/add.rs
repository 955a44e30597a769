//! `countersign webhook add`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, escape_text, print_error, print_json, print_line,
};
use countersign_events::{WebhookFormat, WebhookTopic};
use std::{
    fs::File,
    io::{Read, stdin},
    path::{Path, PathBuf},
};

/// The most bytes of an address or a secret that is read from a file.
const MAX_BYTES: u64 = 4_096;

/// Options of `webhook add`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The address may be a secret, as those of chats are. Those of pagerduty, opsgenie, jira and the chat apps end with # and \
the secrets: `docs/guides/chats.md` has the forms. The address is kept in sealed form, and `-` reads it from stdin, \
so that the shell does not keep it.\n\nJSON: {\"secret\": with the format standard, \"webhook\": as in `webhook list`}"
)]
pub(crate) struct WebhookAddArgs {
    /// The name: letters, digits, -, _ and .
    name: String,
    /// The address, https://…, or https://…#SECRETS for pagers, Jira and chat apps; - reads it from stdin
    url: String,
    /// The message form: standard (signed JSON), slack, teams, discord, ntfy, pagerduty, opsgenie, jira, or a chat app: slack-app,
    /// telegram, discord-app or mattermost
    #[arg(long, value_name = "FORMAT", default_value = "standard")]
    format: WebhookFormat,
    /// A message topic: opened, reminded, escalated, voted, decided, expired, `outcome_unknown`, advised, flagged,
    /// mismatch or `advisor_mode`; repeatable [default: all]
    #[arg(long = "topic", value_name = "TOPIC")]
    topics: Vec<WebhookTopic>,
    /// The threads that the messages are about, a glob such as 'ci/*'; repeatable [default: all]
    #[arg(long, value_name = "GLOB")]
    threads: Vec<String>,
    /// A file with the signing secret, whsec_… [default: a random one, which is printed once]
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Permit an address in a private network, and http://
    #[arg(long)]
    allow_private: bool,
    /// Send the arguments of calls, with the secrets that the policy masks; without this, only the call page shows them
    #[arg(long)]
    arguments: bool,
}

pub(super) async fn add_webhook(
    context: &CommandContext,
    args: &WebhookAddArgs,
) -> anyhow::Result<CommandExit> {
    let url = if args.url == "-" { read_text(stdin(), "stdin")? } else { args.url.clone() };
    let request = api::WebhookRequest {
        name: args.name.clone(),
        url,
        format: args.format,
        topics: args.topics.clone(),
        threads: args.threads.clone(),
        secret: args.secret_file.as_deref().map(read_file).transpose()?,
        allow_private: args.allow_private,
        arguments: args.arguments,
    };
    let added = context.connect().await?.send(operations::AddWebhook { body: request }).await?;
    if context.json {
        print_json(&added)?;
        return Ok(CommandExit::DONE);
    }
    let webhook = &added.webhook;
    let (name, host) = (escape_text(&webhook.name), escape_text(&webhook.host));
    match (&added.secret, &args.secret_file) {
        (Some(secret), None) => {
            print_line(secret);
            print_error(&format!(
                "{name} sends messages to {host}. The receiver checks them with this secret, which is shown this once."
            ));
        }
        _ => print_line(&format!("{name} sends messages to {host}.")),
    }
    print_error(&format!(
        "A running `countersign serve` delivers them. `{} webhook test {name}` sends one now.",
        context.command_prefix()
    ));
    Ok(CommandExit::DONE)
}

pub(super) fn read_file(path: &Path) -> anyhow::Result<String> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|why| CliError::usage(format!("{name}: {why}")))?;
    read_text(file, &name)
}

fn read_text(source: impl Read, name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = source.take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|why| CliError::usage(format!("{name}: {why}")))?;
    Ok(text.trim().to_owned())
}

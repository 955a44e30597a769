//! `countersign token create`

use countersign_api::{self as api, SendOperation, operations, page_address};
use countersign_console::{
    CliError, CommandContext, CommandExit, LogTarget, SettingKey, escape_text, print_error, print_json,
    print_line, sign_in_link,
};
use countersign_events::{Role, TokenKind};
use countersign_policy::parse_span;

/// The server address in a link if neither an option nor a setting names one.
const DEFAULT_URL: &str = "http://127.0.0.1:7878";

/// Options of `token create`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The token is printed once, on stdout; the log keeps its hash.\n\nJSON: {\"secret\": the token, \"link\": with --link, \"token\": {\"id\", \"principal\", \"role\", …} as in `token list`}"
)]
pub(crate) struct TokenCreateArgs {
    /// The name of its holder: deploy-bot becomes agent:deploy-bot or user:deploy-bot
    #[arg(long)]
    name: String,
    /// What its holder may do: agent (propose, wait, claim, finish, cancel), approver (read, decide), auditor (read) or
    /// admin (policies, modes, tokens)
    #[arg(long, value_name = "ROLE")]
    role: Role,
    /// The threads that its holder sees, a glob such as 'ci/*'; repeatable [default: all]
    #[arg(long, value_name = "GLOB")]
    threads: Vec<String>,
    /// An approver's level, besides the one that the policy gives
    #[arg(long)]
    level: Option<String>,
    /// An approver group, besides the policy's groups; repeatable
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,
    /// The time after which it is not accepted, such as 90d or 12h [default: never; for a link 15m]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// Print a link that signs a person in once with a browser
    #[arg(long)]
    link: bool,
    /// The server address in the link
    #[arg(
        long,
        help = "The address of the server's pages in the link [default: that of --server, or the first of public_urls in the settings, or http://countersign.localhost:7878]",
        value_name = "URL",
        requires = "link"
    )]
    url: Option<String>,
}

pub(super) async fn create_token(
    context: &CommandContext,
    args: &TokenCreateArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::TokenRequest {
        name: args.name.clone(),
        role: args.role,
        kind: if args.link { TokenKind::Link } else { TokenKind::Token },
        level: args.level.clone(),
        groups: args.groups.clone(),
        threads: args.threads.clone(),
        expires_in_seconds: args.expires.as_deref().map(read_expiry).transpose()?,
    };
    let created = context.connect().await?.send(operations::CreateToken { body: request }).await?;
    let link = args.link.then(|| sign_in_link(&base_url(context, args), &created.secret));
    if context.json {
        let mut printed = serde_json::to_value(&created)?;
        if let (Some(link), Some(object)) = (link, printed.as_object_mut()) {
            object.insert("link".to_owned(), link.into());
        }
        print_json(&printed)?;
        return Ok(CommandExit::DONE);
    }
    print_line(link.as_deref().unwrap_or(&created.secret));
    print_error(&describe_token(&created.token));
    Ok(CommandExit::DONE)
}

fn base_url(context: &CommandContext, args: &TokenCreateArgs) -> String {
    let server = || match context.settings.target() {
        Ok(LogTarget::Server(url)) if !url.starts_with("unix:") => Some(url),
        _ => None,
    };
    let public = || context.settings.texts(SettingKey::PublicUrls)?.0.first().cloned();
    let pages = || page_address(&server().or_else(public).unwrap_or_else(|| DEFAULT_URL.to_owned()));
    args.url.clone().unwrap_or_else(pages)
}

fn read_expiry(text: &str) -> anyhow::Result<u64> {
    let why = || CliError::usage(format!("--expires {text}: use a time such as 90d, 12h or 15m"));
    let span = parse_span(text).filter(|span| span.as_secs() > 0).ok_or_else(why)?;
    Ok(span.as_secs())
}

/// What a new token's holder can do, in sentences.
fn describe_token(token: &api::Token) -> String {
    let rights = match token.role {
        Role::Agent => "propose, wait for, claim, finish and cancel calls; it decides nothing",
        Role::Approver => "read and decide; not propose",
        Role::Auditor => "read; not propose or decide",
        Role::Admin => "read, and set policies, modes and tokens; not propose or decide",
        Role::Other => "do nothing",
    };
    let threads = if token.threads.is_empty() {
        "in all threads".to_owned()
    } else {
        format!(
            "in threads {}",
            token.threads.iter().map(|glob| escape_text(glob)).collect::<Vec<_>>().join(", ")
        )
    };
    let end = token
        .expires_at
        .map_or_else(|| "It does not expire.".to_owned(), |end| format!("It expires at {end}."));
    format!(
        "{} can {rights}, {threads}. {end} It is shown this once; `countersign token revoke {}` ends it.",
        escape_text(token.principal.as_str()),
        escape_text(&token.id),
    )
}

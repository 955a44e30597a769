//! The first tokens of a log: one for an agent, and one person, who gets a link for a browser and a token for commands.

use super::addresses::ServerAddresses;
use crate::{
    commands::token::sign_in_link,
    context::CommandContext,
    credentials::{
        CredentialFile, ServerTokens, local_person, request_agent_token, request_person_token,
        request_sign_in_link,
    },
};
use countersign_gate::{EmbeddedGate, Principal};
use countersign_tui::present::text::escape_text;
use std::{
    io::{IsTerminal, stdout},
    path::PathBuf,
};

/// The first credentials of a log.
pub(super) struct FirstCredentials {
    agent: String,
    link: Option<String>,
    person: String,
    /// The file that has the tokens of the agent and of the person.
    file: Option<PathBuf>,
}

/// Creates the first tokens of a log that has none, and keeps them in the file of this user's credentials.
pub(super) async fn create_first_credentials(
    gate: &EmbeddedGate,
    addresses: &ServerAddresses,
) -> anyhow::Result<Option<FirstCredentials>> {
    if gate.is_read_only() || !gate.has_no_tokens() {
        return Ok(None);
    }
    let requests = [request_agent_token(), request_person_token(), request_sign_in_link()];
    let service = gate.acting_as(Principal::system("first-start"));
    let secrets: Vec<String> =
        service.create_tokens(&requests).await?.into_iter().map(|created| created.secret).collect();
    let [agent, person, link] = <[String; 3]>::try_from(secrets)
        .map_err(|_| anyhow::anyhow!("the log returned another number of tokens"))?;
    let link = addresses.pages.as_ref().map(|pages| sign_in_link(pages, &link));
    let file = addresses.urls.first().and_then(|url| keep(url, &agent, &person));
    Ok(Some(FirstCredentials { agent, link, person: local_person(), file }))
}

/// Keeps the tokens in the file of this user's credentials. Without the file, commands need another way to their token.
fn keep(url: &str, agent: &str, person: &str) -> Option<PathBuf> {
    let file = CredentialFile::of_user()?;
    let tokens = ServerTokens { agent: Some(agent.to_owned()), person: Some(person.to_owned()) };
    match file.add(url, tokens) {
        Ok(()) => Some(file.path),
        Err(error) => {
            tracing::warn!(error = %format_args!("{error:#}"), "the first tokens were not kept in a file");
            None
        }
    }
}

/// The lines about credentials in the introduction of `serve`. Secrets are printed to a terminal only: otherwise they
/// would be in the log of the service manager.
pub(super) fn describe_callers(
    context: &CommandContext,
    solo: bool,
    first: Option<&FirstCredentials>,
) -> String {
    let how = context.command_prefix();
    if solo {
        return "SOLO: a caller without a token may both propose and decide; events name it \"(solo)\""
            .to_owned();
    }
    let Some(FirstCredentials { agent, link, person, file }) = first else {
        return format!("each needs a token: {how} token create --help");
    };
    let kept = file.as_ref().map(|file| escape_text(&file.display().to_string()));
    let person = escape_text(person);
    if !stdout().is_terminal() {
        return match kept {
            Some(kept) => {
                format!("each needs a token; the first ones are in {kept}, which only you can read")
            }
            None => format!("each needs a token: {how} token create --help"),
        };
    }
    let sign_in = link.as_ref().map_or_else(String::new, |link| {
        format!("\n  approver   {link}\n             signs user:{person} in once, within an hour, to read and decide; not to propose")
    });
    let kept = kept.map_or_else(String::new, |kept| {
        format!("\n             With --server, this user's commands find their tokens in {kept}.")
    });
    format!(
        "each needs a token. The first ones of this log, shown this once:\
         \n  agent      {agent}\
         \n             proposes and runs calls as agent:local; it decides nothing{sign_in}\
         \n             More: {how} token create --help{kept}"
    )
}

//! The first tokens of a log: one for an agent, and one person, who gets a link for a browser and a token for commands.

use super::addresses::ServerAddresses;
use countersign_approvals::access::Right;
use countersign_console::{
    CommandContext, CredentialFile, LockedCredentials, ServerTokens, accepted_token, escape_text,
    local_person, request_agent_token, request_person_token, request_sign_in_link, sign_in_link,
};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use std::path::PathBuf;

/// The credentials of this user for a server.
pub(super) enum ServerCredentials {
    /// This process has created the first tokens of the log.
    Created(FirstCredentials),
    /// The log has tokens, and those of this user are in this file.
    Kept(PathBuf),
}

/// The first credentials of a log.
pub(super) struct FirstCredentials {
    agent: String,
    link: Option<String>,
    person: String,
    /// The file that has the agent token and the person token.
    file: Option<PathBuf>,
}

/// Creates the first tokens for a log that has none, and keeps them in this user's credentials file. If the log has
/// tokens, this user's tokens also become this server's tokens. Servers of one user take turns, so that of two that
/// start at once the second finds the tokens of the first.
pub(super) async fn prepare_credentials(
    gate: &EmbeddedGate,
    addresses: &ServerAddresses,
    prints_secrets: bool,
) -> anyhow::Result<Option<ServerCredentials>> {
    if gate.is_read_only() {
        return Ok(None);
    }
    let url = addresses.urls.first().map(String::as_str);
    let file = CredentialFile::of_user();
    let locked = match &file {
        Some(file) => warn_of(file.lock().await),
        None => None,
    };
    let place = locked.as_ref().zip(url);
    if gate.has_no_tokens()
        && let Some(first) = create_first_credentials(gate, addresses, place, prints_secrets).await?
    {
        return Ok(Some(ServerCredentials::Created(first)));
    }
    let Some((locked, url)) = place else { return Ok(None) };
    let adopted = adopt_tokens(gate, locked, url).await;
    Ok(warn_of(adopted).flatten().map(ServerCredentials::Kept))
}

/// Creates the first tokens that somebody can read: in the file of this user, or in the terminal. A link is only printed, so it
/// needs a terminal. Returns `None` if nobody could read them, or if another process was faster.
async fn create_first_credentials(
    gate: &EmbeddedGate,
    addresses: &ServerAddresses,
    place: Option<(&LockedCredentials<'_>, &str)>,
    prints_secrets: bool,
) -> anyhow::Result<Option<FirstCredentials>> {
    if place.is_none() && !prints_secrets {
        return Ok(None);
    }
    let mut requests = vec![request_agent_token(), request_person_token()];
    if prints_secrets && addresses.pages.is_some() {
        requests.push(request_sign_in_link());
    }
    let service = gate.acting_as(Principal::system("first-start"));
    let Some(created) = service.create_first_tokens(&requests).await? else { return Ok(None) };
    let mut secrets = created.into_iter().map(|created| created.secret);
    let (Some(agent), Some(person)) = (secrets.next(), secrets.next()) else {
        anyhow::bail!("the log returned another number of tokens");
    };
    let link = addresses.pages.as_ref().zip(secrets.next());
    let link = link.map(|(pages, link)| sign_in_link(pages, &link));
    let tokens = ServerTokens { agent: Some(agent.as_str().into()), person: Some(person.into()) };
    let file =
        place.and_then(|(locked, url)| warn_of(locked.add(url, tokens)).map(|()| locked.path().to_owned()));
    Ok(Some(FirstCredentials { agent, link, person: local_person(), file }))
}

/// Keeps the tokens of another server of this log for this one, unless it has some that the log accepts. Returns the file
/// if it has some now.
async fn adopt_tokens(
    gate: &EmbeddedGate,
    locked: &LockedCredentials<'_>,
    url: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let known = locked.read()?;
    for tokens in known.tokens(url).into_iter().chain(known.all_tokens()) {
        let agent = accepted_token(gate, tokens.agent.clone(), Right::Execute).await?;
        let person = accepted_token(gate, tokens.person.clone(), Right::Decide).await?;
        let accepted = ServerTokens { agent, person };
        if accepted == ServerTokens::default() {
            continue;
        }
        if known.tokens(url) != Some(tokens) {
            locked.add(url, accepted)?;
        }
        return Ok(Some(locked.path().to_owned()));
    }
    Ok(None)
}

/// The result, or `None` and a warning: without the file, commands need another way to their token.
fn warn_of<T>(outcome: anyhow::Result<T>) -> Option<T> {
    let warn = |error: &anyhow::Error| {
        tracing::warn!(error = %format_args!("{error:#}"), "the file of this user's tokens was not used");
    };
    outcome.inspect_err(warn).ok()
}

/// How the first person gets into the pages, where no link was printed. The command runs without the options and the
/// environment of this server, so it names the address of the pages.
fn describe_sign_in(how: &str, addresses: &ServerAddresses) -> String {
    let url = addresses.pages.as_ref().map_or_else(String::new, |pages| format!(" --url {pages}"));
    format!("To sign in with a browser: {how} token create --name NAME --role approver --link{url}")
}

/// The lines about credentials in the `serve` introduction. Secrets are printed to a terminal only: otherwise they
/// would be in the service manager's log.
pub(super) fn describe_callers(
    context: &CommandContext,
    addresses: &ServerAddresses,
    solo: bool,
    credentials: Option<&ServerCredentials>,
    prints_secrets: bool,
) -> String {
    let how = context.command_prefix();
    if solo {
        return "SOLO: a caller without a token may both propose and decide; events name it \"(solo)\""
            .to_owned();
    }
    let first = match credentials {
        Some(ServerCredentials::Created(first)) => first,
        Some(ServerCredentials::Kept(file)) => {
            let file = escape_text(&file.display().to_string());
            return format!(
                "each needs a token; those of this user are in {file}. More: {how} token create --help"
            );
        }
        None => return format!("each needs a token\n             {}", describe_sign_in(&how, addresses)),
    };
    let FirstCredentials { agent, link, person, file } = first;
    let kept = file.as_ref().map(|file| escape_text(&file.display().to_string()));
    let person = escape_text(person);
    if !prints_secrets {
        let kept = kept.map_or_else(String::new, |kept| {
            format!("; the first ones are in {kept}, which only you can read")
        });
        return format!("each needs a token{kept}\n             {}", describe_sign_in(&how, addresses));
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

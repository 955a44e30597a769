//! The credentials that `up` hands out: the agent token and the person token, which are created once for a log, and a
//! link that signs the person in.

use crate::process::{ServiceFiles, ServiceRecord};
use countersign_api::{
    MAX_PAGE, PageQuery, SelectionQuery, SendOperation, Timestamp, TokenRequest, operations,
};
use countersign_approvals::access::Right;
use countersign_console::{
    CliError, CommandContext, CommandExit, CredentialFile, ServerTokens, accepted_token, request_agent_token,
    request_person_token, request_sign_in_link, sign_in_link, write_private,
};
use countersign_events::SecretValue;
use countersign_gate::EmbeddedGate;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// A link that ends sooner is replaced by a new one.
const SHORT_REST: Duration = Duration::from_mins(5);

/// The credentials for this machine's user.
#[derive(Debug, Default)]
pub(super) struct LocalCredentials {
    /// The agent token file; `None` in solo mode.
    pub(super) agent_token: Option<PathBuf>,
    /// A link for a browser, and the time until which it signs in; `None` in solo mode, and without a port.
    pub(super) link: Option<(String, Timestamp)>,
}

/// A sign-in link that was created before. It is shown again until it is used.
#[derive(Serialize, Deserialize)]
struct KeptLink {
    id: String,
    secret: String,
    expires_at: Timestamp,
}

/// Finds the credentials, and creates the missing ones. `previous` is the address of this log's last service, whose
/// tokens this one keeps.
pub(super) async fn prepare_credentials(
    context: &CommandContext,
    gate: &EmbeddedGate,
    files: &ServiceFiles,
    record: &ServiceRecord,
    previous: Option<&str>,
) -> anyhow::Result<LocalCredentials> {
    if record.solo {
        return Ok(LocalCredentials::default());
    }
    let url = record.address();
    let kept = CredentialFile::of_user().ok_or_else(no_credential_file)?;
    let kept = kept.lock().await?;
    let known = kept.read()?;
    let own = known.tokens(url).cloned();
    let mut tokens = own.clone().or_else(|| known.tokens(previous?).cloned()).unwrap_or_default();
    let agent = accepted_token(gate, tokens.agent.take(), Right::Execute).await?;
    let person = accepted_token(gate, tokens.person.take(), Right::Decide).await?;
    let agent = token_or_new(gate, agent, &request_agent_token()).await?;
    let person = token_or_new(gate, person, &request_person_token()).await?;
    let tokens = ServerTokens { agent: Some(agent.clone()), person: Some(person) };
    if own.as_ref() != Some(&tokens) {
        kept.add(url, tokens)?;
    }
    let path = files.agent_token();
    write_private(&path, SecretValue::new(format!("{}\n", agent.expose())).expose())?;
    let link = match record.pages() {
        Some(pages) => Some(find_link(context, gate, files, &pages).await?),
        None => None,
    };
    Ok(LocalCredentials { agent_token: Some(path), link })
}

async fn token_or_new(
    gate: &EmbeddedGate,
    token: Option<SecretValue<String>>,
    request: &TokenRequest,
) -> anyhow::Result<SecretValue<String>> {
    match token {
        Some(token) => Ok(token),
        None => Ok(gate.send(operations::CreateToken { body: request.clone() }).await?.secret.into()),
    }
}

/// The link that was shown last, if it still signs in, or a new one.
async fn find_link(
    context: &CommandContext,
    gate: &EmbeddedGate,
    files: &ServiceFiles,
    pages: &str,
) -> anyhow::Result<(String, Timestamp)> {
    let path = files.sign_in_link();
    let kept = std::fs::read_to_string(&path).ok();
    let kept: Option<KeptLink> = kept.and_then(|text| serde_json::from_str(&text).ok());
    if let Some(link) = kept.filter(|link| link.expires_at > context.now().after(SHORT_REST))
        && is_unused(gate, &link.id).await?
    {
        return Ok((sign_in_link(pages, &link.secret), link.expires_at));
    }
    let created = gate.send(operations::CreateToken { body: request_sign_in_link() }).await?;
    let expires_at = created.token.expires_at.unwrap_or_else(|| context.now());
    let link = KeptLink { id: created.token.id, secret: created.secret, expires_at };
    write_private(&path, &serde_json::to_string(&link)?)?;
    Ok((sign_in_link(pages, &link.secret), expires_at))
}

async fn is_unused(gate: &EmbeddedGate, id: &str) -> anyhow::Result<bool> {
    let mut page = PageQuery { after: 0, limit: MAX_PAGE };
    loop {
        let found = gate.send(operations::ListTokens { query: SelectionQuery { all: false, page } }).await?;
        if found.tokens.iter().any(|token| token.id == id) {
            return Ok(true);
        }
        let Some(next) = found.next else { return Ok(false) };
        page.after = next;
    }
}

fn no_credential_file() -> CliError {
    let message =
        "there is no folder for the tokens: neither HOME nor XDG_DATA_HOME is an absolute path".to_owned();
    CliError { exit: CommandExit::USAGE, code: "no_data_folder", message }
}

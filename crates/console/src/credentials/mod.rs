//! The credential for a command that uses a server: from an option, from the environment, or from a file that only its
//! owner can read, in which `serve` keeps the first tokens.

mod file;
mod local_tokens;
mod side;

pub use file::{CredentialFile, LockedCredentials, ServerTokens};
pub use local_tokens::{
    accepted_token, local_person, request_agent_token, request_person_token, request_sign_in_link,
};
pub use side::CallerSide;

use crate::{CliError, SettingKey, Settings, read_variable};
use countersign_client::HttpGate;
use countersign_events::SecretValue;
use countersign_gate::SecretFile;
use std::path::Path;

/// The variable that contains a token. It is not a setting, because `config` prints settings.
const VARIABLE: &str = "COUNTERSIGN_TOKEN";

/// The largest file of one secret, in bytes.
const MAX_SECRET_FILE: u64 = 4_096;

/// Adds the credential to a gate, if there is one for this server.
pub fn authorize(
    gate: HttpGate,
    settings: &Settings,
    url: &str,
    side: CallerSide,
) -> anyhow::Result<HttpGate> {
    match find_token(settings, url, side)? {
        Some(token) => Ok(gate.with_token(token.expose())?),
        None => Ok(gate),
    }
}

fn find_token(
    settings: &Settings,
    url: &str,
    side: CallerSide,
) -> anyhow::Result<Option<SecretValue<String>>> {
    let option = settings.text_with_origin(SettingKey::TokenFile);
    if let Some((path, origin)) = option {
        return read_secret_file(Path::new(path), &origin.to_string()).map(Some);
    }
    if let Some(token) = read_variable(VARIABLE) {
        let why = || CliError::usage(format!("{VARIABLE} is not UTF-8"));
        return Ok(Some(token.into_string().map_err(|_| why())?.into()));
    }
    let Some(file) = CredentialFile::of_user() else { return Ok(None) };
    Ok(file.read()?.find(url, side))
}

/// Reads a file that contains one secret. Fails if other users can read it.
pub fn read_secret_file(path: &Path, origin: &str) -> anyhow::Result<SecretValue<String>> {
    let bad = |why: String| CliError::usage(format!("{origin}: {}: {why}", path.display()));
    let text = SecretFile::of_owner(MAX_SECRET_FILE).read_text(path);
    let text = text.map_err(|why| bad(file::describe_secret_failure(path, &why)))?;
    Ok(text.trimmed())
}

/// The address at which a browser signs in. The token is in the fragment, which a browser sends to no server.
#[must_use]
pub fn sign_in_link(url: &str, secret: &str) -> String {
    format!("{}/sign-in/#{secret}", url.trim_end_matches('/'))
}

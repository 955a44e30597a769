//! The credential of a command that uses a server: from an option, from the environment, or from a file that only its
//! owner can read, in which `serve` keeps the first tokens.

mod file;
mod local_tokens;
mod side;

pub(crate) use file::{CredentialFile, LockedCredentials, ServerTokens};
pub(crate) use local_tokens::{
    accepted_token, local_person, request_agent_token, request_person_token, request_sign_in_link,
};
pub(crate) use side::CallerSide;

use crate::{
    exit::CliError,
    settings::{effective::Settings, keys::SettingKey, setting::read_variable},
};
use countersign_client::HttpGate;
use std::path::Path;

/// The variable that contains a token. It is not a setting, because `config` prints settings.
const VARIABLE: &str = "COUNTERSIGN_TOKEN";

/// The largest file of one secret, in bytes.
const MAX_SECRET_FILE: u64 = 4_096;

/// Adds the credential to a gate, if there is one for this server.
pub(crate) fn authorize(
    gate: HttpGate,
    settings: &Settings,
    url: &str,
    side: CallerSide,
) -> anyhow::Result<HttpGate> {
    match find_token(settings, url, side)? {
        Some(token) => Ok(gate.with_token(&token)?),
        None => Ok(gate),
    }
}

fn find_token(settings: &Settings, url: &str, side: CallerSide) -> anyhow::Result<Option<String>> {
    let option = settings.text_with_origin(SettingKey::TokenFile);
    if let Some((path, origin)) = option {
        return read_secret_file(Path::new(path), &origin.to_string()).map(Some);
    }
    if let Some(token) = read_variable(VARIABLE) {
        let why = || CliError::usage(format!("{VARIABLE} is not UTF-8"));
        return Ok(Some(token.into_string().map_err(|_| why())?));
    }
    let Some(file) = CredentialFile::of_user() else { return Ok(None) };
    Ok(file.read()?.find(url, side))
}

/// Reads a file that contains one secret. Fails if other users can read it.
pub(crate) fn read_secret_file(path: &Path, origin: &str) -> anyhow::Result<String> {
    let bad = |why: String| CliError::usage(format!("{origin}: {}: {why}", path.display()));
    file::check_is_private(path).map_err(bad)?;
    let size = std::fs::metadata(path).map_or(0, |found| found.len());
    if size > MAX_SECRET_FILE {
        return Err(bad(format!("it has {size} bytes, and a secret is shorter")).into());
    }
    let text = std::fs::read_to_string(path).map_err(|why| bad(why.to_string()))?;
    Ok(text.trim().to_owned())
}

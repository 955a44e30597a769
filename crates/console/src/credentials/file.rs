//! The file of credentials: the tokens of each server, readable by its owner only.

use super::side::CallerSide;
use crate::{
    CliError, CommandExit,
    private_file::remove_unfinished,
    settings::default_log::{create_data_folder, find_data_file},
    wait_for_lock, write_private,
};
use countersign_api::PAGE_HOST;
use countersign_events::SecretValue;
use countersign_gate::{SecretFile, SecretFileError};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

/// The file's name, in the data folder of the user.
const FILE_NAME: &str = "credentials.toml";

/// The largest file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The longest wait for another process that changes the file.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The tokens of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTokens {
    /// The token with which commands propose calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<SecretValue<String>>,
    /// The token with which commands read and decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<SecretValue<String>>,
}

/// The file's content: servers by their address.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KnownServers(BTreeMap<String, ServerTokens>);

/// The file of credentials.
#[derive(Debug)]
pub struct CredentialFile {
    /// Where it is.
    pub path: PathBuf,
}

/// The file while no other process changes it.
#[derive(Debug)]
pub struct LockedCredentials<'file> {
    file: &'file CredentialFile,
    _lock: File,
}

impl CredentialFile {
    /// The file of this user; `None` if the environment names no folder for it.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        find_data_file(FILE_NAME).map(|path| Self { path })
    }

    /// Reads the file. A missing file has no servers.
    pub fn read(&self) -> anyhow::Result<KnownServers> {
        let bad = |why: String| CliError {
            exit: CommandExit::USAGE,
            code: "bad_credentials",
            message: format!("{}: {why}", self.path.display()),
        };
        let text = match SecretFile::of_owner(MAX_BYTES).read_text(&self.path) {
            Err(SecretFileError::Unreadable(why)) if why.kind() == ErrorKind::NotFound => {
                return Ok(KnownServers::default());
            }
            text => text.map_err(|why| bad(describe_secret_failure(&self.path, &why)))?,
        };
        // The parser message would repeat the line, which may contain a token.
        let servers = toml::from_str(text.expose()).map_err(|why| bad(why.message().to_owned()))?;
        Ok(KnownServers(servers))
    }

    /// Waits until no other process changes the file. The lock is on the folder, so that it needs no file of its own.
    /// Fails with `locked` if another process holds it for too long.
    pub async fn lock(&self) -> anyhow::Result<LockedCredentials<'_>> {
        self.lock_within(LONGEST_WAIT).await
    }

    async fn lock_within(&self, longest: Duration) -> anyhow::Result<LockedCredentials<'_>> {
        create_data_folder(&self.path)?;
        let folder = File::open(self.path.parent().unwrap_or(Path::new(".")))?;
        if !wait_for_lock(&folder, longest).await? {
            return Err(self.locked().into());
        }
        remove_unfinished(&self.path);
        Ok(LockedCredentials { file: self, _lock: folder })
    }

    fn locked(&self) -> CliError {
        let message = format!(
            "another process has locked the folder of {} for more than {} s; a stopped process may hold it: find it with \
             `fuser`, and let it continue or end it",
            self.path.display(),
            LONGEST_WAIT.as_secs()
        );
        CliError { exit: CommandExit::UNAVAILABLE, code: "locked", message }
    }
}

impl LockedCredentials<'_> {
    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Reads the file.
    pub fn read(&self) -> anyhow::Result<KnownServers> {
        self.file.read()
    }

    /// Adds server tokens to the file, which is replaced as a whole, so that a crash leaves the old one.
    pub fn add(&self, url: &str, tokens: ServerTokens) -> anyhow::Result<()> {
        let mut known = self.read()?;
        known.0.insert(normalize(url), tokens);
        let text = SecretValue::new(toml::to_string(&known.0)?);
        Ok(write_private(&self.file.path, text.expose())?)
    }
}

impl KnownServers {
    /// The tokens of all servers.
    pub fn all_tokens(&self) -> impl Iterator<Item = &ServerTokens> {
        self.0.values()
    }

    /// The tokens of this server.
    pub fn tokens(&self, url: &str) -> Option<&ServerTokens> {
        self.0.get(&normalize(url))
    }

    /// The token for this server and side; the other side's if it has only that one.
    pub(crate) fn find(&self, url: &str, side: CallerSide) -> Option<SecretValue<String>> {
        let tokens = self.tokens(url)?;
        let (first, second) = match side {
            CallerSide::Agent => (&tokens.agent, &tokens.person),
            CallerSide::Person => (&tokens.person, &tokens.agent),
        };
        first.as_ref().or(second.as_ref()).cloned()
    }
}

/// A server address without its trailing `/`. `localhost` and 127.0.0.1 are different addresses here, as they may
/// be different servers; the pages use 127.0.0.1, to which the client connects.
fn normalize(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    match rest.strip_prefix(PAGE_HOST) {
        Some(rest) if rest.is_empty() || rest.starts_with([':', '/']) => {
            format!("{scheme}://127.0.0.1{rest}")
        }
        _ => url.to_owned(),
    }
}

/// Why a file of secrets is not used.
pub(super) fn describe_secret_failure(path: &Path, why: &SecretFileError) -> String {
    match why {
        SecretFileError::Exposed { .. } => format!("{why}; run: chmod 600 {}", path.display()),
        SecretFileError::TooLarge(most) => format!("it has more than {most} bytes"),
        why => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    fn tokens(agent: &str, person: Option<&str>) -> ServerTokens {
        ServerTokens { agent: Some(agent.into()), person: person.map(SecretValue::from) }
    }

    #[tokio::test]
    async fn token_is_found_by_server_and_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = CredentialFile { path: folder.path().join("sub/credentials.toml") };
        let locked = file.lock().await.expect("no one else");
        locked.add("http://127.0.0.1:1/", tokens("a1", Some("p1"))).expect("written");
        locked.add("http://127.0.0.1:2", tokens("a2", None)).expect("written");
        let known = file.read().expect("reads");
        let find = |url, side| known.find(url, side).unwrap_or_default().expose().clone();
        assert_eq!(find("http://127.0.0.1:1", CallerSide::Agent), "a1");
        assert_eq!(find("http://127.0.0.1:1/", CallerSide::Person), "p1");
        assert_eq!(find("http://127.0.0.1:2", CallerSide::Person), "a2");
        assert_eq!(
            find("http://countersign.localhost:2", CallerSide::Person),
            "a2",
            "the address of its pages"
        );
        assert_eq!(find("http://127.0.0.1:3", CallerSide::Person), "");
        assert_eq!(find("http://countersign.localhost.evil.example:2", CallerSide::Person), "");
        let mode = fs::metadata(&file.path).expect("exists").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }

    #[tokio::test]
    async fn file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = CredentialFile { path: folder.path().join("credentials.toml") };
        let locked = file.lock().await.expect("no one else");
        locked.add("http://127.0.0.1:1", tokens("a1", None)).expect("written");
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o644)).expect("changed");
        let error = file.read().expect_err("others can read it").to_string();
        assert!(error.contains("chmod 600"), "{error}");
    }

    #[test]
    fn broken_file_is_reported_without_its_tokens() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = CredentialFile { path: folder.path().join("credentials.toml") };
        fs::write(&file.path, "[\"http://x\"]\nagent = csgn_secret").expect("written");
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o600)).expect("changed");
        let error = file.read().expect_err("no TOML").to_string();
        assert!(!error.contains("csgn_secret"), "{error}");
    }

    #[tokio::test]
    async fn several_writers_lose_no_entry() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("credentials.toml");
        let adds = (0..20).map(async |number| {
            let file = CredentialFile { path: path.clone() };
            let locked = file.lock().await.expect("its turn comes");
            tokio::task::yield_now().await;
            locked.add(&format!("http://127.0.0.1:{number}"), tokens("a", None)).expect("written");
        });
        futures_util::future::join_all(adds).await;
        let file = CredentialFile { path: path.clone() };
        assert_eq!(file.read().expect("reads").all_tokens().count(), 20);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no other file is left");
    }

    #[tokio::test]
    async fn wait_for_a_stopped_process_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = CredentialFile { path: folder.path().join("credentials.toml") };
        let _held = file.lock().await.expect("no one else");
        let error = file.lock_within(Duration::ZERO).await.expect_err("it is held").to_string();
        assert!(error.contains("a stopped process may hold it"), "{error}");
    }
}

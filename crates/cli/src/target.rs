//! Which log is meant, and who is asking: options first, then the environment, then what is usual.

use crate::{
    args::{Args, TargetArgs},
    exit::{Exit, Said},
};
use countersign_gate::{Gate, Options, Policy, Principal, policy::BadPolicy};
use std::path::PathBuf;

/// The file that is meant when nothing is said.
pub(crate) const USUAL_DATABASE: &str = "countersign.db";

/// Where the log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Database(PathBuf),
    Server(String),
}

fn from_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl TargetArgs {
    /// An option beats the environment, and there a server beats a file.
    pub(crate) fn target(&self) -> anyhow::Result<Target> {
        if let Some(server) = &self.server {
            return Ok(Target::Server(server.clone()));
        }
        if let Some(database) = &self.database {
            return database_path(database).map(Target::Database);
        }
        if let Some(server) = from_env("COUNTERSIGN_SERVER") {
            return Ok(Target::Server(server));
        }
        self.database().map(Target::Database)
    }

    /// The file, for what works on files alone.
    pub(crate) fn database(&self) -> anyhow::Result<PathBuf> {
        let named = self.database.clone().or_else(|| from_env("COUNTERSIGN_DATABASE"));
        database_path(named.as_deref().unwrap_or(USUAL_DATABASE))
    }

    pub(crate) fn policy_path(&self) -> Option<PathBuf> {
        self.policy.clone().or_else(|| from_env("COUNTERSIGN_POLICY").map(PathBuf::from))
    }

    pub(crate) fn policy(&self) -> anyhow::Result<Policy> {
        let Some(path) = self.policy_path() else { return Ok(Policy::ask_always()) };
        let bad = |message| Said { exit: Exit::FAILED, code: "bad_policy", message };
        let text = std::fs::read_to_string(&path)
            .map_err(|why| bad(format!("the policy {} cannot be read: {why}", path.display())))?;
        // The TOML reader ends its words with a line break.
        let wrong = |why: BadPolicy| bad(format!("{}: {}", path.display(), why.to_string().trim_end()));
        Ok(Policy::read(&text).map_err(wrong)?)
    }

    /// Who is asking: as said, or the login name as `kind`.
    pub(crate) fn principal(&self, kind: fn(&str) -> Principal) -> anyhow::Result<Principal> {
        match &self.who {
            Some(who) => named(who),
            None => Ok(kind(&login())),
        }
    }
}

/// A person or an agent: nobody speaks for the policy or the system.
fn named(who: &str) -> anyhow::Result<Principal> {
    if !who.starts_with("user:") && !who.starts_with("agent:") {
        return Err(Said::usage(format!("--as: {who:?} does not begin with user: or agent:")).into());
    }
    Ok(who.parse().map_err(|why| Said::usage(format!("--as: {why}")))?)
}

fn database_path(named: &str) -> anyhow::Result<PathBuf> {
    match named.split_once("://") {
        None => Ok(PathBuf::from(named)),
        Some(("sqlite", path)) => Ok(PathBuf::from(path)),
        Some((scheme, _)) => {
            let why = format!(
                "{scheme}:// names no database that this program can open; give a path or sqlite://…"
            );
            Err(Said::usage(why).into())
        }
    }
}

fn login() -> String {
    whoami::username().unwrap_or_else(|_| format!("uid-{}", rustix::process::getuid().as_raw()))
}

/// The gate for whoever is asking. A file is made only if `create` says so.
pub(crate) async fn gate(args: &Args, kind: fn(&str) -> Principal, create: bool) -> anyhow::Result<Gate> {
    let by = args.target.principal(kind)?;
    let gate = match args.target.target()? {
        Target::Server(url) => Gate::connect(&url)?,
        Target::Database(path) => {
            let options = Options { create, ..Options::default() };
            Gate::open_with(path, options, args.target.policy()?).await?
        }
    };
    Ok(gate.acting_as(by))
}

/// What to type to get at the same log from another terminal.
pub(crate) fn how_to_call(args: &Args) -> String {
    let mut words = vec![program()];
    match (&args.target.server, &args.target.database) {
        (Some(server), _) => words.extend(["--server".to_owned(), server.clone()]),
        (None, Some(database)) => words.extend(["--database".to_owned(), database.clone()]),
        (None, None) => {}
    }
    words.join(" ")
}

/// The name by which a shell finds this program: its path, where it is not installed.
fn program() -> String {
    let found = std::env::current_exe().ok().filter(|exe| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let installed = |folder: PathBuf| folder.join("countersign").canonicalize().ok();
        !std::env::split_paths(&folders).any(|folder| installed(folder).as_ref() == Some(exe))
    });
    found.map_or_else(
        || "countersign".to_owned(),
        |exe| {
            let here = std::env::current_dir().unwrap_or_default();
            exe.strip_prefix(&here).unwrap_or(&exe).display().to_string()
        },
    )
}

//! The way to the log that is meant.

use crate::{
    args::Args,
    exit::{Exit, Said},
    settings::{Settings, Target},
};
use countersign_api::{ApprovalGate, GateError};
use countersign_client::{HttpGate, without_password};
use countersign_gate::{EmbeddedGate, Options, Policy, Principal};
use std::{path::PathBuf, sync::Arc};

/// The gate over a database or over a server: the only place that chooses between them.
pub(crate) type Gate = Arc<dyn ApprovalGate>;

/// The gate for whoever proposes or decides: under the policy, which has to be one. A file is made only if
/// `create` says so.
pub(crate) async fn deciding(args: &Args, kind: fn(&str) -> Principal, create: bool) -> anyhow::Result<Gate> {
    open(args, kind, Open { create, retries: false }, Settings::policy).await
}

/// The gate for whoever looks or tidies up. No policy answers them anything, so a broken one is not in
/// their way.
pub(crate) async fn gate(args: &Args) -> anyhow::Result<Gate> {
    let policy = |settings: &Settings| Ok(settings.policy().unwrap_or_else(|_| Policy::shipped()));
    open(args, Principal::user, Open { create: false, retries: false }, policy).await
}

/// The gate for whoever only looks, and may have named a policy for something else than this log.
pub(crate) async fn looking(args: &Args) -> anyhow::Result<Gate> {
    open(args, Principal::user, Open { create: false, retries: false }, |_| Ok(Policy::ask_always())).await
}

/// The same, for commands that outlive a restart of the database. A server is always retried.
pub(crate) async fn proposing(args: &Args) -> anyhow::Result<Gate> {
    open(args, Principal::agent, Open { create: true, retries: true }, Settings::policy).await
}

/// The same as [`gate`], for a command that follows the log through a restart of the database.
pub(crate) async fn following(args: &Args) -> anyhow::Result<Gate> {
    let policy = |settings: &Settings| Ok(settings.policy().unwrap_or_else(|_| Policy::shipped()));
    open(args, Principal::user, Open { create: false, retries: true }, policy).await
}

/// How a database is opened.
struct Open {
    create: bool,
    retries: bool,
}

async fn open(
    args: &Args,
    kind: fn(&str) -> Principal,
    how: Open,
    policy: impl Fn(&Settings) -> anyhow::Result<Policy>,
) -> anyhow::Result<Gate> {
    let by = args.settings.principal(kind)?;
    match args.settings.target()? {
        Target::Server(url) => {
            let gate = HttpGate::connect(&url).map_err(|error| with_scheme(&url, error))?;
            Ok(Arc::new(gate.acting_as(by).with_retries()))
        }
        Target::Database(address) => {
            let options = Options { create: how.create, ..Options::default() };
            let gate = EmbeddedGate::open_with(address, options, policy(&args.settings)?).await?;
            let gate = gate.acting_as(by);
            Ok(if how.retries { Arc::new(gate.with_retries()) } else { Arc::new(gate) })
        }
    }
}

/// An address as people say it is nearly one.
fn with_scheme(url: &str, error: GateError) -> anyhow::Error {
    if url.contains("://") || url.starts_with("unix:") {
        return error.into();
    }
    let message = format!("{url:?} does not say how the server speaks; did you mean http://{url}?");
    Said { exit: Exit::USAGE, code: "bad_url", message }.into()
}

/// What to type to get at the same log from another terminal.
pub(crate) fn how_to_call(args: &Args) -> String {
    let mut words = vec![program()];
    words.extend(args.target.config.iter().map(|path| format!("--config {}", path.display())));
    let (option, named) = match (&args.target.server, &args.target.database, &args.target.database_file) {
        (Some(server), ..) => ("--server", server.clone()),
        // Its password has to come from somewhere else then: what is printed here is copied about.
        (_, Some(database), _) => ("--database", without_password(database)),
        (.., Some(file)) => ("--database-file", file.display().to_string()),
        _ => return words.join(" "),
    };
    words.extend([option.to_owned(), quoted(&named)]);
    words.join(" ")
}

/// As a shell reads it: the parameters of an address have an `&` between them.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
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

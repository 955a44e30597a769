//! The way to the log that is meant.

use crate::{args::Args, settings::Target};
use countersign_gate::{Gate, Options, Principal};
use std::path::PathBuf;

/// The gate for whoever is asking. A file is made only if `create` says so.
pub(crate) async fn gate(args: &Args, kind: fn(&str) -> Principal, create: bool) -> anyhow::Result<Gate> {
    let by = args.settings.principal(kind)?;
    let gate = match args.settings.target()? {
        Target::Server(url) => Gate::connect(&url)?,
        Target::Database(path) => {
            let options = Options { create, ..Options::default() };
            Gate::open_with(path, options, args.settings.policy()?).await?
        }
    };
    Ok(gate.acting_as(by))
}

/// What to type to get at the same log from another terminal.
pub(crate) fn how_to_call(args: &Args) -> String {
    let mut words = vec![program()];
    words.extend(args.target.config.iter().map(|path| format!("--config {}", path.display())));
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

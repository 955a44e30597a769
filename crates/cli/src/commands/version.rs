//! `countersign version` and `--version`

use crate::{args::Args, exit::Exit, output};
use clap::error::ErrorKind;
use serde_json::json;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the program was built, as the build found it.
const FACTS: [(&str, &str); 5] = [
    ("commit", env!("COUNTERSIGN_BUILD_COMMIT")),
    ("committed", env!("COUNTERSIGN_BUILD_COMMITTED")),
    ("target", env!("COUNTERSIGN_BUILD_TARGET")),
    ("profile", env!("COUNTERSIGN_BUILD_PROFILE")),
    ("rustc", env!("COUNTERSIGN_BUILD_RUSTC")),
];

pub(crate) fn version(args: &Args) -> Exit {
    if args.json {
        output::say(&as_json());
    } else {
        output::say(&format!("countersign {VERSION}"));
        for (name, fact) in FACTS {
            output::say(&format!("  {name:<10} {fact}"));
        }
        output::say(&format!("  {:<10} {}", "sqlite", sqlite().as_deref().unwrap_or("unknown")));
    }
    Exit::DONE
}

/// Which SQLite is built in: it tells itself.
fn sqlite() -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(countersign_gate::sqlite_version())
}

fn as_json() -> String {
    let mut facts = json!({"version": VERSION, "sqlite": sqlite()});
    for (name, fact) in FACTS {
        // What the build could not find out, nobody knows.
        facts[name] = if fact == "unknown" { json!(null) } else { json!(fact) };
    }
    facts.to_string()
}

/// Prints what clap has to say of a command line that is no command: help, the version, or an error.
pub(crate) fn or_help(said: &clap::Error) -> Exit {
    if said.kind() == ErrorKind::DisplayVersion && std::env::args().any(|word| word == "--json") {
        output::say(&as_json());
        return Exit::DONE;
    }
    // A reader that has gone is no error.
    let _ = said.print();
    if said.use_stderr() { Exit::USAGE } else { Exit::DONE }
}

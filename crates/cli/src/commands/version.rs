//! `countersign version` and `--version`

use crate::{
    args::Args,
    exit::{self, Exit},
    output,
};
use clap::error::ErrorKind;
use countersign_client::without_password;
use serde_json::json;
use std::env;

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
        say_all();
    }
    Exit::DONE
}

fn say_all() {
    output::say(&format!("countersign {VERSION}"));
    for (name, fact) in FACTS {
        output::say(&format!("  {name:<10} {fact}"));
    }
    let oldest = countersign_gate::OLDEST_POSTGRES;
    output::say(&format!("  {:<10} {oldest} or later, over TLS by rustls", "postgresql"));
    output::say(&format!("  {:<10} {}", "sqlite", sqlite().as_deref().unwrap_or("unknown")));
}

/// Which SQLite is built in: it tells itself.
fn sqlite() -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(countersign_gate::sqlite_version())
}

fn as_json() -> String {
    let mut facts =
        json!({"version": VERSION, "sqlite": sqlite(), "postgresql": countersign_gate::OLDEST_POSTGRES});
    for (name, fact) in FACTS {
        // What the build could not find out, nobody knows.
        facts[name] = if fact == "unknown" { json!(null) } else { json!(fact) };
    }
    facts.to_string()
}

/// Prints what clap has to say of a command line that is no command: help, the version, or an error.
pub(crate) fn or_help(said: &clap::Error) -> Exit {
    // What stands behind -- belongs to another command.
    let typed = |wanted: &str| env::args_os().take_while(|word| word != "--").any(|word| word == wanted);
    if said.kind() == ErrorKind::DisplayVersion {
        match (typed("--json"), typed("--version")) {
            (true, _) => output::say(&as_json()),
            (_, true) => say_all(),
            _ => output::say(&format!("countersign {VERSION}")),
        }
        return Exit::DONE;
    }
    if said.use_stderr() && typed("--json") {
        return exit::report_usage(&in_short(said));
    }
    let text = said.render().to_string();
    // An address in the place of something else is repeated, and may hold a password.
    let safe = without_password(&text);
    if safe == text {
        output::note_unsaid(said.print());
    } else {
        output::complain(safe.trim_end());
    }
    if said.use_stderr() { Exit::USAGE } else { Exit::DONE }
}

/// The error without the help that stands around it.
fn in_short(said: &clap::Error) -> String {
    if said.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "there is no command".to_owned();
    }
    let text = without_password(&said.render().to_string());
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or_else(|| text.find("\n\nFor more information"));
    text[..end.unwrap_or(text.len())].trim_end().to_owned()
}

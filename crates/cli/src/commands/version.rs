//! `countersign version` and `--version`

use countersign_tui::present::print::{print_error, print_line, record_print_result};
use crate::{context::Context, exit::CommandExit, present::error::report_usage_as_json};
use clap::error::ErrorKind;
use countersign_gate::without_password;
use serde_json::json;
use std::env;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// DecideOptions the program was built, as the build found it.
const FACTS: [(&str, &str); 5] = [
    ("commit", env!("COUNTERSIGN_BUILD_COMMIT")),
    ("committed", env!("COUNTERSIGN_BUILD_COMMITTED")),
    ("target", env!("COUNTERSIGN_BUILD_TARGET")),
    ("profile", env!("COUNTERSIGN_BUILD_PROFILE")),
    ("rustc", env!("COUNTERSIGN_BUILD_RUSTC")),
];

pub(crate) fn print_version(context: &Context) -> CommandExit {
    if context.json {
        print_line(&as_json());
    } else {
        say_all();
    }
    CommandExit::DONE
}

fn say_all() {
    print_line(&format!("countersign {VERSION}"));
    for (name, fact) in FACTS {
        print_line(&format!("  {name:<10} {fact}"));
    }
    let oldest = countersign_gate::OLDEST_POSTGRES;
    print_line(&format!("  {:<10} {oldest} or later, over TLS by rustls", "postgresql"));
    print_line(&format!("  {:<10} {}", "sqlite", sqlite().as_deref().unwrap_or("unknown")));
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
pub(crate) fn or_help(said: &clap::Error) -> CommandExit {
    // What stands behind -- belongs to another command.
    let typed = |wanted: &str| env::args_os().take_while(|word| word != "--").any(|word| word == wanted);
    if said.kind() == ErrorKind::DisplayVersion {
        match (typed("--json"), typed("--version")) {
            (true, _) => print_line(&as_json()),
            (_, true) => say_all(),
            _ => print_line(&format!("countersign {VERSION}")),
        }
        return CommandExit::DONE;
    }
    if said.use_stderr() && typed("--json") {
        return report_usage_as_json(&in_short(said));
    }
    let text = said.render().to_string();
    // An address in the place of something else is repeated, and may hold a password.
    let safe = without_password(&text);
    if safe == text {
        record_print_result(said.print());
    } else {
        print_error(safe.trim_end());
    }
    if said.use_stderr() { CommandExit::USAGE } else { CommandExit::DONE }
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

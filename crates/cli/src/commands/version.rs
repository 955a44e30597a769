//! `countersign version` and `--version`

use clap::error::ErrorKind;
use countersign_client::without_password;
use countersign_console::{
    CommandContext, CommandExit, escape_lines, print_error, print_line, record_print_result,
    report_usage_as_json,
};
use countersign_events::look::has_hidden_character;
use serde_json::json;
use std::env;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The build information.
const BUILD_FACTS: [(&str, &str); 5] = [
    ("commit", env!("COUNTERSIGN_BUILD_COMMIT")),
    ("committed", env!("COUNTERSIGN_BUILD_COMMITTED")),
    ("target", env!("COUNTERSIGN_BUILD_TARGET")),
    ("profile", env!("COUNTERSIGN_BUILD_PROFILE")),
    ("rustc", env!("COUNTERSIGN_BUILD_RUSTC")),
];

pub(crate) fn print_version(context: &CommandContext) -> CommandExit {
    if context.json {
        print_line(&as_json());
    } else {
        print_all();
    }
    CommandExit::DONE
}

fn print_all() {
    print_line(&format!("countersign {VERSION}"));
    for (name, fact) in BUILD_FACTS {
        print_line(&format!("  {name:<10} {fact}"));
    }
    let oldest = countersign_store::OLDEST_POSTGRES;
    print_line(&format!("  {:<10} {oldest} or later, over TLS by rustls", "postgresql"));
    print_line(&format!("  {:<10} {}", "sqlite", countersign_store::sqlite_version()));
}

fn as_json() -> String {
    let mut facts = json!({"version": VERSION, "sqlite": countersign_store::sqlite_version(), "postgresql": countersign_store::OLDEST_POSTGRES});
    for (name, fact) in BUILD_FACTS {
        // The build could not determine this value.
        facts[name] = if fact == "unknown" { json!(null) } else { json!(fact) };
    }
    facts.to_string()
}

/// Prints what a command line without a command results in: help, the version, or an error.
pub(crate) fn print_parse_result(error: &clap::Error) -> CommandExit {
    // Options after -- belong to another command.
    let typed = |wanted: &str| env::args_os().take_while(|word| word != "--").any(|word| word == wanted);
    if error.kind() == ErrorKind::DisplayVersion {
        match (typed("--json"), typed("--version")) {
            (true, _) => print_line(&as_json()),
            (_, true) => print_all(),
            _ => print_line(&format!("countersign {VERSION}")),
        }
        return CommandExit::DONE;
    }
    if error.use_stderr() && typed("--json") {
        return report_usage_as_json(&shorten_error(error));
    }
    let text = error.render().to_string();
    // The message may repeat an address, which may contain a password, and characters that control a terminal.
    let safe = escape_lines(&without_password(&text));
    let is_hidden = env::args_os().any(|word| has_hidden_character(&word.to_string_lossy()));
    if safe == text && !is_hidden {
        record_print_result(error.print());
    } else {
        print_error(safe.trim_end());
    }
    if error.use_stderr() { CommandExit::USAGE } else { CommandExit::DONE }
}

/// The error without the usage lines.
fn shorten_error(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command was given".to_owned();
    }
    let text = without_password(&error.render().to_string());
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or_else(|| text.find("\n\nFor more information"));
    text[..end.unwrap_or(text.len())].trim_end().to_owned()
}

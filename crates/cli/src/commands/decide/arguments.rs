//! The value of `--arguments`.

use countersign_console::{CliError, parse_arguments};
use countersign_events::Json;
use std::io::Read as _;

/// Reads JSON, `@` and a file path, or `-` for stdin.
pub(super) fn read_arguments(text: &str) -> anyhow::Result<Json> {
    let text = match text.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| CliError::usage(format!("--arguments: {path}: {error}")))?,
        None if text == "-" => {
            let mut all = String::new();
            std::io::stdin().read_to_string(&mut all)?;
            all
        }
        None => text.to_owned(),
    };
    parse_arguments(&text).map_err(|error| CliError::usage(format!("--arguments: {error}")).into())
}

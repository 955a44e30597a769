//! Notices on stderr, such as the one about ignored settings.

use super::{effective::Settings, value::LogFormat};
use crate::{ScreenFormat, TextStyle, escape_text, print_error};
use serde_json::json;

/// Prints the settings of `./countersign.toml` that are ignored to stderr.
pub fn print_ignored_settings(settings: &Settings, json: bool, screen: &ScreenFormat) {
    let names: Vec<_> = settings.ignored().map(|(key, _)| key.definition().name).collect();
    let Some(file) = settings.file.as_ref().filter(|_| !names.is_empty()) else { return };
    let (file, names) = (file.display().to_string(), names.join(", "));
    let text = format!(
        "ignored: {names} in {file}, a file in the current folder; use --config {file} to apply them"
    );
    print_notice(&text, json || settings.log_format() == LogFormat::Json, screen);
}

/// Prints a notice to stderr. A program that reads JSON lines from stderr receives it as JSON.
pub(crate) fn print_notice(text: &str, json: bool, screen: &ScreenFormat) {
    if json {
        print_error(&json!({"notice": text}).to_string());
    } else {
        print_error(&format!("{} {}", screen.paint(TextStyle::Cyan, "note:"), escape_text(text)));
    }
}

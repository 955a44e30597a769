//! Saying what was passed over, and how it is meant.

use crate::{
    args::{Args, Command},
    output,
    screen::{Screen, Style},
    settings::LogFormat,
};
use serde_json::json;

/// Says on stderr what the file in this folder sets in vain. `config` shows it by itself.
pub(crate) fn say(args: &Args) {
    let names: Vec<_> = args.settings.in_vain().map(|(key, _)| key.facts().name).collect();
    let Some(file) = args.settings.file.as_ref().filter(|_| !names.is_empty()) else { return };
    if matches!(args.command, Command::Config(_)) {
        return;
    }
    let (file, names) = (output::visible(&file.display().to_string()), names.join(", "));
    let text = format!(
        "passed over: {names} of {file}, which only lies in this folder; --config {file} takes all of it"
    );
    // Whoever reads lines of JSON there gets one more of them.
    if args.json || args.settings.log_format() == LogFormat::Json {
        output::complain(&json!({"notice": text}).to_string());
    } else {
        let screen = Screen::of_stderr(args);
        output::complain(&format!("{} {text}", screen.paint(Style::Cyan, "note:")));
    }
}

//! A call in a few words: its tool and its most telling argument.

use super::text::escape_text;
use countersign_api as api;
use countersign_events::Json;

/// The names of arguments that tell the most about a call, the most telling first.
const TELLING_NAMES: &[&str] = &[
    "command",
    "cmd",
    "script",
    "code",
    "url",
    "path",
    "file_path",
    "filePath",
    "file",
    "to",
    "query",
    "name",
];

/// The longest text that is summarized. The rest could not be shown on one line.
const MOST_CHARACTERS: usize = 400;

/// The tool name, and the most telling argument on one line, escaped. A list has room for only a part of it, so a
/// decision needs the whole call.
#[must_use]
pub fn summarize_call(call: &api::Call) -> (String, String) {
    let asked = call
        .question
        .as_deref()
        .and_then(|form| form.message.as_deref().or_else(|| Some(form.questions.first()?.text.as_str())));
    let summary = asked.map_or_else(|| telling_argument(&call.arguments), one_line);
    (escape_text(call.name.as_str()), summary)
}

fn telling_argument(arguments: &Json) -> String {
    let members = arguments.members().unwrap_or_default();
    let named = TELLING_NAMES.iter().find_map(|name| members.iter().find(|(key, _)| key == name));
    let text = named.or_else(|| members.iter().find(|(_, value)| value.read::<String>().is_ok()));
    let value = match (text, members.first()) {
        (Some((_, value)), _) => value,
        (None, None) if arguments.as_str() == "{}" => return String::new(),
        (None, _) => arguments,
    };
    one_line(&value.read::<String>().unwrap_or_else(|_| value.as_str().to_owned()))
}

/// The text on one line: a line break is shown as `⏎`, other space as one blank.
fn one_line(text: &str) -> String {
    let start: String = text.chars().take(MOST_CHARACTERS).collect();
    let lines = start.trim().lines();
    let lines: Vec<_> =
        lines.map(|line| line.split_whitespace().map(escape_text).collect::<Vec<_>>().join(" ")).collect();
    let rest = if text.chars().nth(MOST_CHARACTERS).is_some() { "…" } else { "" };
    format!("{}{rest}", lines.join(" ⏎ "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(json: &str) -> String {
        telling_argument(&Json::parse(json).expect("valid"))
    }

    #[test]
    fn most_telling_argument_is_on_one_line() {
        assert_eq!(
            summary(r#"{"cwd":"/srv","command":"set -e\n\tmake   deploy\n"}"#),
            "set -e ⏎ make deploy"
        );
        assert_eq!(summary(r#"{"amount":3,"note":"for ada"}"#), "for ada");
        assert_eq!(summary(r#"{"amount":3}"#), r#"{"amount":3}"#);
        assert_eq!(summary(r#""everybody""#), "everybody");
        assert_eq!([summary("{}"), summary("[1]")], ["", "[1]"]);
    }

    #[test]
    fn hostile_argument_stays_on_one_line() {
        assert_eq!(summary(r#"{"command":"ls\r\u001b[2J\u202e"}"#), "ls \\u{001b}[2J\\u{202e}");
        let long = summary(&format!(r#"{{"command":"{}"}}"#, "x".repeat(100_000)));
        assert_eq!(long.chars().count(), MOST_CHARACTERS + 1);
    }
}

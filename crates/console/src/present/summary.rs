//! A call in a few words: its tool and its most telling argument.

use super::text::escape_text;
use countersign_api as api;
use countersign_events::Json;

/// The names of arguments that say alone what a call does, the most telling first. The page has the same lists.
const ALONE: &[&str] = &["command", "cmd", "script", "code", "url", "path", "file_path", "filePath", "file"];

/// Names that tell the most together: one of the first list, and one of the second.
const PAIRS: &[(&[&str], &[&str])] = &[
    (&["amount", "total", "price"], &["payee", "recipient", "to", "iban", "account", "customer"]),
    (&["to", "recipient"], &["subject", "title"]),
    (&["resource", "name"], &["namespace", "cluster", "environment", "database", "region"]),
    (&["query"], &[]),
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
    let telling = find_telling(&members);
    if telling.is_empty() {
        let whole = if arguments.as_str() == "{}" { "" } else { arguments.as_str() };
        return one_line(&arguments.read::<String>().unwrap_or_else(|_| whole.to_owned()));
    }
    let text = |value: &&Json| value.read::<String>().unwrap_or_else(|_| value.as_str().to_owned());
    let texts: Vec<_> = telling.iter().map(|value| one_line(&text(value))).collect();
    texts.join(" · ")
}

/// The values of the most telling members: one or two, or none.
fn find_telling(members: &[(String, Json)]) -> Vec<&Json> {
    let find = |name: &str| members.iter().find(|(key, _)| key == name);
    if let Some((_, value)) = ALONE.iter().find_map(|name| find(name)) {
        return vec![value];
    }
    for (firsts, seconds) in PAIRS {
        let Some((first, value)) = firsts.iter().find_map(|name| find(name)) else { continue };
        let second = seconds.iter().filter(|name| *name != first).find_map(|name| find(name));
        return std::iter::once(value).chain(second.map(|(_, value)| value)).collect();
    }
    members.iter().map(|(_, value)| value).find(|value| value.read::<String>().is_ok()).into_iter().collect()
}

/// Returns true if a list shows an argument of this name without the name, and nobody misses it: `command`, `path`.
#[must_use]
pub fn tells_alone(name: &str) -> bool {
    ALONE.contains(&name)
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
        assert_eq!(summary(r#"{"count":3,"note":"for ada"}"#), "for ada");
        assert_eq!(summary(r#"{"count":3}"#), r#"{"count":3}"#);
        assert_eq!(summary(r#""everybody""#), "everybody");
        assert_eq!([summary("{}"), summary("[1]")], ["", "[1]"]);
    }

    #[test]
    fn telling_arguments_come_in_pairs() {
        assert_eq!(summary(r#"{"note":"x","payee":"ada","amount":12.50}"#), "12.50 · ada");
        assert_eq!(
            summary(r#"{"body":"Hello","subject":"Hi","to":"ada@example.com"}"#),
            "ada@example.com · Hi"
        );
        assert_eq!(summary(r#"{"kind":"Deployment","namespace":"prod","name":"api"}"#), "api · prod");
        assert_eq!(summary(r#"{"to":"ada"}"#), "ada");
    }

    /// The page chooses the same arguments.
    #[test]
    fn page_has_the_same_names() {
        let page = include_str!("../../../web/assets/arguments/telling.js");
        let list = |names: &[&str]| {
            let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
            format!("[{}]", quoted.join(", "))
        };
        assert!(page.contains(&format!("const ALONE = {};", list(ALONE))));
        for (firsts, seconds) in PAIRS {
            assert!(page.contains(&format!("[{}, {}],", list(firsts), list(seconds))), "{firsts:?}");
        }
    }

    #[test]
    fn hostile_argument_stays_on_one_line() {
        assert_eq!(summary(r#"{"command":"ls\r\u001b[2J\u202e"}"#), "ls \\u{001b}[2J\\u{202e}");
        let long = summary(&format!(r#"{{"command":"{}"}}"#, "x".repeat(100_000)));
        assert_eq!(long.chars().count(), MOST_CHARACTERS + 1);
    }
}

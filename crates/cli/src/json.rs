//! JSON for reading: strings as the text that they are, the rest indented, every token as it was given.

use crate::output::visible;
use countersign_gate::json::{Json, Tokens};

/// JSON that is no longer than this stays on one line.
const SHORT: usize = 60;

/// A value in lines. A string is its own text, unless that could be taken for other JSON.
pub(crate) fn shown_as(json: &Json) -> Vec<String> {
    match json.read::<String>() {
        Ok(text) if Json::parse(&text).is_ok() || text.is_empty() => vec![visible(json.as_str())],
        Ok(text) => text.split('\n').map(visible).collect(),
        Err(_) => laid_out(json.as_str()),
    }
}

/// The JSON with a line for each member. It only ever moves the space between tokens, so that what is
/// shown is what runs: `1.50` stays `1.50`.
fn laid_out(json: &str) -> Vec<String> {
    let compact = Tokens::new(json).fold(String::new(), |mut text, (_, token)| {
        text.push_str(token);
        if matches!(token, "," | ":") {
            text.push(' ');
        }
        text
    });
    if compact.chars().count() <= SHORT {
        return vec![visible(&compact)];
    }
    spread(json).iter().map(|line| visible(line)).collect()
}

/// The JSON for an editor: a line for each member, and nothing written out.
pub(crate) fn pretty(json: &Json) -> String {
    spread(json.as_str()).join("\n")
}

fn spread(json: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut depth = 0_usize;
    let mut before = "";
    for (_, token) in Tokens::new(json) {
        let closes = matches!(token, "}" | "]");
        if closes {
            depth = depth.saturating_sub(1);
        }
        let opened = matches!(before, "{" | "[");
        if before == "," || (opened && !closes) || (closes && !opened) {
            lines.push("  ".repeat(depth));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(token);
            if token == ":" {
                line.push(' ');
            }
        }
        if matches!(token, "{" | "[") {
            depth += 1;
        }
        before = token;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<String> {
        shown_as(&Json::parse(json).expect("valid"))
    }

    #[test]
    fn shows_a_string_as_its_text_and_says_when_it_only_looks_like_a_number() {
        assert_eq!(shown(r#""set -e\nmake\t\n""#), ["set -e", "make\\u{0009}", ""]);
        assert_eq!(shown(r#""12""#), [r#""12""#]);
        assert_eq!(shown("12"), ["12"]);
        assert_eq!(shown(r#""""#), [r#""""#]);
        assert_eq!(shown("9007199254740993000001"), ["9007199254740993000001"]);
    }

    #[test]
    fn gives_each_member_of_long_json_a_line_and_changes_no_token() {
        assert_eq!(shown("[ 1.50 ,{}, []]"), ["[1.50, {}, []]"]);
        let long = r#"{"to":"ada, \"the boss\" {","lines":[{"text":"one\u202e","n":1.50},{}],"note":"something longer here"}"#;
        insta::assert_snapshot!(shown(long).join("\n"), @r#"
        {
          "to": "ada, \"the boss\" {",
          "lines": [
            {
              "text": "one\u202e",
              "n": 1.50
            },
            {}
          ],
          "note": "something longer here"
        }
        "#);
    }
}

//! Rewriting the configuration of an MCP client, so that its servers start behind the gateway, and back.
//!
//! The texts are changed in place: everything that is not about a command keeps its bytes, and unwrapping restores the file.
//! The form is that of the clients: an object `mcpServers` (Claude, Cursor and others) or `servers` (VS Code), whose members
//! have `command` and `args`, or `url`.

use crate::{
    json_object::{JsonObject, range_of, splice_all},
    url_entry::{TextChange, unwrap_url, wrap_url},
};
use countersign_events::Json;
use serde_json::value::RawValue;
use std::ops::Range;

/// The members that contain the servers, in the order in which they are looked for.
const SERVER_LISTS: &[&str] = &["mcpServers", "servers"];

/// A changed configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedConfig {
    /// The new text.
    pub text: String,
    /// The servers whose command was changed.
    pub changed: Vec<String>,
    /// The servers that keep their entry, because the gateway cannot take their place.
    pub skipped: Vec<String>,
}

/// The reason why a configuration cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadClientConfig {
    /// The text is not a JSON object without comments.
    #[error("it is not a JSON object; remove comments and trailing commas")]
    Syntax,
    /// The text has no servers.
    #[error("it has neither \"mcpServers\" nor \"servers\"; name the configuration file of an MCP client")]
    NoServers,
    /// A server is described in an unknown form.
    #[error("the server {0:?} must have a text \"command\" and a list of texts \"args\"")]
    Server(String),
}

/// Puts the gateway before the command of each server that does not have it yet.
pub fn wrap_config(text: &str, program: &str) -> Result<ChangedConfig, BadClientConfig> {
    let wrap_url = |name: &str, server: &JsonObject<'_>| wrap_url(text, (name, program), server);
    change_servers(text, wrap_url, |server, _| {
        if server.is_wrapped() {
            return None;
        }
        let words = ["mcp", "--name", server.name, "--"].map(|word| Json::string(word).as_str().to_owned());
        let prefix = format!("{}, {}", words.join(", "), server.command_text);
        let comma = if server.args.is_empty() { "" } else { "," };
        let args = match &server.args_at {
            Some(at) => (at.start + 1..at.start + 1, format!("{prefix}{comma}")),
            None => (server.command_at.end..server.command_at.end, format!(", \"args\": [{prefix}]")),
        };
        Some(vec![(server.command_at.clone(), Json::string(program).as_str().to_owned()), args])
    })
}

/// Removes the gateway from the command of each server that has it.
pub fn unwrap_config(text: &str) -> Result<ChangedConfig, BadClientConfig> {
    change_servers(
        text,
        |_, _| None,
        |server, object| {
            if server.is_wrapped()
                && let Some(changes) = unwrap_url(text, &server.args, object)
            {
                return Some(changes);
            }
            let inner =
                server.args.iter().position(|(word, _)| word == "--").filter(|_| server.is_wrapped())? + 1;
            let (_, command) = server.args.get(inner)?;
            let start = server.args_at.as_ref()?.start + 1;
            // Up to the comma after the original command, if words follow it.
            let end = match server.args.get(inner + 1) {
                Some((_, next)) => command.end + text.get(command.end..next.start)?.find(',')? + 1,
                None => command.end,
            };
            let original = text.get(command.clone())?.to_owned();
            Some(vec![(server.command_at.clone(), original), (start..end, String::new())])
        },
    )
}

/// A server of a configuration, with the places of its parts.
struct ConfiguredServer<'a> {
    name: &'a str,
    command: String,
    command_text: &'a str,
    command_at: Range<usize>,
    args: Vec<(String, Range<usize>)>,
    args_at: Option<Range<usize>>,
}

impl ConfiguredServer<'_> {
    fn is_wrapped(&self) -> bool {
        let program = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        let words: Vec<_> = self.args.iter().map(|(word, _)| word.as_str()).take(4).collect();
        // The program may have another name.
        matches!(words[..], ["mcp", "--name", _, "--" | "--url" | "--type" | "--header-env"])
            || program.starts_with("countersign") && words.starts_with(&["mcp"])
    }
}

fn change_servers(
    text: &str,
    change_url: impl Fn(&str, &JsonObject<'_>) -> Option<Vec<TextChange>>,
    change: impl Fn(&ConfiguredServer<'_>, &JsonObject<'_>) -> Option<Vec<TextChange>>,
) -> Result<ChangedConfig, BadClientConfig> {
    let config = JsonObject::read(text).ok_or(BadClientConfig::Syntax)?;
    let list = SERVER_LISTS.iter().find_map(|key| config.get(key)).ok_or(BadClientConfig::NoServers)?;
    let servers = JsonObject::read(list).ok_or(BadClientConfig::NoServers)?;
    let mut edits = Vec::new();
    let (mut changed, mut skipped) = (Vec::new(), Vec::new());
    for (name, server) in servers.members() {
        let object = JsonObject::read(server).ok_or_else(|| BadClientConfig::Server(name.to_owned()))?;
        if object.get("command").is_none() {
            match change_url(name, &object) {
                Some(found) => {
                    changed.push(name.to_owned());
                    edits.extend(found);
                }
                None => skipped.push(name.to_owned()),
            }
            continue;
        }
        let server =
            read_server(text, name, &object).ok_or_else(|| BadClientConfig::Server(name.to_owned()))?;
        if let Some(found) = change(&server, &object) {
            changed.push(name.to_owned());
            edits.extend(found);
        }
    }
    Ok(ChangedConfig { text: splice_all(text, edits), changed, skipped })
}

fn read_server<'a>(text: &str, name: &'a str, server: &JsonObject<'a>) -> Option<ConfiguredServer<'a>> {
    let command_text = server.get("command")?;
    let args_text = server.get("args");
    let words: Vec<&RawValue> = args_text.map_or(Some(Vec::new()), |args| serde_json::from_str(args).ok())?;
    let word = |word: &&RawValue| Some((serde_json::from_str(word.get()).ok()?, range_of(text, word.get())));
    Some(ConfiguredServer {
        name,
        command: serde_json::from_str(command_text).ok()?,
        command_text,
        command_at: range_of(text, command_text),
        args: words.iter().map(word).collect::<Option<_>>()?,
        args_at: args_text.map(|args| range_of(text, args)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#"{
  "theme": 1.10,
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem"
      ],
      "env": {"A": "b"}
    },
    "one": {"args": [ "x" ], "command": "run one"},
    "none": {"command": "server", "args": []},
    "remote": {"url" :"https://example.com/mcp"},
    "typed": {
      "headers": {"Authorization": "Bearer \u0078"},
      "type": "streamable-http",
      "autoApprove": [], "url": "https://example.com/mcp"
    },
    "old": {"type": "sse", "url": "https://example.com/sse"}
  }
}
"#;

    #[test]
    fn wrapped_servers_start_behind_the_gateway() {
        let wrapped = wrap_config(CONFIG, "/usr/bin/countersign").expect("valid");
        assert_eq!((wrapped.changed.len(), wrapped.skipped), (5, vec!["old".to_owned()]));
        let parsed: serde_json::Value = serde_json::from_str(&wrapped.text).expect("JSON");
        let files = &parsed["mcpServers"]["files"];
        assert_eq!(files["command"], "/usr/bin/countersign");
        let args: Vec<&str> =
            files["args"].as_array().expect("a list").iter().filter_map(|word| word.as_str()).collect();
        assert_eq!(
            args,
            ["mcp", "--name", "files", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem"]
        );
        assert_eq!(parsed["mcpServers"]["none"]["args"].as_array().map(Vec::len), Some(5));
        let remote = &parsed["mcpServers"]["remote"];
        assert_eq!(remote["command"], "/usr/bin/countersign");
        assert_eq!(
            remote["args"],
            serde_json::json!(["mcp", "--name", "remote", "--url", "https://example.com/mcp"])
        );
        // A header is a secret, so it is not among the arguments.
        let typed = &parsed["mcpServers"]["typed"];
        assert_eq!(typed["env"], serde_json::json!({"Authorization": "Bearer x"}));
        assert_eq!((&typed["type"], &typed["url"]), (&"stdio".into(), &serde_json::Value::Null));
        assert_eq!(
            typed["args"],
            serde_json::json!([
                "mcp",
                "--name",
                "typed",
                "--type",
                "streamable-http",
                "--header-env",
                "Authorization",
                "--url",
                "https://example.com/mcp"
            ])
        );
    }

    #[test]
    fn unwrapping_restores_each_byte() {
        let wrapped = wrap_config(CONFIG, "countersign").expect("valid");
        let restored = unwrap_config(&wrapped.text).expect("valid");
        assert_eq!(restored.text, CONFIG);
        assert_eq!(restored.changed.len(), 5);
        assert!(unwrap_config(CONFIG).expect("valid").changed.is_empty());
    }

    #[test]
    fn wrapping_twice_changes_nothing() {
        for program in ["countersign", "/opt/approvals"] {
            let once = wrap_config(CONFIG, program).expect("valid");
            let twice = wrap_config(&once.text, program).expect("valid");
            assert_eq!((twice.text, twice.changed), (once.text.clone(), Vec::<String>::new()));
            assert_eq!(unwrap_config(&once.text).expect("valid").text, CONFIG);
        }
    }

    #[test]
    fn server_without_args_gets_a_list() {
        let wrapped = wrap_config(r#"{"servers":{"a":{"command":"s"}}}"#, "countersign").expect("valid");
        let expected =
            r#"{"servers":{"a":{"command":"countersign", "args": ["mcp", "--name", "a", "--", "s"]}}}"#;
        assert_eq!(wrapped.text, expected);
    }

    #[test]
    fn addresses_that_the_gateway_refuses_are_kept() {
        for server in [
            r#"{"url":"http://far.example/mcp"}"#,
            r#"{"url":1}"#,
            r#"{"url":"https://h","headers":{"PATH":"x"}}"#,
            r#"{"url":"https://h","headers":{"a b":"x"}}"#,
            r#"{"url":"https://h","env":{}}"#,
            r#"{"url":"https://h","url":"https://i"}"#,
            r#"{"\u0075rl":"https://h"}"#,
        ] {
            let text = format!("{{\"mcpServers\":{{\"a\":{server}}}}}");
            let wrapped = wrap_config(&text, "countersign").expect(server);
            assert_eq!((wrapped.text, wrapped.skipped), (text.clone(), vec!["a".to_owned()]), "{server}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(wrap_config("// comment\n{}", "c"), Err(BadClientConfig::Syntax));
        assert_eq!(wrap_config("{}", "c"), Err(BadClientConfig::NoServers));
        for server in [r#"{"a":1}"#, r#"{"a":{"command":1}}"#, r#"{"a":{"command":"x","args":[1]}}"#] {
            let text = format!("{{\"mcpServers\":{server}}}");
            assert_eq!(wrap_config(&text, "c"), Err(BadClientConfig::Server("a".to_owned())), "{text}");
        }
    }
}

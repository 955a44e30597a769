//! Wrapped and unwrapped configurations.

use super::*;

fn wrap(text: &str) -> ChangedConfig {
    wrap_config(text, ConfigSyntax::Json, "countersign").expect(text)
}

fn names(skipped: &[SkippedServer]) -> Vec<&str> {
    skipped.iter().map(|server| server.name.as_str()).collect()
}

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
    let wrapped = wrap_config(CONFIG, ConfigSyntax::Json, "/usr/bin/countersign").expect("valid");
    assert_eq!((wrapped.changed.len(), names(&wrapped.skipped)), (5, vec!["old"]));
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
    let wrapped = wrap(CONFIG);
    let restored = unwrap_config(&wrapped.text, ConfigSyntax::Json).expect("valid");
    assert_eq!(restored.text, CONFIG);
    assert_eq!(restored.changed.len(), 5);
    assert!(unwrap_config(CONFIG, ConfigSyntax::Json).expect("valid").changed.is_empty());
}

#[test]
fn wrapping_twice_changes_nothing() {
    for program in ["countersign", "/opt/approvals"] {
        let once = wrap_config(CONFIG, ConfigSyntax::Json, program).expect("valid");
        let twice = wrap_config(&once.text, ConfigSyntax::Json, program).expect("valid");
        assert_eq!((twice.text, twice.changed), (once.text.clone(), Vec::<String>::new()));
        assert_eq!(unwrap_config(&once.text, ConfigSyntax::Json).expect("valid").text, CONFIG);
    }
}

/// Each entry is one client file: its path, its content, and the names of the servers that change.
const CLIENT_FILES: &[(&str, &str, &[&str])] = &[
    // Claude Code: servers of a folder beside those of the user.
    (
        ".claude.json",
        r#"{"numStartups": 3, "projects": {"/srv/a": {"allowedTools": [], "mcpServers": {"db": {"type": "stdio", "command": "npx", "args": ["db"], "env": {}}}},
          "/srv/b": {"mcpServers": {"db": {"command": "db"}}}}, "mcpServers": {"all": {"type": "http", "url": "https://h/mcp"}}}"#,
        &["all", "db in /srv/a", "db in /srv/b"],
    ),
    (
        "mcp_config.json",
        r#"{"mcpServers":{"far":{"serverUrl":"https://h/mcp","headers":{"X-Key":"k"}}}}"#,
        &["far"],
    ),
    ("settings.json", r#"{"mcpServers":{"far":{"httpUrl":"https://h/mcp","timeout":5}}}"#, &["far"]),
    // VS Code: comments and trailing commas.
    (
        "mcp.json",
        "{\n  // ours\n  \"inputs\": [],\n  \"servers\": {\n    \"files\": {\n      \"command\": \"npx\", // the program\n      \"args\": [\n        \"-y\", // yes\n        \"files\",\n      ],\n    },\n  },\n}\n",
        &["files"],
    ),
    ("settings.json", r#"{"mcp": {"inputs": [], "servers": {"a": {"command": "a", "args": [ ]}}}}"#, &["a"]),
    (
        "opencode.json",
        r#"{"mcp": {"local": {"type": "local", "command": [ "bun", "x" ], "environment": {"A": "b"}}, "far": {"type": "remote", "url": "https://h/mcp", "headers": {"X-Key": "k"}}}}"#,
        &["local", "far"],
    ),
    (
        "settings.json",
        r#"{"context_servers": {"new": {"source": "custom", "command": "a", "args": ["b"], "env": {}}, "old": {"command": {"path": "a", "args": ["b"], "env": {}}}}}"#,
        &["new", "old"],
    ),
    (
        "config.toml",
        "model = \"o\" # kept\n\n[mcp_servers]\ninline = { command = \"a\" }\n\n[mcp_servers.files]\ncommand = 'npx'\nargs = [\n  \"-y\", # yes\n  \"files\",\n]\n\n  [mcp_servers.alone]\n  command = \"alone\"\n  enabled = true\n\n[mcp_servers.far]\nurl = \"https://h/mcp\"\nhttp_headers = { X-Key = \"k\" }\n",
        &["files", "alone", "far", "inline"],
    ),
];

fn syntax_of(path: &str) -> ConfigSyntax {
    ConfigSyntax::of_file(std::path::Path::new(path))
}

#[test]
fn files_of_all_clients_are_wrapped_and_restored() {
    for (path, text, expected) in CLIENT_FILES {
        let syntax = syntax_of(path);
        let wrapped = wrap_config(text, syntax, "/opt/countersign").expect(text);
        let mut changed = wrapped.changed.clone();
        changed.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!((changed, wrapped.skipped), (expected.iter().map(ToString::to_string).collect(), vec![]));
        let again = wrap_config(&wrapped.text, syntax, "/opt/countersign").expect(&wrapped.text);
        assert_eq!((&again.text, again.wrapped.len()), (&wrapped.text, expected.len()));
        let restored = unwrap_config(&wrapped.text, syntax).expect(&wrapped.text);
        assert_eq!(restored.text, *text, "from {}", wrapped.text);
    }
}

#[test]
fn wrapped_forms_are_those_of_the_client() {
    let wrapped = CLIENT_FILES
        .iter()
        .map(|(path, text, _)| wrap_config(text, syntax_of(path), "countersign").expect(text).text);
    let texts: Vec<_> = wrapped.collect();
    for (at, part) in [
        (0, r#""command": "countersign", "args": ["mcp", "--name", "db", "db"]"#),
        (
            1,
            r#""command": "countersign", "args":["mcp", "--name", "far", "--header-env", "X-Key", "--server-url", "https://h/mcp"],"env":{"X-Key":"k"}"#,
        ),
        (2, r#""args":["mcp", "--name", "far", "--http-url", "https://h/mcp"],"timeout":5"#),
        (5, r#""command": [ "countersign", "mcp", "--name", "local", "--", "bun", "x" ]"#),
        (
            5,
            r#"{"type": "local", "command": ["countersign", "mcp", "--name", "far", "--type", "remote", "--header-env", "X-Key", "--url", "https://h/mcp"], "environment": {"X-Key": "k"}}"#,
        ),
        (
            7,
            "  command = \"countersign\"\n  args = [\"mcp\", \"--name\", \"alone\", \"alone\"]\n  enabled = true\n",
        ),
        (
            7,
            "command = \"countersign\"\nargs = [\"mcp\", \"--name\", \"far\", \"--header-env\", \"X-Key\", \"--url\", \"https://h/mcp\"]\nenv = { X-Key",
        ),
        (7, "inline = { command = \"countersign\", args = [\"mcp\", \"--name\", \"inline\", \"a\"] }"),
    ] {
        assert!(texts[at].contains(part), "{part} in {}", texts[at]);
    }
}

#[test]
fn servers_that_cannot_be_wrapped_are_named() {
    for (server, why) in [
        (r#"{"url":"http://far.example/mcp"}"#, "does not accept"),
        (r#"{"url":1}"#, "not a string"),
        (r#"{"url":"https://h/sse"}"#, "sse"),
        (r#"{"url":"https://h","httpUrl":"https://h"}"#, "several"),
        (r#"{"url":"https://h","command":"x"}"#, "both"),
        (r#"{"url":"https://h","headers":{"PATH":"x"}}"#, "a variable"),
        (r#"{"url":"https://h","headers":{"a b":"x"}}"#, "a variable"),
        (r#"{"url":"https://h","env":{}}"#, "members of a command"),
        (r#"{"url":"https://h","url":"https://i"}"#, "repeated"),
        (r#"{"command":"x","Command":"y"}"#, "repeated"),
        (r#"{"command":1}"#, "not a string"),
        (r#"{"command":"x","args":[1]}"#, "a list of strings"),
        (r#"{"command":[]}"#, "a list of strings"),
        (r#"{"command":{"args":[]}}"#, "no path"),
        (r#"{"enabled":false}"#, "neither"),
        ("1", "not an object"),
    ] {
        let text = format!("{{\"mcpServers\":{{\"a\":{server},\"b\":{{\"command\":\"x\"}}}}}}");
        let wrapped = wrap(&text);
        let [skipped] = &wrapped.skipped[..] else { panic!("{server}: {wrapped:?}") };
        assert!(skipped.name == "a" && skipped.why.contains(why), "{server}: {skipped:?}");
        assert_eq!(wrapped.changed, ["b"], "the other server is wrapped");
        assert!(wrapped.text.contains(server), "{server} keeps its bytes");
    }
    let tokens = "[mcp_servers]\nb.command = \"x\"\n[mcp_servers.a]\nurl = \"https://h/mcp\"\nbearer_token_env_var = \"T\"\n";
    let wrapped = wrap_config(tokens, ConfigSyntax::Toml, "countersign").expect("TOML");
    assert_eq!((wrapped.text.as_str(), names(&wrapped.skipped).len()), (tokens, 2), "{wrapped:?}");
}

#[test]
fn other_texts_are_refused() {
    let json = |text: &str| wrap_config(text, ConfigSyntax::Json, "c");
    for text in ["", "{", "{\"a\" 1}", &"[".repeat(100_000)] {
        assert!(matches!(json(text), Err(BadClientConfig::Syntax(_))), "{:?}", json(text));
    }
    assert_eq!(json("{}"), Err(BadClientConfig::NoServers));
    assert_eq!(json("[]"), Err(BadClientConfig::NoServers));
    assert_eq!(wrap_config("a: 1", ConfigSyntax::Yaml, "c"), Err(BadClientConfig::Yaml));
    let nested = format!("a = {}", "[".repeat(100_000));
    assert!(matches!(wrap_config(&nested, ConfigSyntax::Toml, "c"), Err(BadClientConfig::Syntax(_))));
}

//! Merging what several servers say about themselves.

use super::{names::ServerName, server_link::ReadyServer};
use serde_json::{Map, Value, json};

/// The protocol version of requests without a session.
pub(crate) const STATELESS_VERSION: &str = "2026-07-28";

/// The newest version with a session.
pub(crate) const LAST_SESSION_VERSION: &str = "2025-11-25";

/// The versions with a session that pass the hub.
const SESSION_VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The capabilities of which one server is enough. Those of `tasks` belong to one server, so they have no common list.
fn merge_capabilities(servers: &[(&ServerName, ReadyServer)]) -> Value {
    let mut merged = json!({});
    for (_, server) in servers {
        if let Some(capabilities) = server.greeting.get("capabilities") {
            merge_objects(&mut merged, capabilities);
        }
    }
    if let Some(tasks) = merged.get_mut("tasks").and_then(Value::as_object_mut) {
        tasks.remove("list");
    }
    // A server's tools vanish when it ends.
    for kind in ["tools", "prompts", "resources"] {
        if let Some(capability) = merged.get_mut(kind).and_then(Value::as_object_mut) {
            capability.insert("listChanged".to_owned(), Value::Bool(true));
        }
    }
    merged
}

fn merge_objects(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(key) {
                    Some(known) => merge_objects(known, value),
                    None => _ = into.insert(key.clone(), value.clone()),
                }
            }
        }
        (into @ Value::Bool(false), Value::Bool(true)) => *into = Value::Bool(true),
        // The first server decides.
        _ => {}
    }
}

/// The instructions of all servers, each under its name.
fn merge_instructions(servers: &[(&ServerName, ReadyServer)]) -> Option<String> {
    let parts = servers.iter().filter_map(|(name, server)| {
        let text = server.greeting.get("instructions")?.as_str().filter(|text| !text.trim().is_empty())?;
        Some(format!(
            "# {name}\n\nThe tools of this server begin with {name}__.\n\n{text}",
            name = name.as_str()
        ))
    });
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { None } else { Some(parts.join("\n\n")) }
}

/// The hub as it introduces itself.
pub(crate) fn hub_info() -> Value {
    json!({"name": "countersign", "version": env!("CARGO_PKG_VERSION")})
}

fn describe_servers(servers: &[(&ServerName, ReadyServer)]) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("capabilities".to_owned(), merge_capabilities(servers));
    result.insert("serverInfo".to_owned(), hub_info());
    if let Some(instructions) = merge_instructions(servers) {
        result.insert("instructions".to_owned(), Value::String(instructions));
    }
    result
}

/// The result of `initialize`. The version is the oldest that a server chose: every server understands it.
pub(crate) fn merge_initialize(requested: &str, servers: &[(&ServerName, ReadyServer)]) -> Value {
    let chosen = servers.iter().filter(|(_, server)| !server.is_stateless);
    let chosen = chosen.filter_map(|(_, server)| server.greeting.get("protocolVersion")?.as_str());
    let own = if SESSION_VERSIONS.contains(&requested) { requested } else { LAST_SESSION_VERSION };
    let mut result = describe_servers(servers);
    result.insert("protocolVersion".to_owned(), json!(chosen.min().unwrap_or(own)));
    Value::Object(result)
}

/// The result of `server/discover`.
pub(crate) fn merge_discover(servers: &[(&ServerName, ReadyServer)]) -> Value {
    let mut result = describe_servers(servers);
    let versions: Vec<&str> = [STATELESS_VERSION].iter().chain(SESSION_VERSIONS).copied().collect();
    result.insert("supportedVersions".to_owned(), json!(versions));
    result.insert("resultType".to_owned(), json!("complete"));
    // A server may end at any time.
    result.insert("ttlMs".to_owned(), json!(0));
    result.insert("cacheScope".to_owned(), json!("private"));
    result.insert("_meta".to_owned(), json!({"io.modelcontextprotocol/serverInfo": hub_info()}));
    Value::Object(result)
}

/// The error for a request with a version that the hub does not know.
pub(crate) fn unsupported_version(requested: &str) -> Value {
    let supported: Vec<&str> = [STATELESS_VERSION].iter().chain(SESSION_VERSIONS).copied().collect();
    json!({"code": -32022, "message": "Unsupported protocol version", "data": {"supported": supported, "requested": requested}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(greeting: Value, is_stateless: bool) -> ReadyServer {
        let Value::Object(greeting) = greeting else { panic!("an object") };
        ReadyServer { is_stateless, greeting, meta: None }
    }

    #[test]
    fn one_server_with_a_capability_is_enough() {
        let names = ["a", "b"].map(|name| ServerName::new(name).expect("valid"));
        let servers = [
            server(
                json!({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":false}}}),
                false,
            ),
            server(
                json!({"protocolVersion":"2025-03-26","instructions":"Ask.","capabilities":{"resources":{"subscribe":true},"tasks":{"list":{},"cancel":{}}}}),
                false,
            ),
        ];
        let servers: Vec<_> = names.iter().zip(servers).collect();
        let merged = merge_initialize("2025-11-25", &servers);
        assert_eq!(merged["protocolVersion"], "2025-03-26");
        assert_eq!(
            merged["capabilities"],
            json!({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tasks":{"cancel":{}}})
        );
        assert_eq!(merged["instructions"], "# b\n\nThe tools of this server begin with b__.\n\nAsk.");
    }

    #[test]
    fn version_of_client_is_chosen_without_sessions() {
        let name = ServerName::new("a").expect("valid");
        let servers = [(&name, server(json!({"capabilities":{}}), true))];
        assert_eq!(merge_initialize("2025-06-18", &servers)["protocolVersion"], "2025-06-18");
        assert_eq!(merge_initialize("2099-01-01", &servers)["protocolVersion"], LAST_SESSION_VERSION);
    }
}

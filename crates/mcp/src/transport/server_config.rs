//! The configuration of several servers, in the form that MCP clients use: an object `mcpServers`, or `servers`.

use super::{
    http_target::{BadHttpTarget, HttpTarget},
    variables::{MissingVariable, expand_variables},
};
use crate::{BadServerName, ServerName};
use countersign_json_rpc::JsonObject;

/// The largest configuration in bytes.
pub const MAX_SERVER_CONFIG_BYTES: u64 = 1024 * 1024;

/// The most servers of a configuration.
const MAX_SERVERS: usize = 64;

/// The server members that the gateway interprets.
const SERVER_KEYS: &[&str] = &["command", "args", "env", "cwd", "url", "type", "headers", "disabled"];

/// A configured server.
#[derive(Debug, Clone)]
pub struct ServerEntry {
    /// Its name.
    pub name: ServerName,
    /// The way to it.
    pub target: ServerTarget,
}

/// The way to a server.
#[derive(Debug, Clone)]
pub enum ServerTarget {
    /// A program on stdio.
    Command(ServerCommand),
    /// Streamable HTTP.
    Http(HttpTarget),
}

/// The server program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that are added to the environment.
    pub env: Vec<(String, String)>,
    /// The working folder.
    pub cwd: Option<String>,
}

/// The reason why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadServerConfig {
    /// The text is not a JSON object with servers.
    #[error(
        "it must be a JSON object with \"mcpServers\": an object of servers; remove comments and trailing commas"
    )]
    Syntax,
    /// There is no server.
    #[error("it has no servers that are not disabled")]
    Empty,
    /// There are too many servers.
    #[error("it has more than {MAX_SERVERS} servers")]
    TooMany,
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] BadServerName),
    /// Two servers could be confused.
    #[error("the servers {0:?} and {1:?} have the same name, or differ only in case; rename one")]
    SameName(String, String),
    /// A server member is not valid.
    #[error("the server {server:?}: {why}")]
    Server {
        /// The server.
        server: String,
        /// The defect.
        why: String,
    },
}

/// Reads a configuration. `look_up` returns the values of environment variables.
pub fn read_server_config(
    text: &str,
    look_up: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<ServerEntry>, BadServerConfig> {
    let config = JsonObject::read(text).ok_or(BadServerConfig::Syntax)?;
    config.check_keys(&["mcpServers", "servers"]).map_err(|_| BadServerConfig::Syntax)?;
    let servers =
        config.get("mcpServers").or_else(|| config.get("servers")).ok_or(BadServerConfig::Syntax)?;
    let servers = JsonObject::read(servers).ok_or(BadServerConfig::Syntax)?;
    let mut entries: Vec<ServerEntry> = Vec::new();
    for (name, text) in servers.members() {
        let bad = |why: String| BadServerConfig::Server { server: name.to_owned(), why };
        let server = JsonObject::read(text).ok_or_else(|| bad("it must be an object".to_owned()))?;
        server.check_keys(SERVER_KEYS).map_err(|key| bad(format!("the member {:?} is repeated", key.0)))?;
        if server.get_as("disabled").unwrap_or(false) {
            continue;
        }
        let server_name = ServerName::new(name)?;
        if let Some(same) = entries.iter().find(|entry| entry.name.as_str().eq_ignore_ascii_case(name)) {
            return Err(BadServerConfig::SameName(same.name.as_str().to_owned(), name.to_owned()));
        }
        if entries.len() >= MAX_SERVERS {
            return Err(BadServerConfig::TooMany);
        }
        let target = ServerMembers { server: &server, look_up }.read_target().map_err(bad)?;
        entries.push(ServerEntry { name: server_name, target });
    }
    if entries.is_empty() { Err(BadServerConfig::Empty) } else { Ok(entries) }
}

/// The members of one server.
struct ServerMembers<'a> {
    server: &'a JsonObject<'a>,
    look_up: &'a dyn Fn(&str) -> Option<String>,
}

impl ServerMembers<'_> {
    fn read_target(&self) -> Result<ServerTarget, String> {
        let kind = self.text("type")?;
        match (self.text("command")?, self.text("url")?, kind.as_deref()) {
            (Some(_), Some(_), _) => Err("it has both \"command\" and \"url\"; keep one".to_owned()),
            (Some(program), None, None | Some("stdio")) if !program.is_empty() => {
                Ok(ServerTarget::Command(ServerCommand {
                    program,
                    args: self.texts("args")?,
                    env: self.pairs("env")?,
                    cwd: self.text("cwd")?,
                }))
            }
            (None, Some(url), None | Some("http" | "streamable-http" | "streamableHttp")) => self.read_http(&url),
            (None, Some(_), Some("sse")) => {
                Err("the transport \"sse\" of 2024 is not supported; use the address of streamable HTTP".to_owned())
            }
            _ => Err("it needs \"command\" (with \"type\": \"stdio\" or none), or \"url\" (with \"type\": \"http\", \
                      \"streamable-http\" or none)"
                .to_owned()),
        }
    }

    fn read_http(&self, url: &str) -> Result<ServerTarget, String> {
        let mut target = HttpTarget::new(url).map_err(|why: BadHttpTarget| why.to_string())?;
        for (name, value) in self.pairs("headers")? {
            target.add_header(&name, &value).map_err(|why| why.to_string())?;
        }
        Ok(ServerTarget::Http(target))
    }

    fn expand(&self, text: &str) -> Result<String, String> {
        let expanded =
            expand_variables(text, self.look_up).map_err(|why: MissingVariable| why.to_string())?;
        if expanded.contains('\0') {
            Err("it has a string with a null character".to_owned())
        } else {
            Ok(expanded)
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let Some(part) = self.server.get(key).filter(|part| *part != "null") else { return Ok(None) };
        let text: String = serde_json::from_str(part).map_err(|_| format!("{key:?} must be a string"))?;
        self.expand(&text).map(Some)
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        let Some(part) = self.server.get(key) else { return Ok(Vec::new()) };
        let texts: Vec<String> =
            serde_json::from_str(part).map_err(|_| format!("{key:?} must be a list of strings"))?;
        texts.iter().map(|text| self.expand(text)).collect()
    }

    fn pairs(&self, key: &str) -> Result<Vec<(String, String)>, String> {
        let Some(part) = self.server.get(key) else { return Ok(Vec::new()) };
        let bad = || format!("{key:?} must be an object of strings");
        let object = JsonObject::read(part).ok_or_else(bad)?;
        let pairs = object.members().map(|(name, value)| {
            let value: String = serde_json::from_str(value).map_err(|_| bad())?;
            let is_name = !name.is_empty() && !name.contains(['=', '\0']);
            if is_name { Ok((name.to_owned(), self.expand(&value)?)) } else { Err(bad()) }
        });
        pairs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ServerEntry>, BadServerConfig> {
        read_server_config(text, &|name| (name == "TOKEN").then(|| "secret".to_owned()))
    }

    #[test]
    fn servers_of_both_kinds_are_read() {
        let entries = read(
            r#"{"mcpServers":{
                "files":{"command":"npx","args":["-y","${HOME_DIR:-/srv}"],"env":{"A":"${TOKEN}"},"cwd":"/tmp","autoApprove":[]},
                "remote":{"type":"http","url":"https://mcp.example.com","headers":{"Authorization":"Bearer ${TOKEN}"}},
                "off":{"command":1,"disabled":true}}}"#,
        )
        .expect("valid");
        let [files, remote] = &entries[..] else { panic!("{entries:?}") };
        let ServerTarget::Command(command) = &files.target else { panic!("{files:?}") };
        assert_eq!(
            (command.program.as_str(), &command.args[..]),
            ("npx", &["-y".to_owned(), "/srv".to_owned()][..])
        );
        assert_eq!(
            (&command.env[..], command.cwd.as_deref()),
            (&[("A".to_owned(), "secret".to_owned())][..], Some("/tmp"))
        );
        let ServerTarget::Http(target) = &remote.target else { panic!("{remote:?}") };
        assert_eq!(target.headers["authorization"], "Bearer secret");
        assert!(!format!("{target:?}").contains("secret"), "{target:?}");
    }

    #[test]
    fn hostile_configurations_are_refused() {
        for (servers, expected) in [
            (r#"{"a__b":{"command":"x"}}"#, "cannot be the name"),
            (r#"{"a":{"command":"x"},"A":{"command":"x"}}"#, "differ only in case"),
            (r#"{"a":{"command":"x"},"a":{"command":"y"}}"#, "the same name"),
            (r#"{"a":{"command":"x","command":"y"}}"#, "is repeated"),
            (r#"{"a":{"command":"x","Command":"y"}}"#, "is repeated"),
            (r#"{"a":{"command":"x","url":"https://h"}}"#, "both"),
            (r#"{"a":{"command":"x","args":[1]}}"#, "a list of strings"),
            (r#"{"a":{"command":"x","env":{"A=B":"1"}}}"#, "an object of strings"),
            (r#"{"a":{"command":"x\u0000"}}"#, "null character"),
            (r#"{"a":{"command":""}}"#, "it needs"),
            (r#"{"a":{"url":"http://far.example"}}"#, "use https"),
            (r#"{"a":{"url":"https://h","type":"sse"}}"#, "not supported"),
            (r#"{"a":{"url":"https://h","headers":{"A":"${NONE}"}}}"#, "is not set"),
            (r#"{"a":{"url":"https://h","headers":{"Host":"x"}}}"#, "set by the gateway"),
            (r#"{"a":1}"#, "an object"),
            ("{}", "no servers"),
            ("[]", "JSON object"),
        ] {
            let error = read(&format!("{{\"mcpServers\":{servers}}}")).expect_err(servers).to_string();
            assert!(error.contains(expected), "{servers}: {error}");
        }
        let many: Vec<_> = (0..65).map(|number| format!("\"s{number}\":{{\"command\":\"x\"}}")).collect();
        assert_eq!(
            read(&format!("{{\"servers\":{{{}}}}}", many.join(","))).err(),
            Some(BadServerConfig::TooMany)
        );
    }
}

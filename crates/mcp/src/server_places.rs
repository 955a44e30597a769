//! Where gateway calls run: the identity of each server.

use crate::{HttpTarget, ServerCommand, ServerEntry, ServerTarget, split_listed_name};
use countersign_api::{Json, Place, Sha256};
use std::collections::BTreeMap;

/// The number of hash digits in an address: enough to tell apart servers that a person sets up.
const HASH_DIGITS: usize = 8;

/// The places of the servers behind a gateway.
#[derive(Debug, Clone)]
pub enum ServerPlaces {
    /// One server.
    One(Box<Place>),
    /// The configured servers, by name.
    ByName(BTreeMap<String, Place>),
}

impl ServerPlaces {
    /// The places of the configured servers, which start in the place `here`.
    #[must_use]
    pub fn of_entries(entries: &[ServerEntry], here: &Place) -> Self {
        let place = |entry: &ServerEntry| {
            let name = entry.name.as_str().to_owned();
            let place = match &entry.target {
                ServerTarget::Command(command) => Place {
                    address: Some(command_address(command)),
                    folder: command.cwd.clone().or_else(|| here.folder.clone()),
                    ..here.clone()
                },
                ServerTarget::Http(target) => Place { address: Some(target.address()), ..here.clone() },
            };
            (name.clone(), Place { server: Some(name), ..place })
        };
        Self::ByName(entries.iter().map(place).collect())
    }

    /// The place of a tool, by the name that the client uses.
    pub(crate) fn of_tool(&self, tool: &str) -> Option<&Place> {
        match self {
            Self::One(place) => Some(place),
            Self::ByName(places) => places.get(split_listed_name(tool)?.0),
        }
    }

    /// A hash over all places.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        let places: Vec<_> = match self {
            Self::One(place) => vec![&**place],
            Self::ByName(places) => places.values().collect(),
        };
        Sha256::digest(serde_json::to_string(&places).unwrap_or_default().as_bytes())
    }
}

impl HttpTarget {
    /// The origin and the path. A query may hold secrets, so only its hash tells two of them apart.
    #[must_use]
    pub fn address(&self) -> String {
        let (origin, path) = (self.url.origin().ascii_serialization(), self.url.path());
        match self.url.query() {
            Some(query) => format!("{origin}{path}?{}", short_hash(query)),
            None => format!("{origin}{path}"),
        }
    }
}

/// A server command line. The environment values that its configuration sets may be secrets, so only their hash
/// tells two of them apart.
fn command_address(command: &ServerCommand) -> String {
    let words: Vec<_> =
        std::iter::once(&command.program).chain(&command.args).map(|word| quote_word(word)).collect();
    let line = words.join(" ");
    if command.env.is_empty() {
        return line;
    }
    let mut variables = command.env.clone();
    variables.sort();
    let variables = serde_json::to_string(&variables).unwrap_or_default();
    format!("{line} (environment {})", short_hash(&variables))
}

/// A command line word as people read it.
fn quote_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        Json::string(word).as_str().to_owned()
    }
}

fn short_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).to_string().chars().take(HASH_DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::read_server_config;

    fn places(config: &str) -> ServerPlaces {
        let entries = read_server_config(config, &|_| None).expect("valid");
        ServerPlaces::of_entries(&entries, &Place::folder("/home/ada/shop"))
    }

    fn describe_place(config: &str) -> String {
        let places = places(&format!("{{\"mcpServers\":{{\"db\":{config}}}}}"));
        places.of_tool("db__query").expect("known").to_string()
    }

    #[test]
    fn place_of_a_server_names_its_command() {
        let shown = describe_place(r#"{"command":"npx","args":["-y","@x/db","--mode","a b"]}"#);
        assert_eq!(shown, r#"server db, address npx -y @x/db --mode "a b", folder /home/ada/shop"#);
        assert_eq!(
            describe_place(r#"{"command":"db","cwd":"/srv"}"#),
            "server db, address db, folder /srv",
            "the server starts in its own folder"
        );
    }

    #[test]
    fn environment_and_query_tell_servers_apart() {
        for (one, other) in [
            (r#"{"command":"db","env":{"URL":"staging"}}"#, r#"{"command":"db","env":{"URL":"production"}}"#),
            (
                r#"{"url":"https://db.example/mcp?env=staging"}"#,
                r#"{"url":"https://db.example/mcp?env=production"}"#,
            ),
        ] {
            let (one, other) = (describe_place(one), describe_place(other));
            assert_ne!(one, other);
            assert!(!one.contains("staging"), "the value may be a secret: {one}");
        }
        let shown = describe_place(r#"{"url":"https://ada:secret@db.example/mcp"}"#);
        assert_eq!(shown, "server db, address https://db.example/mcp, folder /home/ada/shop");
    }

    #[test]
    fn unknown_server_has_no_place() {
        let places = places(r#"{"mcpServers":{"db":{"command":"db"}}}"#);
        assert!(places.of_tool("other__query").is_none() && places.of_tool("query").is_none());
    }
}

//! The names of servers and of their tools in one name space: `server__tool`.

use countersign_events::Sha256;

/// Separates the server name from the name of its tool or prompt.
const SEPARATOR: &str = "__";

/// The longest name of a server. With the separator, it leaves room for a tool's name.
const MAX_SERVER_NAME: usize = 32;

/// The longest name of a tool that all clients accept.
const MAX_TOOL_NAME: usize = 64;

/// The length of the hash that ends a changed name.
const HASH_DIGITS: usize = 8;

/// The name of a hub server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerName(String);

/// Why a string is not a valid server name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot be the name of a server: use 1 to 32 letters, digits, - and _, without __ and without _ at the end, so \
     that SERVER__TOOL names one tool of one server"
)]
pub struct BadServerName(pub String);

impl ServerName {
    /// Reads a name. Names with `__`, or with `_` at the end, are refused: `a` with the tool `b__c` and `a__b` with the tool
    /// `c` would have the same name.
    pub fn new(text: &str) -> Result<Self, BadServerName> {
        let is_name = (1..=MAX_SERVER_NAME).contains(&text.len()) && text.bytes().all(is_name_byte);
        if !is_name || text.contains(SEPARATOR) || text.ends_with('_') {
            return Err(BadServerName(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A prompt name in the common namespace.
pub(crate) fn listed_prompt_name(server: &ServerName, prompt: &str) -> String {
    format!("{}{SEPARATOR}{prompt}", server.as_str())
}

/// A tool name in the common namespace. Clients and model APIs accept 64 letters, digits, `_` and `-`. In a longer
/// name, or one with other characters, each of those becomes `_`, and the name ends with a hash of the whole original
/// name.
#[must_use]
pub fn listed_tool_name(server: &ServerName, tool: &str) -> String {
    let name = format!("{}{SEPARATOR}{tool}", server.as_str());
    if name.len() <= MAX_TOOL_NAME && name.bytes().all(is_name_byte) {
        return name;
    }
    let is_kept = |letter: &char| letter.is_ascii() && is_name_byte(u8::try_from(*letter).unwrap_or(b'.'));
    let kept = name.chars().map(|letter| if is_kept(&letter) { letter } else { '_' });
    let kept: String = kept.take(MAX_TOOL_NAME - HASH_DIGITS - 1).collect();
    let hash = Sha256::digest(name.as_bytes()).to_string();
    format!("{kept}_{}", hash.get(..HASH_DIGITS).unwrap_or(&hash))
}

/// Splits a name of the common namespace into the server name and the tool or prompt name.
#[must_use]
pub fn split_listed_name(name: &str) -> Option<(&str, &str)> {
    name.split_once(SEPARATOR).filter(|(server, rest)| !server.is_empty() && !rest.is_empty())
}

/// Returns true if a name may be a changed one, so that only the tool list tells the original.
pub(crate) fn may_be_changed(name: &str) -> bool {
    let end = name.len().saturating_sub(HASH_DIGITS);
    name.is_ascii()
        && name[..end].ends_with('_')
        && name[end..].bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_server_names_are_refused() {
        for name in ["a__b", "a_", "", "_", "my server", "a.b", "é", &"x".repeat(33)] {
            assert_eq!(ServerName::new(name), Err(BadServerName(name.to_owned())), "{name:?}");
        }
        for (server, tool) in [("a", "b__c"), ("a", "_b"), ("_a", "__"), ("a-1", "x")] {
            let listed = listed_tool_name(&ServerName::new(server).expect(server), tool);
            assert_eq!(split_listed_name(&listed), Some((server, tool)), "{listed}");
        }
    }

    #[test]
    fn names_that_clients_refuse_are_changed() {
        let server = ServerName::new("files").expect("valid");
        assert_eq!(listed_tool_name(&server, "read_file"), "files__read_file");
        let names = ["read.file", "read/file", &"long".repeat(20), &"long".repeat(21), "é"];
        let listed: Vec<_> = names.iter().map(|name| listed_tool_name(&server, name)).collect();
        for name in &listed {
            assert!(name.len() <= 64 && name.bytes().all(is_name_byte), "{name}");
            assert!(name.starts_with("files__") && may_be_changed(name), "{name}");
        }
        assert!(listed.iter().enumerate().all(|(at, name)| !listed[..at].contains(name)), "{listed:?}");
        assert!(!may_be_changed("files__read_file"));
    }
}

//! One server of a configuration, as its client wrote it.

use super::tree::{ConfigMember, ConfigNode, ConfigValue};
use countersign_events::{Json, fold_spelling};
use std::ops::Range;

/// A replacement of a byte range.
pub(super) type TextChange = (Range<usize>, String);

/// What is to be done with one server.
pub(super) enum EntryChange {
    Changed(Vec<TextChange>),
    /// It is as it should be.
    Kept,
    /// It cannot be changed.
    Skipped(&'static str),
}

/// The members that hold an address, each with the gateway option that remembers it.
pub(super) const ADDRESSES: &[(&str, &str)] =
    &[("url", "--url"), ("serverUrl", "--server-url"), ("httpUrl", "--http-url")];

/// The members that lead to a server, or go with them.
const KNOWN_KEYS: &[&str] = &[
    "command",
    "path",
    "args",
    "env",
    "environment",
    "type",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "http_headers",
];

/// A configured server, with the byte ranges of its parts.
pub(super) struct ClientServer<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) object: &'a ConfigNode,
    pub(super) launch: ServerLaunch<'a>,
}

/// The way to a server.
pub(super) enum ServerLaunch<'a> {
    /// A program, and its arguments beside it.
    Program { holder: &'a ConfigNode, program: &'a ConfigMember, args: Option<&'a ConfigMember> },
    /// A list with the program and its arguments.
    Words { list: &'a ConfigMember },
    /// An address.
    Address { url: &'a ConfigMember },
}

/// A command line word with its byte range.
pub(super) type PlacedWord<'a> = (&'a str, Range<usize>);

impl<'a> ClientServer<'a> {
    /// Reads a server. Fails with the reason why it cannot be changed.
    pub(super) fn read(text: &'a str, member: &'a ConfigMember) -> Result<Self, &'static str> {
        let object = &member.node;
        if object.style().is_none() {
            return Err("its entry is not an object");
        }
        if has_repeated_key(object) {
            return Err("a member of its entry is repeated, or differs from another only in case");
        }
        let launch = read_launch(object)?;
        let entry = Self { text, name: &member.key, object, launch };
        let is_usable = match entry.launch {
            ServerLaunch::Program { args: Some(args), .. } => args.node.words().is_some(),
            ServerLaunch::Words { list } => list.node.words().is_some_and(|words| !words.is_empty()),
            ServerLaunch::Program { args: None, .. } | ServerLaunch::Address { .. } => true,
        };
        if is_usable { Ok(entry) } else { Err("its arguments are not a list of strings") }
    }

    /// The words of its command line, the program first. None for an address.
    pub(super) fn words(&self) -> Vec<PlacedWord<'a>> {
        match self.launch {
            ServerLaunch::Program { program, args, .. } => {
                let first = (program.node.text().unwrap_or_default(), program.node.at.clone());
                let args = args.and_then(|args| args.node.words()).unwrap_or_default();
                std::iter::once(first).chain(args).collect()
            }
            ServerLaunch::Words { list } => list.node.words().unwrap_or_default(),
            ServerLaunch::Address { .. } => Vec::new(),
        }
    }

    /// The first arguments of the gateway.
    pub(super) fn gateway_words(&self) -> impl Iterator<Item = &'a str> {
        ["mcp", "--name", self.name].into_iter()
    }

    pub(super) fn is_wrapped(&self) -> bool {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let Some((program, args)) = words.split_first() else { return false };
        let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
        // The program may have another name.
        let is_written_by_wrap = matches!(
            args,
            ["mcp", "--name", _, _] | ["mcp", "--name", _, "--" | "--type" | "--header-env", ..]
        ) || matches!(args, ["mcp", "--name", _, option, ..] if is_address_option(option));
        is_written_by_wrap || program.starts_with("countersign") && args.first() == Some(&"mcp")
    }
}

fn is_address_key(key: &str) -> bool {
    ADDRESSES.iter().any(|(name, _)| *name == key)
}

fn is_address_option(word: &str) -> bool {
    ADDRESSES.iter().any(|(_, option)| *option == word)
}

fn read_launch(object: &ConfigNode) -> Result<ServerLaunch<'_>, &'static str> {
    let addresses: Vec<_> = object.members().iter().filter(|member| is_address_key(&member.key)).collect();
    let Some(command) = object.member("command") else {
        return match addresses[..] {
            [url] => Ok(ServerLaunch::Address { url }),
            [] => Err("it has neither a command nor an address"),
            _ => Err("it has several addresses"),
        };
    };
    if !addresses.is_empty() {
        return Err("it has both a command and an address");
    }
    match &command.node.value {
        ConfigValue::Text(_) => {
            Ok(ServerLaunch::Program { holder: object, program: command, args: object.member("args") })
        }
        ConfigValue::List(_) => Ok(ServerLaunch::Words { list: command }),
        ConfigValue::Object(..) => match command.node.member("path") {
            Some(program) if program.node.text().is_some() => {
                let holder = &command.node;
                Ok(ServerLaunch::Program { holder, program, args: holder.member("args") })
            }
            _ => Err("its command has no path"),
        },
        ConfigValue::Other => Err("its command is not a string"),
    }
}

/// Whether programs may read two members as one.
fn has_repeated_key(object: &ConfigNode) -> bool {
    KNOWN_KEYS.iter().any(|key| {
        let mut same =
            object.members().iter().filter(|member| fold_spelling(&member.key) == fold_spelling(key));
        same.next().is_some_and(|first| first.key != *key) || same.next().is_some()
    })
}

/// A new line with the member indentation.
pub(super) fn line_start(text: &str, member: &ConfigMember) -> String {
    let before = text.get(..member.key_at.start).unwrap_or_default();
    let indentation = before.rsplit('\n').next().filter(|start| start.trim().is_empty()).unwrap_or_default();
    format!("\n{indentation}")
}

/// A word as a JSON string, which is also a TOML string.
pub(super) fn quote(word: &str) -> String {
    Json::string(word).as_str().to_owned()
}

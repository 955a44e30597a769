//! Servers with an address: the gateway takes their place as a command, and back.
//!
//! Only these strings change: the address becomes a command line, the type becomes the program type, and the headers
//! become variables, so that secrets are never on a command line. The rest keeps its bytes.

use super::{
    server::{ADDRESSES, ClientServer, EntryChange, PlacedWord, ServerLaunch, TextChange, line_start, quote},
    tree::{ConfigMember, ObjectStyle},
};
use crate::transport::HttpTarget;

/// The types of servers on streamable HTTP; the last is that of opencode.
const HTTP_TYPES: &[&str] = &["http", "streamable-http", "streamableHttp", REMOTE];
const REMOTE: &str = "remote";

/// Puts the gateway before a server with an address.
pub(super) fn wrap(entry: &ClientServer<'_>, gateway: &str, url: &ConfigMember) -> EntryChange {
    wrap_checked(entry, gateway, url).map_or_else(EntryChange::Skipped, EntryChange::Changed)
}

fn wrap_checked(
    entry: &ClientServer<'_>,
    gateway: &str,
    url: &ConfigMember,
) -> Result<Vec<TextChange>, &'static str> {
    let object = entry.object;
    if ["args", "env", "environment"].iter().any(|key| object.get(key).is_some()) {
        return Err("it has an address and members of a command");
    }
    if ["bearer_token_env_var", "env_http_headers"].iter().any(|key| object.get(key).is_some()) {
        return Err("its headers come from variables: write countersign mcp --url … --header … by hand");
    }
    check_address(url.node.text().ok_or("its address is not a string")?)?;
    let kind = object.member("type");
    let kind_text = kind.and_then(|kind| kind.node.text());
    if kind.is_some() && !kind_text.is_some_and(|kind| HTTP_TYPES.contains(&kind)) {
        return Err("its type is not streamable HTTP, which is all that the gateway speaks");
    }
    let mut words: Vec<String> = entry.gateway_words().map(quote).collect();
    words.extend(kind_text.into_iter().flat_map(|kind| [quote("--type"), quote(kind)]));
    let is_remote = kind_text == Some(REMOTE);
    let mut changes = Vec::new();
    if let Some(headers) = object.member("headers").or_else(|| object.member("http_headers")) {
        for header in headers.node.members() {
            let name = usable_header(&header.key).ok_or("a header has the name of a variable")?;
            words.extend([quote("--header-env"), quote(name)]);
        }
        let variables = if is_remote { "environment" } else { "env" };
        changes.push((headers.key_at.clone(), key_text(entry, variables)));
    }
    let option = ADDRESSES.iter().find(|(key, _)| *key == url.key).map_or("--url", |(_, option)| option);
    words.push(quote(option));
    words.push(entry.text.get(url.node.at.clone()).unwrap_or_default().to_owned());
    if is_remote {
        words.insert(0, quote(gateway));
        changes.push((url.key_at.clone(), key_text(entry, "command")));
    } else {
        changes.push((
            url.key_at.clone(),
            program_and_args(entry, gateway, url).ok_or("its table is written in parts")?,
        ));
    }
    changes.push((url.node.at.clone(), format!("[{}]", words.join(", "))));
    if let Some(kind) = kind {
        changes.push((kind.node.at.clone(), quote(if is_remote { "local" } else { "stdio" })));
    }
    Ok(changes)
}

/// The member of the program, and the key of its arguments.
fn program_and_args(entry: &ClientServer<'_>, gateway: &str, url: &ConfigMember) -> Option<String> {
    let gateway = quote(gateway);
    Some(match entry.object.style()? {
        ObjectStyle::Json => format!("\"command\": {gateway}, \"args\""),
        ObjectStyle::Inline => format!("command = {gateway}, args"),
        ObjectStyle::Lines => format!("command = {gateway}{}args", line_start(entry.text, url)),
        ObjectStyle::Scattered => return None,
    })
}

/// Restores a server with an address. `None` if the gateway stands before a command.
pub(super) fn unwrap(entry: &ClientServer<'_>) -> Option<EntryChange> {
    let words = entry.words();
    let [.., (option, _), (_, url)] = &words[..] else { return None };
    let (key, _) = ADDRESSES.iter().find(|(_, known)| known == option)?;
    if words.iter().any(|(word, _)| *word == "--") {
        return None;
    }
    let by_hand =
        EntryChange::Skipped("its command and args are not side by side: remove the gateway by hand");
    let url = entry.text.get(url.clone())?.to_owned();
    let (key_at, value_at) = match entry.launch {
        ServerLaunch::Program { program, args: Some(args), .. } if follows(entry, program, args) => {
            (program.key_at.start..args.key_at.end, args.node.at.clone())
        }
        ServerLaunch::Words { list } => (list.key_at.clone(), list.node.at.clone()),
        ServerLaunch::Program { .. } | ServerLaunch::Address { .. } => return Some(by_hand),
    };
    let mut changes = vec![(key_at, key_text(entry, key)), (value_at, url)];
    changes.extend(restore_kind(entry, &words));
    changes.extend(restore_headers(entry, &words));
    Some(EntryChange::Changed(changes))
}

fn restore_kind(entry: &ClientServer<'_>, words: &[PlacedWord<'_>]) -> Option<TextChange> {
    let at = words.iter().position(|(word, _)| *word == "--type")?;
    let kind = entry.text.get(words.get(at + 1)?.1.clone())?;
    Some((entry.object.get("type")?.at.clone(), kind.to_owned()))
}

fn restore_headers(entry: &ClientServer<'_>, words: &[PlacedWord<'_>]) -> Option<TextChange> {
    words.iter().find(|(word, _)| *word == "--header-env")?;
    let variables = entry.object.member("env").or_else(|| entry.object.member("environment"))?;
    let is_json = entry.object.style() == Some(ObjectStyle::Json);
    Some((variables.key_at.clone(), key_text(entry, if is_json { "headers" } else { "http_headers" })))
}

/// Whether `args` is the member after the program.
fn follows(entry: &ClientServer<'_>, program: &ConfigMember, args: &ConfigMember) -> bool {
    let mut members = entry.object.members().iter().map(|member| member.key_at.start);
    members.by_ref().any(|start| start == program.key_at.start) && members.next() == Some(args.key_at.start)
}

fn key_text(entry: &ClientServer<'_>, key: &str) -> String {
    if entry.object.style() == Some(ObjectStyle::Json) { quote(key) } else { key.to_owned() }
}

fn check_address(url: &str) -> Result<(), &'static str> {
    let is_sse =
        url.split(['?', '#']).next().is_some_and(|path| path.trim_end_matches('/').ends_with("/sse"));
    if is_sse {
        return Err("its address is one of the transport sse of 2024: use the one of streamable HTTP");
    }
    if !url.contains("${") && HttpTarget::new(url).is_err() {
        return Err("the gateway does not accept its address: use https, or http on this machine");
    }
    Ok(())
}

/// A header whose name is not that of a variable that programs know.
fn usable_header(name: &str) -> Option<&str> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_variable = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (is_name && !is_variable).then_some(name)
}

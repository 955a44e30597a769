//! Servers with an address in the configuration of a client: the gateway takes their place as a command, and back.
//!
//! Only these texts change: the key `url` becomes `command` and `args`, the value of `type` becomes `stdio`, and the key `headers`
//! becomes `env`, so that secrets are never on a command line. The rest keeps its bytes.

use crate::{
    json_object::{JsonObject, range_of},
    transport::HttpTarget,
};
use countersign_events::Json;
use std::ops::Range;

/// A change of a text.
pub(crate) type TextChange = (Range<usize>, String);

/// The types of servers on streamable HTTP.
const HTTP_TYPES: &[&str] = &["http", "streamable-http", "streamableHttp"];

/// Puts the gateway before a server with an address. `None` if the gateway cannot take its place.
pub(crate) fn wrap_url(
    text: &str,
    (name, program): (&str, &str),
    server: &JsonObject<'_>,
) -> Option<Vec<TextChange>> {
    server.check_keys(&["url", "type", "headers"]).ok()?;
    if ["command", "args", "env"].iter().any(|key| server.get(key).is_some()) {
        return None;
    }
    let url: String = server.get_as("url")?;
    if !url.contains("${") {
        HttpTarget::new(&url).ok()?;
    }
    let kind: Option<String> = server.get_as("type");
    if server.get("type").is_some() && !kind.as_deref().is_some_and(|kind| HTTP_TYPES.contains(&kind)) {
        return None;
    }
    let mut words = vec!["mcp".to_owned(), "--name".to_owned(), name.to_owned()];
    words.extend(kind.into_iter().flat_map(|kind| ["--type".to_owned(), kind]));
    let mut changes = Vec::new();
    if let Some(headers) = server.get("headers") {
        for (header, _) in JsonObject::read(headers)?.members() {
            words.extend(["--header-env".to_owned(), usable_header(header)?.to_owned()]);
        }
        changes.push((key_before(text, headers, "headers")?, "\"env\"".to_owned()));
    }
    words.push("--url".to_owned());
    let words: Vec<_> = words.iter().map(|word| Json::string(word).as_str().to_owned()).collect();
    let place = server.get("url")?;
    let command = Json::string(program);
    let key = format!("\"command\": {}, \"args\"", command.as_str());
    changes.push((key_before(text, place, "url")?, key));
    changes.push((range_of(text, place), format!("[{}, {place}]", words.join(", "))));
    if let Some(kind) = server.get("type") {
        changes.push((range_of(text, kind), "\"stdio\"".to_owned()));
    }
    Some(changes)
}

/// Restores a server with an address. `words` are the arguments of the gateway with their places.
pub(crate) fn unwrap_url(
    text: &str,
    words: &[(String, Range<usize>)],
    server: &JsonObject<'_>,
) -> Option<Vec<TextChange>> {
    let [.., (option, _), (_, url)] = words else { return None };
    if option != "--url" || words.iter().any(|(word, _)| word == "--") {
        return None;
    }
    let (command, args) = (server.get("command")?, server.get("args")?);
    let key = key_before(text, command, "command")?.start..key_before(text, args, "args")?.end;
    let mut changes =
        vec![(key, "\"url\"".to_owned()), (range_of(text, args), text.get(url.clone())?.to_owned())];
    let kind = words.iter().position(|(word, _)| word == "--type").and_then(|at| words.get(at + 1));
    if let (Some((_, kind)), Some(current)) = (kind, server.get("type")) {
        changes.push((range_of(text, current), text.get(kind.clone())?.to_owned()));
    }
    if let Some(headers) = server.get("env").filter(|_| words.iter().any(|(word, _)| word == "--header-env"))
    {
        changes.push((key_before(text, headers, "env")?, "\"headers\"".to_owned()));
    }
    Some(changes)
}

/// A header whose name is not that of a variable that programs know.
fn usable_header(name: &str) -> Option<&str> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_variable = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (is_name && !is_variable).then_some(name)
}

/// The place of the key before a value of `text`.
fn key_before(text: &str, value: &str, key: &str) -> Option<Range<usize>> {
    let before = text.get(..range_of(text, value).start)?.trim_end().strip_suffix(':')?.trim_end();
    let quoted = format!("\"{key}\"");
    before.ends_with(&quoted).then(|| before.len() - quoted.len()..before.len())
}

//! The hosts that a call names.

use super::word_list::has_word;
use countersign_patterns::{FileUse, command::CommandWords};

/// Programs that connect to the hosts among their operands.
const NETWORK_PROGRAMS: &str = "aria2c axel curl curlie dig ftp git grpcurl hey http httpie https k6 lftp lynx mongosh mosh mysql \
    mysqldump nc ncat nmap nslookup openssl pg_dump ping psql redis-cli rsync scp sftp socat ssh sshpass \
    telnet wget websocat wscat xfreerdp xh";

/// The files that a shell opens as connections.
const CONNECTIONS: [&str; 2] = ["/dev/tcp/", "/dev/udp/"];

/// A host that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostUse {
    /// The host, in lower case; `None` if a part of it is unknown.
    pub(crate) host: Option<String>,
    /// Whether the call certainly connects to it.
    pub(crate) is_certain: bool,
}

/// The hosts in a command, in the variables before it, and in what a program for the network reads beside it.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<HostUse> {
    let is_network = has_word(NETWORK_PROGRAMS, command.program());
    let is_git = command.program() == "git";
    let mut found = Vec::new();
    let beside = command.assignments().map(|(_, value)| value);
    for text in beside.chain(command.documents().filter(|_| is_network)) {
        found.extend(uses_in_text(text));
    }
    let mut before = "";
    for (text, value) in command.texts().skip(1).zip(command.arguments()) {
        // The value of an option may be anything, such as the name of a file.
        let is_operand = !before.starts_with('-') || matches!(before, "-h" | "--host" | "--hostname");
        // A plain word of Git names a remote, a branch or a file.
        let is_host = !is_git || text.contains([':', '@']);
        let is_certain = is_network && value.is_some() && is_operand && is_host;
        let uses = uses_in_text(text).into_iter();
        found.extend(uses.map(|used| HostUse { is_certain: used.is_certain || is_certain, ..used }));
        let is_unknown = value.is_none() && !text.starts_with('-') || has_several_hosts(text);
        if is_network && is_unknown {
            found.push(HostUse { host: None, is_certain: false });
        }
        before = text;
    }
    found
}

/// The host that this is, if it is one and nothing else.
pub(super) fn use_of_name(text: &str) -> Option<HostUse> {
    let name = text.trim().rsplit('@').next().unwrap_or_default();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches('.');
    let is_host = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c))
        && !text.contains("//");
    is_host.then(|| HostUse { host: Some(name.to_lowercase()), is_certain: true })
}

/// The hosts of connections that a shell opens as files.
pub(super) fn uses_of_files(files: &[FileUse]) -> Vec<HostUse> {
    let shown = files.iter().map(|used| used.shown.as_str());
    let addresses =
        shown.filter_map(|shown| CONNECTIONS.iter().find_map(|folder| shown.strip_prefix(folder)));
    let hosts = addresses.map(|address| address.split('/').next().unwrap_or_default());
    let uses = hosts.map(|host| {
        let is_known = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "-._:%".contains(c));
        HostUse { host: is_known.then(|| plain(host).to_lowercase()), is_certain: is_known }
    });
    uses.collect()
}

/// Whether a program may expand the address into several ones, as `curl` expands `{a,b}` and `[a-c]`.
fn has_several_hosts(text: &str) -> bool {
    let address = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_address =
        |part: &str| part.contains(':') && part.chars().all(|c| c.is_ascii_hexdigit() || ":.%".contains(c));
    let in_brackets = host.split_once('[').map(|(_, rest)| rest.split(']').next().unwrap_or(rest));
    let is_plain_address = in_brackets.is_some_and(is_address);
    let is_list = host.contains('{') || in_brackets.is_some() && !is_plain_address;
    is_list && !host.contains(|c: char| c.is_whitespace() || "\"'()=;".contains(c)) && host.contains('.')
}

/// The text as a host's name is read: with full stops and letters of other forms as plain ones, and without invisible characters
/// and escapes.
fn plain(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{3002}' | '\u{ff61}' => found.push('.'),
            '\u{ff01}'..='\u{ff5e}' => found.extend(char::from_u32(u32::from(c) - 0xfee0)),
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '%' => {
                let digits = rest.as_str().get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                match digits.map(char::from).filter(|c| c.is_ascii_alphanumeric() || "-._:@".contains(*c)) {
                    Some(decoded) => {
                        found.push(decoded);
                        rest = rest.as_str()[2..].chars();
                    }
                    None => found.push(c),
                }
            }
            c => found.push(c),
        }
    }
    found
}

/// The hosts in any words. An address with a scheme is certain.
pub(super) fn uses_in_text(text: &str) -> Vec<HostUse> {
    let is_part = |c: char| c.is_alphanumeric() || "._-:/@[]%+~#?=&".contains(c);
    let mut found = Vec::new();
    let text = plain(text);
    for word in text.split(|c: char| !is_part(c)).filter(|word| word.contains('.')) {
        let (has_scheme, rest) = match word.split_once("://") {
            Some((_, rest)) => (true, rest),
            None => (false, word),
        };
        for part in rest.split(['=', '/', '?', '#', '&', ',']) {
            // Between several at signs and colons, programs differ in what the host is.
            let after_user = part.rsplit('@').next().unwrap_or(part);
            let first = after_user.split(':').next().unwrap_or_default();
            let pieces = part.split(['@', ':']).map(|piece| piece.trim_end_matches('.'));
            for host in pieces {
                let is_host =
                    host.contains('.') && host.chars().all(|c| c.is_alphanumeric() || "-._".contains(c));
                if is_host && !host.starts_with('.') {
                    let is_certain =
                        has_scheme && rest.starts_with(part) && first.trim_end_matches('.') == host;
                    found.push(HostUse { host: Some(host.to_lowercase()), is_certain });
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_every_form() {
        for text in [
            "https://db.prod.example.com/x",
            "postgres://ada:secret@DB.prod.example.com:5432/shop",
            "ada@db.prod.example.com:/srv",
            "db.prod.example.com.",
            "--resolve=db.prod.example.com:443",
            "fetch('https://db.prod.example.com')",
            "5432:db.prod.example.com:5432",
            "a.example:443:db.prod.example.com:443",
            "https://db%2eprod.example.com",
            "https://\u{ff44}b\u{3002}prod.example\u{ff0e}com",
        ] {
            let hosts: Vec<_> = uses_in_text(text).into_iter().filter_map(|used| used.host).collect();
            assert!(hosts.contains(&"db.prod.example.com".to_owned()), "{text}: {hosts:?}");
        }
        assert!(uses_in_text("src/main ../x").is_empty());
    }

    #[test]
    fn lists_of_hosts_are_told_from_addresses() {
        for text in ["https://{a,b}.example.com/", "http://d[a-c].example.com", "{a,b}.example.com/x"] {
            assert!(has_several_hosts(text), "{text}");
        }
        for text in [
            "http://[::1]:3000/a.b",
            "https://a.b/{x}",
            r#"{"user":"a.b"}"#,
            "[a-z]",
            "http://[fe80::1%25en0]/",
        ] {
            assert!(!has_several_hosts(text), "{text}");
        }
    }
}

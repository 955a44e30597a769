//! The hosts that a call names.

use super::word_list::has_word;
use countersign_patterns::command::CommandWords;

/// Programs that connect to the hosts among their operands.
const NETWORK_PROGRAMS: &str = "aria2c axel curl curlie dig ftp git grpcurl hey http httpie https k6 lftp lynx mongosh mosh mysql \
    mysqldump nc ncat nmap nslookup openssl pg_dump ping psql redis-cli rsync scp sftp socat ssh sshpass \
    telnet wget websocat wscat xh";

/// A host that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostUse {
    /// The host, in lower case; `None` if a part of it is unknown.
    pub(crate) host: Option<String>,
    /// Whether the call certainly connects to it.
    pub(crate) is_certain: bool,
}

/// The hosts in a command.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<HostUse> {
    let is_network = has_word(NETWORK_PROGRAMS, command.program());
    let is_git = command.program() == "git";
    let mut found = Vec::new();
    let mut before = "";
    for (text, value) in command.texts().skip(1).zip(command.arguments()) {
        // The value of an option may be anything, such as the name of a file.
        let is_operand = !before.starts_with('-') || matches!(before, "-h" | "--host" | "--hostname");
        // A plain word of Git is the name of a remote, a branch or a file.
        let is_host = !is_git || text.contains([':', '@']);
        let is_certain = is_network && value.is_some() && is_operand && is_host;
        let uses = uses_in_text(text).into_iter();
        found.extend(uses.map(|used| HostUse { is_certain: used.is_certain || is_certain, ..used }));
        if is_network && value.is_none() && !text.starts_with('-') {
            found.push(HostUse { host: None, is_certain: false });
        }
        before = text;
    }
    found
}

/// The host that a text is, if it is one and nothing else.
pub(super) fn use_of_name(text: &str) -> Option<HostUse> {
    let name = text.trim().rsplit('@').next().unwrap_or_default();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches('.');
    let is_host = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c))
        && !text.contains("//");
    is_host.then(|| HostUse { host: Some(name.to_lowercase()), is_certain: true })
}

/// The hosts in a text. An address with a scheme is certain.
pub(super) fn uses_in_text(text: &str) -> Vec<HostUse> {
    let is_part = |c: char| c.is_alphanumeric() || "._-:/@[]%+~#?=&".contains(c);
    let mut found = Vec::new();
    for word in text.split(|c: char| !is_part(c)).filter(|word| word.contains('.')) {
        let (has_scheme, rest) = match word.split_once("://") {
            Some((_, rest)) => (true, rest),
            None => (false, word),
        };
        for part in rest.split(['=', '/', '?', '#', '&', ',']) {
            let after_user = part.rsplit('@').next().unwrap_or(part);
            let host = after_user.split(':').next().unwrap_or_default().trim_end_matches('.');
            let is_host =
                host.contains('.') && host.chars().all(|c| c.is_alphanumeric() || "-._".contains(c));
            if is_host && !host.starts_with('.') {
                let is_certain = has_scheme && rest.starts_with(part);
                found.push(HostUse { host: Some(host.to_lowercase()), is_certain });
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
        ] {
            let hosts: Vec<_> = uses_in_text(text).into_iter().filter_map(|used| used.host).collect();
            assert!(hosts.contains(&"db.prod.example.com".to_owned()), "{text}: {hosts:?}");
        }
        assert!(uses_in_text("src/main ../x").is_empty());
    }
}

//! A file of public keys that is kept off the log's machine, so that not even a log administrator can pass off their
//! own key as another person's.

use crate::ApproverPublicKey;
use crate::ssh::NAMESPACE;
use countersign_events::{Principal, ProofKind};

/// The longest file, in bytes.
pub const MAX_FILE_BYTES: usize = 1_048_576;

/// The keys in a file. SSH key lines are those of `allowed_signers` (`ssh-keygen(1)`), such as
/// `user:ada namespaces="countersign" ssh-ed25519 AAAA…`; passkey lines are `user:ada passkey SITE CREDENTIAL KEY`.
#[derive(Debug, Clone, Default)]
pub struct PinnedKeys(Vec<(Principal, ApproverPublicKey)>);

/// The line that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct BadPinnedKey {
    /// The line's number, from 1.
    pub line: usize,
    /// The reason.
    pub why: String,
}

impl PinnedKeys {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, BadPinnedKey> {
        if text.len() > MAX_FILE_BYTES {
            let why = format!("the file has more than {MAX_FILE_BYTES} bytes");
            return Err(BadPinnedKey { line: 1, why });
        }
        let mut keys = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line_text = line.trim();
            if line_text.is_empty() || line_text.starts_with('#') {
                continue;
            }
            keys.extend(read_line(line_text).map_err(|why| BadPinnedKey { line: index + 1, why })?);
        }
        Ok(Self(keys))
    }

    /// Returns true if the file has this key for this person.
    #[must_use]
    pub fn contain(&self, person: &Principal, key: &ApproverPublicKey) -> bool {
        self.0.iter().any(|(pinned, pinned_key)| pinned == person && pinned_key == key)
    }

    /// The number of keys.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

fn read_line(line: &str) -> Result<Vec<(Principal, ApproverPublicKey)>, String> {
    let (people, rest) = line.split_once(char::is_whitespace).ok_or("a line is \"user:NAME KEY\"")?;
    let rest = rest.trim_start();
    let (kind, key) = match rest.strip_prefix("namespaces=") {
        Some(rest) => {
            let (namespaces, key) = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'))
                .ok_or("write the namespaces in quotation marks")?;
            if !namespaces.split(',').any(|namespace| namespace == NAMESPACE) {
                // The line is for other signatures, such as those of git.
                return Ok(Vec::new());
            }
            (ProofKind::Ssh, key.trim_start())
        }
        None if rest.starts_with("passkey ") => (ProofKind::Passkey, rest),
        None => (ProofKind::Ssh, rest),
    };
    let key = ApproverPublicKey::parse(kind, key).map_err(|why| why.to_string())?;
    let person = |name: &str| match name.parse::<Principal>() {
        Ok(person) => Ok((person, key.clone())),
        Err(why) => Err(format!("{name:?} is not a person such as \"user:ada\": {why}")),
    };
    people.split(',').map(person).collect()
}

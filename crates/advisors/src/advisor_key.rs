//! Advisor keys. A policy names a key, and the server operator defines it, because a person who sets the policy from
//! elsewhere must not be able to send any server file or variable to an address of their choice.

use crate::fault::AdviceFault;
use countersign_events::{AdviceFailure, SecretValue};
use countersign_gate::{SecretFile, SecretFileError};
use std::{env, path::Path};

/// The largest key, in bytes.
const MAX_KEY_BYTES: u64 = 8 * 1024;

/// An advisor key. `{:?}` omits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvisorKey {
    text: SecretValue<String>,
}

impl AdvisorKey {
    /// Finds the key with this name: in the variable `COUNTERSIGN_ADVISOR_KEY_NAME`, or in the file that
    /// `COUNTERSIGN_ADVISOR_KEY_NAME_FILE` names.
    pub fn find(name: &str) -> Result<Self, AdviceFault> {
        let variable = variable_name(name)?;
        Self::find_with(&variable, |variable| env::var(variable).ok())
    }

    fn find_with(variable: &str, read: impl Fn(&str) -> Option<String>) -> Result<Self, AdviceFault> {
        let read = |variable: &str| read(variable).filter(|text| !text.is_empty());
        let file = format!("{variable}_FILE");
        let text = match (read(variable), read(&file)) {
            (Some(text), _) => text.into(),
            (None, Some(path)) => read_file(Path::new(&path))
                .map_err(|why| AdviceFault::not_permitted(format!("the key file of {file}: {why}")))?,
            (None, None) => {
                return Err(AdviceFault::not_permitted(format!(
                    "the server has no key: set {variable} or {file}"
                )));
            }
        };
        let text = text.trimmed();
        if text.expose().is_empty() || !text.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AdviceFault::not_permitted(format!(
                "the key of {variable} must be one line of visible ASCII characters"
            )));
        }
        Ok(Self { text })
    }

    /// The `Authorization` header value.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.text.expose())
    }
}

/// Fails if no key can have this name.
pub(crate) fn check_key_name(name: &str) -> Result<(), AdviceFault> {
    variable_name(name).map(|_| ())
}

/// The variable of a key. The policy permits no other names; a name like `x_file` would read the file path as a key.
fn variable_name(name: &str) -> Result<String, AdviceFault> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let variable = name.replace('-', "_").to_ascii_uppercase();
    if name.is_empty() || !name.bytes().all(is_plain) || variable.ends_with("_FILE") {
        return Err(AdviceFault::new(
            AdviceFailure::BadConfiguration,
            "the name of a key has small letters, digits, `-` and `_`, and does not end in `_file`",
        ));
    }
    Ok(format!("COUNTERSIGN_ADVISOR_KEY_{variable}"))
}

/// Reads the file of a key. The group may read it, because systemd and Kubernetes pass secrets to services that way. A pipe would
/// wait for its writer, and every other question would wait too.
fn read_file(path: &Path) -> Result<SecretValue<String>, String> {
    let file = SecretFile { forbidden: 0o027, max_bytes: MAX_KEY_BYTES, may_be_pipe: false };
    file.read_text(path).map_err(|why| match why {
        SecretFileError::Exposed { .. } => {
            "other users can read it, or its group can write to it; run chmod 600 on it".to_owned()
        }
        SecretFileError::TooLarge(_) => "it is too large to be a key".to_owned(),
        why => why.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    fn find(values: &[(&str, &str)]) -> Result<String, String> {
        let read = |name: &str| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let key = AdvisorKey::find_with("COUNTERSIGN_ADVISOR_KEY_M", read);
        key.map(|key| key.bearer()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn key_is_read_from_variable_or_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        fs::write(&path, "from-file\n").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("changed");
        let path_text = path.to_str().expect("UTF-8");
        let (variable, file) = ("COUNTERSIGN_ADVISOR_KEY_M", "COUNTERSIGN_ADVISOR_KEY_M_FILE");
        assert_eq!(find(&[(variable, "sk-1")]).as_deref(), Ok("Bearer sk-1"));
        assert_eq!(find(&[(file, path_text)]).as_deref(), Ok("Bearer from-file"));
        assert_eq!(find(&[(variable, "sk-1"), (file, path_text)]).as_deref(), Ok("Bearer sk-1"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert!(find(&[(file, path_text)]).expect_err("refused").contains("chmod 600"));
        assert!(find(&[]).expect_err("refused").contains(file));
        assert!(find(&[(variable, "a\r\nx-evil: 1")]).expect_err("refused").contains("visible ASCII"));
    }

    #[test]
    fn key_file_that_is_a_pipe_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        let refused = find(&[("COUNTERSIGN_ADVISOR_KEY_M_FILE", path.to_str().expect("UTF-8"))]);
        assert!(refused.expect_err("refused").contains("not a regular file"));
    }

    #[test]
    fn other_variables_cannot_be_named() {
        for name in ["", "../x", "X", "a=b", "a b", "m_file", "m-file"] {
            assert!(variable_name(name).is_err(), "{name}");
        }
        assert_eq!(variable_name("my-models").as_deref(), Ok("COUNTERSIGN_ADVISOR_KEY_MY_MODELS"));
    }

    #[test]
    fn debug_text_omits_the_key() {
        let key = AdvisorKey { text: "sk-1".into() };
        assert_eq!(format!("{key:?}"), "AdvisorKey { text: SecretValue }");
    }
}

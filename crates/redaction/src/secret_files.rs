//! Decides by the file name whether the content is a secret: `/run/secrets/db`, `~/.vault-token`, `.htpasswd`.

use super::{
    keys::{KeyJudgement, SensitiveKeys},
    literal::{holds_code, is_secret, looks_like_password},
    tables::{FILES, SecretPart},
};

/// The secret part of the file content, for a file with this name; `None` if nothing shows that it has one.
pub(crate) fn secret_part_of(keys: &SensitiveKeys, path: &str) -> Option<SecretPart> {
    let path = path.trim_end_matches(['/', '\\']).to_lowercase();
    let (folder, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", &path));
    if FILES.users.iter().any(|known| known == name) {
        return Some(SecretPart::AfterColon);
    }
    let (stem, ending) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((name, ""));
    if !ending.is_empty() && !FILES.endings.iter().any(|known| known == ending) {
        return None;
    }
    let in_folder =
        FILES.folders.iter().any(|known| folder == known || folder.ends_with(&format!("/{known}")));
    let named = FILES.names.iter().any(|known| known == name)
        || keys.judge(stem.trim_start_matches('.')) > KeyJudgement::Weak;
    (in_folder || named).then_some(SecretPart::All)
}

/// Returns true for a content that is one secret: a word that looks like a password, and no path or command.
pub(crate) fn is_secret_content(content: &str) -> bool {
    let content = content.trim();
    looks_like_password(content)
        && is_secret(KeyJudgement::Strong, content)
        && !holds_code(content)
        && !content.contains([';', '|', '&', '<', '>', '(', ')'])
        && !content.starts_with(['.', '/', '-', '#', '~'])
}

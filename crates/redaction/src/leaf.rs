//! Decides whether a JSON leaf is secret because of the keys above it.

use super::{
    keys::KeyJudgement,
    literal::{holds_code, is_secret},
    mask::MASK,
    tables::VALUES,
};

/// Facts about a value that its surroundings determine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafContext {
    /// How the nearest key, or the enclosing object's key, is judged.
    pub(crate) judged: KeyJudgement,
    pub(crate) in_array: bool,
    /// The string that names a program, beside an array of its arguments.
    pub(crate) program: Option<usize>,
}

impl Default for LeafContext {
    fn default() -> Self {
        Self { judged: KeyJudgement::Clear, in_array: false, program: None }
    }
}

/// How an object member under a sensitive key is judged. The whole object is not a secret: its settings stay visible,
/// and other values must look like a secret.
pub(crate) fn judge_member(own: KeyJudgement, around: LeafContext, key: &str) -> KeyJudgement {
    if around.judged == KeyJudgement::Chosen {
        return KeyJudgement::Chosen;
    }
    let inherited = match around.judged {
        KeyJudgement::Strong => KeyJudgement::Short,
        KeyJudgement::Short | KeyJudgement::Weak => KeyJudgement::Weak,
        KeyJudgement::Clear | KeyJudgement::Chosen => KeyJudgement::Clear,
    };
    let is_setting = || VALUES.setting_keys.contains(&key.to_lowercase());
    if own == KeyJudgement::Clear && inherited != KeyJudgement::Clear && is_setting() {
        return KeyJudgement::Clear;
    }
    own.max(inherited)
}

/// Returns true if a string is one secret literal. A string with code is searched for secrets instead.
pub(crate) fn is_secret_text(judged: KeyJudgement, text: &str) -> bool {
    match judged {
        KeyJudgement::Clear => false,
        KeyJudgement::Chosen => !text.is_empty() && !text.contains(MASK),
        _ => is_secret(judged, text) && !holds_code(text.trim()),
    }
}

pub(crate) fn is_secret_number(judged: KeyJudgement, number: &str) -> bool {
    match judged {
        KeyJudgement::Clear | KeyJudgement::Weak => false,
        KeyJudgement::Short => (4..=8).contains(&number.len()),
        KeyJudgement::Strong | KeyJudgement::Chosen => true,
    }
}

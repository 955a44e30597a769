//! What a call does to things outside of the agent, as the log keeps it.

use serde::{Deserialize, Serialize};

/// One effect of a call, as the gate read it from the masked call when it was proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEffect {
    /// What is touched: `file`, `host`, `branch`, `cluster`, `database`, `package`, `process`, `cloud`, or `unknown` for what the call
    /// does not show.
    pub kind: String,
    /// What happens to it, such as `read` or `delete`, as a protection names it. Absent if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// The thing: an absolute path where the call says its folder, a host, a branch, a package.
    pub target: String,
    /// Whether the call certainly does it.
    #[serde(default = "certain", skip_serializing_if = "is_true")]
    pub certain: bool,
}

const fn certain() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_true(flag: &bool) -> bool {
    *flag
}

impl RecordedEffect {
    /// The most effects that are recorded of one call.
    pub const MAX_COUNT: usize = 32;
    /// The longest target that is recorded, in bytes. A longer one is cut.
    pub const MAX_TARGET_BYTES: usize = 256;
    /// The most bytes of all targets of one call.
    pub const MAX_BYTES: usize = 4096;
}

/// A pattern for the targets of effects: `*` is any text and `?` any character, without regard to case. It stands for a whole target, or
/// for the end of one behind a `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectPattern(String);

/// The text is no pattern for the targets of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a pattern for what calls touch has 1 to {} characters, at most {} wildcards and no control characters, such as '.env' or 'src/*.rs'",
    EffectPattern::MAX_CHARS,
    EffectPattern::MAX_WILDCARDS
)]
pub struct InvalidEffectPattern;

impl EffectPattern {
    /// The longest pattern, in characters.
    pub const MAX_CHARS: usize = 256;
    /// The most `*` in a pattern: each may multiply the work.
    pub const MAX_WILDCARDS: usize = 8;

    /// The pattern for `LIKE … ESCAPE '\'`, in lower case.
    #[must_use]
    pub fn to_like(&self) -> String {
        let mut like = String::new();
        for c in self.0.to_lowercase().chars() {
            match c {
                '*' => like.push('%'),
                '?' => like.push('_'),
                '%' | '_' | '\\' => like.extend(['\\', c]),
                other => like.push(other),
            }
        }
        like
    }
}

impl std::str::FromStr for EffectPattern {
    type Err = InvalidEffectPattern;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_valid = !text.is_empty()
            && text.chars().count() <= Self::MAX_CHARS
            && text.matches('*').count() <= Self::MAX_WILDCARDS
            && !text.contains(char::is_control);
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidEffectPattern)
    }
}

impl std::fmt::Display for EffectPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_is_written_for_like() {
        for (pattern, like) in [(".ENV", ".env"), ("src/*.r?", "src/%.r_"), ("a_%\\", r"a\_\%\\")] {
            assert_eq!(
                pattern.parse::<EffectPattern>().map(|p| p.to_like()).as_deref(),
                Ok(like),
                "{pattern}"
            );
        }
        let many = "*".repeat(9);
        for text in ["", "a\nb", many.as_str(), &"x".repeat(257)] {
            assert_eq!(text.parse::<EffectPattern>(), Err(InvalidEffectPattern), "{text:?}");
        }
    }

    #[test]
    fn certain_effects_are_short() {
        let effect = |certain| RecordedEffect {
            kind: "file".to_owned(),
            access: Some("read".to_owned()),
            target: "/x".to_owned(),
            certain,
        };
        let written = |certain| serde_json::to_string(&effect(certain)).expect("JSON");
        assert_eq!(written(true), r#"{"kind":"file","access":"read","target":"/x"}"#);
        assert_eq!(written(false), r#"{"kind":"file","access":"read","target":"/x","certain":false}"#);
        for certain in [true, false] {
            assert_eq!(serde_json::from_str::<RecordedEffect>(&written(certain)).ok(), Some(effect(certain)));
        }
    }
}

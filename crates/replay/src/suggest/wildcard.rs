//! Patterns with a wildcard, and the calls for which they are too wide.

use super::options::MIN_VARIED_VALUES;
use countersign_policy::ScopePattern;
use serde_json::Value;

/// The commands whose arguments hardly matter, and the options that make them write files or run programs. The
/// arguments of every other command name the file that it reads or changes, so a rule lists those exactly: `cat **`
/// would also show `.env`.
const HARMLESS_COMMANDS: &[(&str, &[&str])] = &[
    ("cargo bench", &["--config", "--manifest-path"]),
    ("cargo build", &["--config", "--manifest-path"]),
    ("cargo check", &["--config", "--manifest-path"]),
    ("cargo clippy", &["--config", "--manifest-path"]),
    ("cargo doc", &["--config", "--manifest-path"]),
    ("cargo fmt", &["--config", "--manifest-path"]),
    ("cargo test", &["--config", "--manifest-path"]),
    ("cargo tree", &["--config", "--manifest-path"]),
    ("date", &["-s", "--set", "-f", "--file"]),
    ("df", &[]),
    ("docker images", &[]),
    ("docker ps", &[]),
    ("du", &["--files0-from"]),
    ("git diff", &["--output", "--ext-diff", "--textconv", "--no-index"]),
    ("git log", &["--output", "--ext-diff", "--textconv"]),
    ("git status", &[]),
    ("go build", &["-o", "-exec", "-toolexec", "-overlay"]),
    ("go list", &["-exec", "-toolexec", "-overlay"]),
    ("go test", &["-o", "-exec", "-toolexec", "-overlay"]),
    ("go vet", &["-vettool", "-toolexec", "-overlay"]),
    ("ls", &[]),
    ("npm ls", &[]),
    ("npm test", &["--prefix", "--script-shell"]),
    ("ps", &[]),
    ("pwd", &[]),
    ("systemctl status", &[]),
    ("uname", &[]),
    ("whoami", &[]),
];

/// Paths that a rule for a folder leaves out: hidden files, keys and secrets.
const SENSITIVE_PATHS: &[&str] = &[
    "**/.*",
    "**/.*/**",
    "**/*{secret,Secret,SECRET,credential,Credential,password,token}*",
    "**/id_{rsa,dsa,ecdsa,ed25519}*",
    "**/*.{pem,key,p12,pfx,jks,kdbx,tfvars,tfstate}",
];

/// How a rule uses a wildcard pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WildcardUse {
    /// The pattern matches calls that differ from those that people allowed.
    TooWide,
    /// A rule may have the pattern, with the exception from it.
    Safe { unless: Option<ScopePattern> },
}

/// Tells if a rule may have this wildcard pattern. `values` is the number of different operands that the pattern matches
/// among the allowed calls.
pub(super) fn judge_wildcard(pattern: &ScopePattern, values: usize) -> WildcardUse {
    let selectors: serde_json::Map<String, Value> = pattern.json().read().unwrap_or_default();
    let Some((kind, patterns)) = selectors.iter().next() else { return WildcardUse::TooWide };
    let patterns: Vec<&str> = match patterns {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return WildcardUse::TooWide,
    };
    let left_out = match kind.as_str() {
        "command" => patterns.iter().map(|pattern| find_options(pattern)).collect::<Option<Vec<_>>>(),
        "path" if values < MIN_VARIED_VALUES => None,
        "path" => Some(vec![SENSITIVE_PATHS.iter().map(ToString::to_string).collect()]),
        _ => Some(Vec::new()),
    };
    let Some(left_out) = left_out.map(|patterns| patterns.concat()) else { return WildcardUse::TooWide };
    let unless = if left_out.is_empty() { None } else { ScopePattern::of_operands(kind, left_out) };
    WildcardUse::Safe { unless }
}

/// Patterns for the harmless command's options that a rule leaves out, or `None` for any other command.
fn find_options(pattern: &str) -> Option<Vec<String>> {
    let command = harmless_part(pattern.strip_suffix(" **").unwrap_or(pattern));
    let (_, options) = HARMLESS_COMMANDS.iter().find(|(harmless, _)| *harmless == command)?;
    Some(options.iter().map(|option| format!("{command} *{option}*")).collect())
}

/// The table entry that a suggested command starts with. `ls src **` is a use of `ls`.
fn harmless_part(command: &str) -> &str {
    let is_part =
        |part: &&str| command.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    HARMLESS_COMMANDS.iter().map(|(part, _)| *part).find(is_part).unwrap_or(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn use_of(kind: &str, pattern: &str, values: usize) -> WildcardUse {
        judge_wildcard(&ScopePattern::of_operands(kind, vec![pattern.to_owned()]).expect("a pattern"), values)
    }

    #[test]
    fn wildcard_is_kept_only_for_harmless_commands() {
        for command in ["git status **", "ls **", "ls src **", "cargo test **"] {
            assert_ne!(use_of("command", command, 3), WildcardUse::TooWide, "{command}");
        }
        for command in
            ["cat **", "head **", "cp **", "git push **", "lsof **", "git show **", "cargo publish **"]
        {
            assert_eq!(use_of("command", command, 100), WildcardUse::TooWide, "{command}");
        }
    }

    #[test]
    fn exceptions_of_all_commands_are_patterns() {
        for (command, options) in HARMLESS_COMMANDS {
            let WildcardUse::Safe { unless } = use_of("command", &format!("{command} **"), 3) else {
                panic!("{command} is harmless")
            };
            assert_eq!(unless.is_some(), !options.is_empty(), "{command}");
        }
    }

    #[test]
    fn folder_needs_many_files_and_leaves_out_secrets() {
        assert_eq!(use_of("path", "/srv/**", MIN_VARIED_VALUES - 1), WildcardUse::TooWide);
        let many = use_of("path", "/srv/**", MIN_VARIED_VALUES);
        assert!(matches!(many, WildcardUse::Safe { unless: Some(_) }), "{many:?}");
    }
}

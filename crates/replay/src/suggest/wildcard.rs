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

/// The exception from a rule with this wildcard pattern, or `None` if the pattern is too wide for a rule. `values` is the
/// number of different operands that the pattern matches among the allowed calls.
pub(super) fn find_exception(pattern: &ScopePattern, values: usize) -> Option<Option<ScopePattern>> {
    let selectors: serde_json::Map<String, Value> = pattern.json().read().ok()?;
    let (kind, patterns) = selectors.iter().next()?;
    let patterns: Vec<&str> = match patterns {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    match kind.as_str() {
        "command" => {
            let mut left_out = Vec::new();
            for command in patterns.iter().map(|pattern| pattern.strip_suffix(" **").unwrap_or(pattern)) {
                let (_, options) =
                    HARMLESS_COMMANDS.iter().find(|(harmless, _)| *harmless == harmless_part(command))?;
                left_out
                    .extend(options.iter().map(|option| format!("{} *{option}*", harmless_part(command))));
            }
            Some(exception("command", left_out))
        }
        "path" if values < MIN_VARIED_VALUES => None,
        "path" => Some(exception("path", SENSITIVE_PATHS.iter().map(ToString::to_string).collect())),
        _ => Some(None),
    }
}

/// The entry of the table that a suggested command begins with. `ls src **` is a use of `ls`.
fn harmless_part(command: &str) -> &str {
    let is_part =
        |part: &&str| command.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    HARMLESS_COMMANDS.iter().map(|(part, _)| *part).find(is_part).unwrap_or(command)
}

fn exception(kind: &str, patterns: Vec<String>) -> Option<ScopePattern> {
    if patterns.is_empty() { None } else { ScopePattern::of_operands(kind, patterns) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception_of(kind: &str, pattern: &str, values: usize) -> Option<Option<ScopePattern>> {
        find_exception(&ScopePattern::of_operands(kind, vec![pattern.to_owned()]).expect("a pattern"), values)
    }

    #[test]
    fn wildcard_is_kept_only_for_harmless_commands() {
        for command in ["git status **", "ls **", "ls src **", "cargo test **"] {
            assert!(exception_of("command", command, 3).is_some(), "{command}");
        }
        for command in
            ["cat **", "head **", "cp **", "git push **", "lsof **", "git show **", "cargo publish **"]
        {
            assert!(exception_of("command", command, 100).is_none(), "{command}");
        }
    }

    #[test]
    fn exceptions_of_all_commands_are_patterns() {
        for (command, options) in HARMLESS_COMMANDS {
            let found = exception_of("command", &format!("{command} **"), 3).expect("harmless");
            assert_eq!(found.is_some(), !options.is_empty(), "{command}");
        }
    }

    #[test]
    fn folder_needs_many_files_and_leaves_out_secrets() {
        assert!(exception_of("path", "/srv/**", MIN_VARIED_VALUES - 1).is_none());
        assert!(exception_of("path", "/srv/**", MIN_VARIED_VALUES).expect("kept").is_some());
    }
}

//! Variables before a program that change no more than its messages, or that say in which environment it runs.

use crate::command::line::CommandWord;

/// Variables that are harmless with any value: no program runs, loads, writes or sends anything because of them, nor uses
/// another server, account, folder or configuration.
const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
    "DOTNET_NOLOGO",
    "FORCE_COLOR",
    "GIT_TERMINAL_PROMPT",
    "GOMAXPROCS",
    "GOTRACEBACK",
    "HOMEBREW_NO_AUTO_UPDATE",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "NEXT_TELEMETRY_DISABLED",
    "NO_COLOR",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
    "npm_config_loglevel",
];

/// Variables that select a configuration, which is harmless with one of [`HARMLESS_ENVIRONMENTS`].
const ENVIRONMENTS: &[&str] = &["APP_ENV", "MIX_ENV", "NODE_ENV", "RACK_ENV", "RAILS_ENV"];

/// The environments in which nothing is at stake.
const HARMLESS_ENVIRONMENTS: &[&str] = &["ci", "dev", "development", "test"];

/// Whether the assignment before a program has no effect that a pattern should show. Its value must be known.
pub(in crate::command) fn is_harmless_variable(name: &str, value: &CommandWord) -> bool {
    let Some(value) = value.value().filter(|value| !value.contains(char::is_control)) else { return false };
    HARMLESS.contains(&name) || ENVIRONMENTS.contains(&name) && HARMLESS_ENVIRONMENTS.contains(&value)
}

#[cfg(test)]
mod tests {
    use crate::{CommandPattern, MatchAnswer, ParsedScript, command::match_every};

    fn is_allowed(pattern: &str, line: &str) -> bool {
        let pattern = CommandPattern::new(pattern).expect(pattern);
        match_every(&[pattern], &ParsedScript::parse(line)) == MatchAnswer::Yes
    }

    #[test]
    fn harmless_variables_need_no_pattern() {
        assert!(is_allowed("npm test", "NODE_ENV=test CI=1 npm test"));
        assert!(is_allowed("CI=true node ace test", "CI=true node ace test"));
        assert!(!is_allowed("CI=true node ace test", "node ace test"));
        assert!(!is_allowed("npm test", "NODE_ENV=production npm test"));
        assert!(!is_allowed("npm test", "PATH=/tmp npm test"));
        assert!(!is_allowed("npm test", "NODE_OPTIONS=--require=./x.js npm test"));
        assert!(!is_allowed("npm test", "CI=$(x) npm test"));
        assert!(!is_allowed("npm test", "CI+=1 npm test"));
        assert!(!is_allowed("npm test", "NODE_ENV=test PATH=/tmp npm test"));
    }
}

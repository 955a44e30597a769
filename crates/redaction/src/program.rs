//! Programs with short options that take a secret: `mysql -psecret`, `curl -u user:secret`.

use super::{
    MASK,
    keys::{KeyJudgement, SensitiveKeys, is_count},
};

/// A known program, as an index into [`PROGRAMS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedProgram(usize);

struct ProgramOptions {
    /// The names of the program. A name that ends in `*` is a prefix.
    names: &'static [&'static str],
    /// Options with the secret in the same word.
    joined: &'static str,
    /// Options with the secret in the next word.
    next: &'static str,
}

const PROGRAMS: &[ProgramOptions] = &[
    ProgramOptions { names: &["mysql*", "mariadb*"], joined: "p", next: "" },
    ProgramOptions { names: &["sshpass", "login", "mongo*"], joined: "p", next: "p" },
    ProgramOptions { names: &["curl"], joined: "uUb", next: "uUb" },
    ProgramOptions { names: &["http", "https", "xh", "redis-cli"], joined: "", next: "a" },
    ProgramOptions { names: &["ldap*"], joined: "w", next: "w" },
    ProgramOptions { names: &["sqlcmd", "bcp", "zip", "unzip"], joined: "P", next: "P" },
    ProgramOptions { names: &["7z", "7za", "rar", "unrar"], joined: "p", next: "" },
    ProgramOptions { names: &["smbclient", "rpcclient"], joined: "U", next: "U" },
];

impl NamedProgram {
    /// Finds the program that a word names, with or without its path.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if name.contains(MASK) {
            return None;
        }
        let fits = |known: &&'static str| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *known,
        };
        PROGRAMS.iter().position(|program| program.names.iter().any(fits)).map(Self)
    }

    /// Returns the start of a secret that is joined to its option in `word`.
    pub(super) fn joined_secret_start(self, word: &str) -> Option<usize> {
        let flag = word.strip_prefix('-')?.chars().next()?;
        (PROGRAMS[self.0].joined.contains(flag) && word.len() > 2).then_some(2)
    }

    /// True if the word is an option that takes the next word as its secret. Other short options may be combined with
    /// it, as in `-sSu`.
    fn takes_next_word(self, word: &str) -> bool {
        let Some(flags) = word.strip_prefix('-') else { return false };
        if self.is_curl() && matches!(word, "--user" | "--proxy-user") {
            return true;
        }
        let letters = flags.bytes().all(|byte| byte.is_ascii_alphabetic());
        letters && flags.chars().last().is_some_and(|flag| PROGRAMS[self.0].next.contains(flag))
    }

    fn is_curl(self) -> bool {
        PROGRAMS[self.0].names == ["curl"]
    }
}

/// True if `value` is a secret because of the option before it.
pub(super) fn is_option_secret(
    keys: &SensitiveKeys,
    program: Option<NamedProgram>,
    before: &str,
    value: &str,
) -> bool {
    if !before.starts_with('-') || is_option(value) {
        return false;
    }
    if program.is_some_and(|program| program.takes_next_word(before)) {
        return true;
    }
    let name = before.trim_start_matches('-');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.len() < 2 || !name.bytes().all(plain) {
        return false;
    }
    match keys.judge(name) {
        KeyJudgement::Clear => false,
        KeyJudgement::Secret => true,
        KeyJudgement::Count => !is_count(value),
    }
}

/// True if a word is an option and therefore not the value of one. The first line of a private key is not an option.
fn is_option(word: &str) -> bool {
    let mut letters = word.chars();
    !word.starts_with("-----BEGIN ")
        && letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter == '-' || letter.is_alphabetic())
}

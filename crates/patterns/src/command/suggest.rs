//! Suggests a pattern to a command line's approver.

use super::{
    programs::ProgramTable,
    script::{CommandClarity, CommandOrigin, ParsedScript},
};

/// Programs whose arguments decide which code runs, what is destroyed or where data goes. A pattern for any arguments
/// would allow far more than the command that the approver sees.
const NEVER_SUGGESTED: &[&str] = &[
    "7z",
    "apt",
    "apt-get",
    "awk",
    "brew",
    "bun",
    "chmod",
    "chown",
    "cp",
    "curl",
    "dd",
    "deno",
    "dnf",
    "fd",
    "find",
    "fzf",
    "gawk",
    "gradle",
    "java",
    "jshell",
    "julia",
    "ln",
    "lua",
    "make",
    "man",
    "mawk",
    "mv",
    "mvn",
    "mysql",
    "ninja",
    "node",
    "osascript",
    "perl",
    "php",
    "pip",
    "printf",
    "psql",
    "python",
    "rake",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "ruby",
    "scala",
    "scp",
    "sed",
    "sftp",
    "shred",
    "sort",
    "split",
    "sqlite3",
    "tar",
    "tcpdump",
    "tee",
    "test",
    "truncate",
    "unzip",
    "wget",
    "yum",
    "zip",
];

/// Subcommands that run their arguments, destroy data or can be made to run code.
const UNSAFE_SUBCOMMANDS: &[&str] = &[
    "apply",
    "archive",
    "bisect",
    "clean",
    "clone",
    "config",
    "create",
    "delete",
    "difftool",
    "dlx",
    "eval",
    "exec",
    "fetch",
    "filter",
    "grep",
    "install",
    "mergetool",
    "pull",
    "rebase",
    "run",
    "script",
    "ssh",
    "start",
    "submodule",
    "tool",
    "x",
];

impl ParsedScript {
    /// Suggests a pattern for this command line and similar ones, such as `git status **`. `None` unless the line is a single
    /// literal command, and for programs whose arguments decide which code runs. The pattern does not match a line with an
    /// effect that no pattern shows, such as an assignment, so the caller tries it before an approver sees it.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        suggest_pattern(self)
    }
}

fn suggest_pattern(script: &ParsedScript) -> Option<String> {
    let mut commands = script.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed);
    let (Some(command), None) = (commands.next(), commands.next()) else { return None };
    if command.clarity != CommandClarity::Literal {
        return None;
    }
    let name = command.name()?;
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !text.is_empty();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-+".contains(c));
    // For a program that the table does not list, neither the options nor the effect of the operands are known.
    let is_open = command.reading.is_known() && !command.reading.is_named();
    if !is_name || name.starts_with('-') || !is_open || NEVER_SUGGESTED.contains(&name) {
        return None;
    }
    // Names can end in a version: `python3.12`, `gcc-13`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    if NEVER_SUGGESTED.contains(&bare) {
        return None;
    }
    let has_subcommands = ProgramTable::shared().has_subcommands(name);
    let second = command.words.get(1).map(|word| word.text.as_str());
    match second.filter(|second| plain(second)) {
        Some(second) if has_subcommands && UNSAFE_SUBCOMMANDS.contains(&second) => None,
        Some(second) => Some(format!("{name} {second} **")),
        None if has_subcommands => None,
        None => Some(format!("{name} **")),
    }
}

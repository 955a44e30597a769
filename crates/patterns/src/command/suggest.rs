//! Suggests a pattern to the approver of a command line.

use super::{
    matching::match_every,
    pattern::CommandPattern,
    programs::ProgramTable,
    script::{CommandClarity, CommandOrigin, ParsedScript},
};
use crate::MatchAnswer;

/// Programs whose arguments decide which code runs, what is destroyed or where data goes. A pattern for any arguments
/// would allow far more than the command that the approver sees.
const NEVER_SUGGESTED: &[&str] = &[
    "7z",
    "ansible",
    "apt",
    "apt-get",
    "ash",
    "at",
    "awk",
    "bash",
    "batch",
    "brew",
    "bun",
    "bunx",
    "busybox",
    "chmod",
    "chown",
    "chroot",
    "cp",
    "crontab",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "dnf",
    "doas",
    "ed",
    "emacs",
    "env",
    "ex",
    "expect",
    "fd",
    "find",
    "fish",
    "flock",
    "fzf",
    "gawk",
    "gdb",
    "gradle",
    "ionice",
    "irb",
    "java",
    "jobs",
    "jshell",
    "julia",
    "just",
    "kill",
    "killall",
    "ksh",
    "let",
    "ln",
    "lua",
    "m4",
    "make",
    "man",
    "mawk",
    "mkfs",
    "mksh",
    "mount",
    "mv",
    "mvn",
    "mysql",
    "nc",
    "ncat",
    "netcat",
    "nice",
    "ninja",
    "node",
    "nohup",
    "npx",
    "nsenter",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pip",
    "pip3",
    "pkexec",
    "pkill",
    "pnpx",
    "powershell",
    "printf",
    "psql",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rake",
    "rbash",
    "reboot",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "ruby",
    "runuser",
    "scala",
    "scp",
    "screen",
    "script",
    "sed",
    "setsid",
    "sftp",
    "sh",
    "shred",
    "shutdown",
    "socat",
    "sort",
    "split",
    "sqlite3",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tar",
    "taskset",
    "tclsh",
    "tcpdump",
    "tcsh",
    "tee",
    "telnet",
    "test",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "truncate",
    "unshare",
    "unzip",
    "uvx",
    "vi",
    "vim",
    "watch",
    "wget",
    "xargs",
    "xdg-open",
    "yum",
    "zip",
    "zsh",
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
    /// Suggests a pattern that matches this command line and similar ones, such as `git status **`. `None` unless the
    /// line is a single literal command, and for programs whose arguments decide which code runs.
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
    if !is_name || name.starts_with('-') || NEVER_SUGGESTED.contains(&name) || command.reading.is_named() {
        return None;
    }
    // Names can end in a version: `python3.12`, `gcc-13`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    if NEVER_SUGGESTED.contains(&bare) {
        return None;
    }
    let has_subcommands = ProgramTable::shared().has_subcommands(name);
    let second = command.words.get(1).map(|word| word.text.as_str());
    let pattern = match second.filter(|second| plain(second)) {
        Some(second) if has_subcommands && UNSAFE_SUBCOMMANDS.contains(&second) => {
            return None;
        }
        Some(second) => format!("{name} {second} **"),
        None if has_subcommands => return None,
        None => format!("{name} **"),
    };
    let parsed = CommandPattern::new(&pattern).ok()?;
    (match_every(&[parsed], script) == MatchAnswer::Yes).then_some(pattern)
}

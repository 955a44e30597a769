//! The ways in which programs run their arguments, as data.

/// A way in which a program runs its arguments.
pub(super) struct CodeShape {
    pub(super) program: &'static str,
    /// The first arguments that are no options.
    pub(super) subcommands: &'static [&'static str],
    /// The option, or empty if the subcommands alone run arguments.
    pub(super) option: &'static str,
    /// True if the option counts only before the first subcommand.
    pub(super) leads: bool,
}

const fn option(program: &'static str, option: &'static str) -> CodeShape {
    CodeShape { program, subcommands: &[], option, leads: false }
}

const fn leading(program: &'static str, option: &'static str) -> CodeShape {
    CodeShape { program, subcommands: &[], option, leads: true }
}

const fn subcommand(program: &'static str, subcommands: &'static [&'static str]) -> CodeShape {
    CodeShape { program, subcommands, option: "", leads: false }
}

const fn suboption(
    program: &'static str,
    subcommands: &'static [&'static str],
    option: &'static str,
) -> CodeShape {
    CodeShape { program, subcommands, option, leads: false }
}

/// Options and subcommands that run arguments of their program.
pub(super) const CODE_SHAPES: &[CodeShape] = &[
    option("apt", "-o"),
    option("apt-get", "-o"),
    option("cargo", "--config"),
    subcommand("cargo", &["run"]),
    subcommand("cargo", &["watch"]),
    subcommand("docker", &["compose", "exec"]),
    subcommand("docker", &["compose", "run"]),
    subcommand("docker", &["container", "exec"]),
    subcommand("docker", &["container", "run"]),
    subcommand("docker", &["create"]),
    subcommand("docker", &["exec"]),
    subcommand("docker", &["run"]),
    option("fd", "-X"),
    option("fd", "-x"),
    option("fd", "--exec"),
    option("fd", "--exec-batch"),
    option("find", "-exec"),
    option("find", "-execdir"),
    option("find", "-ok"),
    option("find", "-okdir"),
    subcommand("gh", &["alias"]),
    subcommand("gh", &["extension", "exec"]),
    leading("git", "--config-env"),
    leading("git", "--exec-path"),
    leading("git", "-c"),
    subcommand("git", &["bisect", "run"]),
    subcommand("git", &["config"]),
    subcommand("git", &["difftool"]),
    subcommand("git", &["filter-branch"]),
    subcommand("git", &["mergetool"]),
    suboption("git", &["archive"], "--exec"),
    suboption("git", &["clone"], "--config"),
    suboption("git", &["clone"], "--upload-pack"),
    suboption("git", &["clone"], "-c"),
    suboption("git", &["clone"], "-u"),
    suboption("git", &["fetch"], "--upload-pack"),
    suboption("git", &["grep"], "--open-files-in-pager"),
    suboption("git", &["grep"], "-O"),
    suboption("git", &["ls-remote"], "--upload-pack"),
    suboption("git", &["pull"], "--upload-pack"),
    suboption("git", &["push"], "--exec"),
    suboption("git", &["push"], "--receive-pack"),
    suboption("git", &["rebase"], "--exec"),
    suboption("git", &["rebase"], "-x"),
    subcommand("git", &["submodule", "foreach"]),
    subcommand("kubectl", &["debug"]),
    subcommand("kubectl", &["exec"]),
    subcommand("kubectl", &["run"]),
    option("make", "--eval"),
    option("man", "-H"),
    option("man", "-P"),
    option("man", "--pager"),
    option("node", "-e"),
    option("node", "-p"),
    option("node", "--eval"),
    option("node", "--print"),
    subcommand("npm", &["exec"]),
    subcommand("npm", &["x"]),
    option("perl", "-E"),
    option("perl", "-e"),
    option("php", "-r"),
    subcommand("pnpm", &["dlx"]),
    subcommand("pnpm", &["exec"]),
    subcommand("podman", &["exec"]),
    subcommand("podman", &["run"]),
    subcommand("poetry", &["run"]),
    option("python", "-c"),
    option("python3", "-c"),
    option("rg", "--hostname-bin"),
    option("rg", "--pre"),
    option("rsync", "--rsh"),
    option("rsync", "-e"),
    option("ruby", "-e"),
    option("scp", "-S"),
    option("scp", "-o"),
    option("sftp", "-S"),
    option("sftp", "-o"),
    option("sort", "--compress-program"),
    option("split", "--filter"),
    option("tar", "--checkpoint-action"),
    option("tar", "--info-script"),
    option("tar", "--new-volume-script"),
    option("tar", "--rmt-command"),
    option("tar", "--rsh-command"),
    option("tar", "--to-command"),
    option("tar", "--use-compress-program"),
    option("tar", "-F"),
    option("tar", "-I"),
    subcommand("uv", &["run"]),
    subcommand("uv", &["tool", "run"]),
    option("wget", "--use-askpass"),
    subcommand("yarn", &["dlx"]),
    subcommand("yarn", &["exec"]),
    option("zip", "--unzip-command"),
    option("zip", "-TT"),
];

/// Programs that run their arguments, or change the meaning of other commands, in addition to the runners. A pattern
/// allows one of them only if it spells out the name.
pub(super) const CODE_PROGRAMS: &[&str] = &[
    ".", "-", "alias", "at", "batch", "bind", "builtin", "bunx", "bwrap", "command", "compgen", "complete", "coproc",
    "crontab", "declare", "doas", "enable", "entr", "eval", "exec", "expect", "export", "fc", "firejail", "float",
    "gdb", "getopts", "hash", "history", "integer", "jobs", "let", "local", "mapfile", "nocorrect", "noglob", "npx", "perf",
    "pnpx", "print", "read", "readarray", "readonly", "repeat", "rlwrap", "runuser", "sched", "screen", "script", "set",
    "setopt", "shift", "shopt", "source", "su", "tmux", "trap", "typeset", "unalias", "unhash", "unset", "unsetopt",
    "uvx", "vared", "zle", "zmodload",
];

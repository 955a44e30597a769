//! Programs that only read their arguments as data, unless [`super::code_words`] lists the arguments.

/// Programs that run none of their arguments. For every other program, a `block` rule also searches the arguments.
const KNOWN_PROGRAMS: &[&str] = &[
    ":", "[", "apt", "apt-cache", "apt-get", "arch", "awk", "aws", "az", "b2sum", "base32", "base64", "basename",
    "break", "brew", "bzip2", "cal", "cargo", "cat", "cd", "chgrp", "chmod", "chown", "cksum", "clear", "cmp", "column",
    "comm", "continue", "cp", "csplit", "curl", "cut", "date", "dd", "df", "diff", "dig", "dirname", "dirs",
    "dnf", "docker", "du", "echo", "egrep", "exit", "expand", "expr", "factor", "false", "fgrep", "file", "fmt", "fold",
    "free", "gawk", "gcloud", "gh", "git", "grep", "groups", "gunzip", "gzip", "head", "help", "hexdump", "host",
    "hostname", "htop", "iconv", "id", "install", "join", "jq", "kill", "killall", "kubectl", "less", "link", "ln",
    "locale", "logname", "look", "ls", "lsblk", "lscpu", "lsof", "man", "mawk", "md5", "md5sum", "mkdir", "mkfifo",
    "mktemp", "more", "mv", "netstat", "nl", "nproc", "nslookup", "numfmt", "od", "paste", "patch", "pathchk",
    "pgrep", "ping", "pip", "pip3", "pkill", "popd", "pr", "printenv", "printf", "ps", "psql", "pushd", "pwd",
    "readlink", "realpath", "return", "rev", "rg", "rm", "rmdir", "rustc", "scp", "sed", "seq", "sha1sum", "sha256sum",
    "sha512sum", "shasum", "shred", "shuf", "sleep", "sort", "split", "ss", "stat", "strings", "stty", "sum", "sync",
    "systemctl", "tac", "tail", "tar", "tee", "test", "top", "touch", "tr", "traceroute", "tree", "true", "truncate",
    "tsort", "tty", "type", "ulimit", "umask", "uname", "unexpand", "uniq", "unlink", "unxz", "unzip", "uptime",
    "users", "vmstat", "wait", "wc", "wget", "whereis", "which", "who", "whoami", "xxd", "xz", "yes", "yq", "zcat",
    "zgrep", "zip",
];

/// True if the program runs none of its arguments.
pub(super) fn is_known_program(name: &str) -> bool {
    KNOWN_PROGRAMS.contains(&name)
}

//! The commands that run the command in their arguments.

/// Commands that run the command in their arguments: the name, the options that take a value, and the number of
/// operands before the command.
pub(super) const RUNNERS: &[(&str, &[&str], usize)] = &[
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("nohup", &[], 0),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"], 1),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n"], 0),
    ("time", &["-o", "-f"], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--max-args", "--max-procs", "--replace"], 0),
    ("setsid", &[], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("chroot", &[], 1),
    ("unshare", &[], 0),
    ("nsenter", &["-t"], 0),
    ("strace", &["-o", "-e", "-p", "-s"], 0),
    ("taskset", &[], 1),
    ("chrt", &[], 1),
    ("flock", &["-w", "-E"], 1),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("parallel", &["-j", "-a", "-I"], 0),
    ("watch", &["-n"], 0),
    (
        "ssh",
        &["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-c", "-m", "-b", "-e", "-w", "-S", "-E"],
        1,
    ),
    ("pkexec", &["--user"], 0),
    ("gosu", &[], 1),
    ("su-exec", &[], 1),
    ("fakeroot", &["-l", "-s", "-i"], 0),
    ("setpriv", &[], 0),
    ("prlimit", &[], 0),
    ("dbus-run-session", &[], 0),
    ("xvfb-run", &["-n", "-s"], 0),
    ("valgrind", &[], 0),
    ("ltrace", &["-o", "-e", "-p"], 0),
    ("proxychains", &["-f"], 0),
    ("proxychains4", &["-f"], 0),
    ("torsocks", &[], 0),
    ("unbuffer", &[], 0),
    ("chronic", &[], 0),
    ("ifne", &[], 0),
    ("tini", &[], 0),
    ("dumb-init", &[], 0),
    ("systemd-run", &["-p", "-u", "-E", "--unit", "--property"], 0),
    ("npx", &["-p", "--package"], 0),
    ("coproc", &[], 0),
    ("noglob", &[], 0),
    ("nocorrect", &[], 0),
    ("-", &[], 0),
];

/// Runners that join their words and pass them to a shell.
pub(super) const SHELL_RUNNERS: &[&str] = &["watch", "ssh", "parallel"];

/// True if the command runs the command in its arguments.
pub(super) fn is_runner(name: &str) -> bool {
    RUNNERS.iter().any(|(runner, ..)| *runner == name)
}

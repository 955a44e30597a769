//! Finds out how the program is built, for `countersign version`. What cannot be found out is `unknown`:
//! an archive without git builds as well.

use std::{env, io::Write, process::Command};

fn main() {
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    // An unpacked archive may be inside another repository, whose commits do not describe it.
    let ours = output("git", &["ls-files", "--error-unmatch", "build.rs"]).is_some();
    let git = |args: &[&str]| if ours { output("git", args) } else { None };
    // Packagers who build from an archive may know.
    let commit = env::var("COUNTERSIGN_COMMIT").ok().or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    let committed = git(&["log", "-1", "--format=%cI"]);
    let rustc = output(&variable("RUSTC"), &["--version"]);
    let mut lines = vec![
        fact("COMMIT", commit),
        fact("COMMITTED", committed),
        fact("TARGET", Some(variable("TARGET"))),
        fact("PROFILE", Some(variable("PROFILE"))),
        fact("RUSTC", rustc),
        "cargo::rerun-if-changed=build.rs".to_owned(),
        "cargo::rerun-if-env-changed=COUNTERSIGN_COMMIT".to_owned(),
    ];
    // The log of HEAD grows with every commit and every checkout, in a worktree too.
    let log = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]);
    // A missing one would be seen as changed every time.
    if let Some(path) = log.filter(|path| std::path::Path::new(path).exists()) {
        lines.push(format!("cargo::rerun-if-changed={path}"));
    }
    let mut cargo = std::io::stdout().lock();
    for line in lines {
        let _ = writeln!(cargo, "{line}");
    }
}

fn fact(name: &str, value: Option<String>) -> String {
    format!("cargo::rustc-env=COUNTERSIGN_BUILD_{name}={}", value.unwrap_or_else(|| "unknown".to_owned()))
}

fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}

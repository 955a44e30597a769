//! Compares the parser of command lines with real shells. A line that the patterns allow runs in a sandbox, where it must
//! run only the programs that the patterns show, and write nothing.
//!
//! `COUNTERSIGN_DIFFERENTIAL_LINES` sets the number of random lines, and `COUNTERSIGN_TEST_SEED` the seed.

mod adversarial;
mod generator;
mod judge;
mod lines;
mod sandbox;

use countersign_tests::Random;
use judge::{AllowedPatterns, find_faults};
use sandbox::{SHELLS, Sandbox, ShellVariant, find_program};
use std::{collections::BTreeSet, thread};

/// The number of random lines, if the environment does not set it.
const USUAL_LINES: usize = 2000;
/// The memory that the test may use, so that a parser without a budget ends only this test.
const MEMORY_LIMIT: u64 = 1 << 30;
/// The maximum number of faults that a failure shows.
const SHOWN_FAULTS: usize = 60;

/// Names of programs that have a stub in every run.
const USUAL_NAMES: &[&str] =
    &["rm", "touch", "reboot", "sh", "bash", "dash", "zsh", "busybox", "env", "[", "git", "ls"];

/// The figures of one run.
#[derive(Debug, Default)]
struct RunReport {
    lines: usize,
    allowed: usize,
    runs: usize,
    stopped: usize,
    faults: Vec<String>,
}

impl RunReport {
    fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        self.allowed += other.allowed;
        self.runs += other.runs;
        self.stopped += other.stopped;
        self.faults.extend(other.faults);
    }

    fn check(&self) {
        show(&format!(
            "{} lines, {} allowed, {} runs, {} stopped, {} faults",
            self.lines,
            self.allowed,
            self.runs,
            self.stopped,
            self.faults.len()
        ));
        let shown: Vec<_> = self.faults.iter().take(SHOWN_FAULTS).map(String::as_str).collect();
        assert!(
            shown.is_empty(),
            "{} allowed lines did more than shown:\n{}",
            self.faults.len(),
            shown.join("\n")
        );
    }
}

/// Shows a message that explains a test result.
#[expect(clippy::print_stderr, reason = "the test runner shows it with the result of the test")]
fn show(text: &str) {
    eprintln!("{text}");
}

/// Limits the memory of this process.
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(MEMORY_LIMIT), maximum: Some(MEMORY_LIMIT) };
    setrlimit(Resource::As, limit).expect("a limit of memory");
}

/// The shells that are installed.
fn installed_shells() -> Vec<ShellVariant> {
    let (found, missing): (Vec<ShellVariant>, Vec<ShellVariant>) =
        SHELLS.iter().partition(|shell| find_program(shell.program).is_some());
    for shell in missing {
        show(&format!("{} is not installed, and not compared", shell.name));
    }
    found
}

/// Every name that a line could run as a program.
fn program_names<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let is_name = |name: &&str| (1..=24).contains(&name.len()) && !matches!(*name, "." | "..");
    let mut names: BTreeSet<String> = USUAL_NAMES.iter().map(|&name| name.to_owned()).collect();
    for line in lines {
        let parts = line.split(|c: char| !c.is_ascii_alphanumeric() && !"_.-+".contains(c));
        names.extend(parts.filter(is_name).map(str::to_owned));
    }
    names
}

/// Starts a sandbox, or explains why there is none.
fn start_sandbox(names: &BTreeSet<String>) -> Option<Sandbox> {
    match Sandbox::start(names.clone()) {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            show(&format!("skipped: this machine permits no sandbox of namespaces ({error})"));
            None
        }
    }
}

/// Judges all lines and runs those that are allowed.
fn compare_lines(lines: &[String]) -> RunReport {
    limit_memory();
    let names = program_names(lines.iter().map(String::as_str));
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(4));
    let chunk = lines.len().div_ceil(workers).max(1);
    let mut report = RunReport::default();
    thread::scope(|scope| {
        let tasks: Vec<_> =
            lines.chunks(chunk).map(|lines| scope.spawn(|| compare_chunk(lines, &names))).collect();
        for task in tasks {
            report.merge(task.join().expect("a worker"));
        }
    });
    report
}

fn compare_chunk(lines: &[String], names: &BTreeSet<String>) -> RunReport {
    let mut report = RunReport { lines: lines.len(), ..RunReport::default() };
    let Some(mut sandbox) = start_sandbox(names) else { return report };
    let (patterns, shells) = (AllowedPatterns::new(), installed_shells());
    for line in lines.iter().filter(|line| patterns.allow(line)) {
        report.allowed += 1;
        // No shell can be given a NUL.
        for shell in shells.iter().filter(|_| !line.contains('\0')) {
            let effects = sandbox.run(*shell, line);
            report.runs += 1;
            report.stopped += usize::from(effects.is_stopped);
            let faults = find_faults(&effects);
            if !faults.is_empty() {
                report.faults.push(format!("{line:?} in {}: {}", shell.name, faults.join(", ")));
            }
        }
    }
    report
}

#[test]
fn sandbox_records_programs_and_files() {
    let names = program_names(["rm z"].into_iter());
    let Some(mut sandbox) = start_sandbox(&names) else { return };
    for shell in installed_shells() {
        let effects = sandbox.run(shell, "rm 'a  b' ''; /bin/rm x & echo x > victim");
        let mut commands = effects.commands.clone();
        commands.sort();
        assert_eq!(commands, [vec!["rm", "a  b", ""], vec!["rm", "x"]], "{}", shell.name);
        assert_eq!(effects.changed, ["work/victim"], "{}", shell.name);
        assert_eq!(find_faults(&effects).len(), 3, "{}", shell.name);
        let effects = sandbox.run(shell, "ls >/dev/null; while ls; do ls; done");
        assert!(
            !effects.is_stopped && find_faults(&effects).is_empty(),
            "{}: {:?}",
            shell.name,
            find_faults(&effects)
        );
    }
}

#[test]
fn listed_lines_do_only_what_patterns_show() {
    let listed = lines::KNOWN.iter().copied().chain(lines::INNOCENT.iter().copied());
    let lines: Vec<_> = listed.chain(adversarial::lines()).map(str::to_owned).collect();
    compare_lines(&lines).check();
}

#[test]
fn random_lines_do_only_what_patterns_show() {
    let count = std::env::var("COUNTERSIGN_DIFFERENTIAL_LINES").ok().and_then(|count| count.parse().ok());
    let mut random = Random::seeded_from_environment(12);
    let mut lines = Vec::new();
    lines.resize_with(count.unwrap_or(USUAL_LINES), || generator::random_line(&mut random));
    compare_lines(&lines).check();
}

#[test]
fn hostile_lines_are_judged_within_memory_limit() {
    limit_memory();
    let patterns = AllowedPatterns::new();
    for line in lines::HOSTILE {
        assert!(!patterns.allow(line), "{line:?}");
    }
}

#[test]
fn innocent_lines_are_rarely_asked() {
    let patterns = AllowedPatterns::new();
    let asked: Vec<_> = lines::INNOCENT.iter().filter(|line| !patterns.allow(line)).collect();
    show(&format!("{} of {} innocent lines are asked: {asked:#?}", asked.len(), lines::INNOCENT.len()));
    assert!(asked.len() * 10 <= lines::INNOCENT.len(), "more than a tenth of the innocent lines are asked");
}

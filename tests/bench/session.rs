//! How long a verdict takes for a coding session's calls, most of which are command lines.

use crate::{
    lab::LabOutcome,
    table::{BenchRow, BenchSamples},
};
use countersign_events::{Json, Place, Principal, ThreadId, ToolName};
use countersign_policy::{JudgedCall, Policy, PolicyProfile};
use std::{fmt::Write as _, hint::black_box, time::Duration, time::Instant};

/// The calls that the profile `coding` allows: tool, tab, arguments.
const CALLS: &str = include_str!("../../crates/policy/src/tests/data/harmless_calls.tsv");
const PROTECTIONS: usize = 50;

/// The rows for the profile `coding`, and for `rules` beside 50 protections.
pub(crate) fn run(rules: &str, quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let rounds = if quick { 2 } else { 100 };
    let bare = time(&Policy::ask_always(), rounds)?;
    let guarded = Policy::read(&format!("{rules}\n{}", protections()))?;
    let row = |what: &str, policy: &Policy| -> LabOutcome<BenchRow> {
        let (median, last) = time(policy, rounds)?;
        let most = Duration::from_micros(60);
        Ok(BenchRow {
            what: format!("{what}, median of {} calls", CALLS.lines().count() * rounds),
            measured: format!("{:.1} µs, 99 % within {:.0} µs", micros(median), micros(last)),
            raw: format!("{:.1} µs, no rules", micros(bare.0)),
            ratio: Some(micros(median) / micros(bare.0)),
            target: "≤ 60 µs",
            met: Some(median <= most),
        })
    };
    Ok(vec![
        row("a verdict of `coding` on a coding session's calls", &PolicyProfile::Coding.policy())?,
        row("the same calls with 500 rules and 50 protections", &guarded)?,
    ])
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

/// The median, and the time within which 99 of 100 verdicts are reached.
fn time(policy: &Policy, rounds: usize) -> LabOutcome<(Duration, Duration)> {
    let (thread, principal) = (ThreadId::new("conversation-7")?, Principal::agent("builder"));
    let folder = Some("/srv/shop".to_owned());
    let place = Place { project: folder.clone(), folder, ..Place::default() };
    let mut calls = Vec::new();
    for line in CALLS.lines().filter(|line| !line.starts_with('#')) {
        let (tool, arguments) = line.split_once('\t').ok_or("a line without a tab")?;
        calls.push((ToolName::new(tool)?, Json::parse(arguments)?));
    }
    let mut taken = BenchSamples::default();
    for _ in 0..rounds {
        for (tool, arguments) in &calls {
            let subject = JudgedCall {
                thread: &thread,
                principal: &principal,
                tool,
                place: Some(&place),
                arguments,
                redacted: &[],
                annotations: None,
                impact: None,
                definition: None,
            };
            let start = Instant::now();
            black_box(policy.judge(black_box(&subject), &|| false));
            taken.add(start.elapsed());
        }
    }
    Ok((taken.median(), taken.p99()))
}

/// Protections of every kind, none of which any of the calls meets.
fn protections() -> String {
    let mut text = String::new();
    for n in 0..PROTECTIONS {
        let things = match n % 5 {
            0 => format!("path = [\"**/.env{n}\", \"~/.aws{n}/**\"]\nfolders = \"ignore\""),
            1 => format!("host = \"*.prod{n}.example.com\""),
            2 => format!(
                "git = {{ branch = [\"main{n}\", \"release{n}/*\"], change = [\"force\", \"delete\"] }}"
            ),
            3 => {
                format!("kubernetes = {{ context = \"prod{n}*\", except = [\"get\", \"list\", \"watch\"] }}")
            }
            _ => format!("sql = {{ database = \"prod{n}*\", statements = [\"write\", \"schema\"] }}"),
        };
        let _ = writeln!(text, "[[protect]]\nname = \"protection {n}\"\n{things}\nverdict = \"block\"\n");
    }
    text
}

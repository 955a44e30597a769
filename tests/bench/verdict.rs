//! How long a verdict takes: with the shipped policy, with 500 rules, with 50 CEL conditions, and for a coding session's
//! calls.

use crate::{
    lab::LabOutcome,
    session,
    table::{BenchRow, BenchSamples},
};
use countersign_events::{Json, Place, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use std::{fmt::Write as _, hint::black_box, time::Duration, time::Instant};

const RULES: usize = 500;
const CONDITIONS: usize = 50;
const CALL: &str = r#"{"command": "git status -s && cargo test --workspace | tail -5", "cwd": "/srv/app",
        "url": "https://docs.example.com/a/b?page=2", "path": "/srv/app/src/lib.rs", "amount": 120}"#;

pub(crate) fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let samples = if quick { 200 } else { 20_000 };
    let bare = time("", samples)?;
    let most = Duration::from_micros(50);
    let row_of_500 = |what: &str, policy: &str| row(what, policy, samples, bare, most, "≤ 50 µs");
    let shipped = Policy::shipped().text().text.clone();
    let mut rows = vec![
        row(
            "a verdict with the shipped policy",
            &shipped,
            samples,
            bare,
            Duration::from_micros(5),
            "≤ 5 µs",
        )?,
        row_of_500("a verdict with 500 rules", &mixed_rules())?,
        row_of_500(
            "the same, all 500 on the same command",
            &rules_on_one_operand("command = \"deploy-N *\""),
        )?,
        row_of_500(
            "the same, all 500 on the same URL",
            &rules_on_one_operand("url = \"https://*.example-N.com/*\""),
        )?,
        row_of_500("the same, all 500 on the same path", &rules_on_one_operand("path = \"/srv/app-N/**\""))?,
        row(
            "a verdict with 50 CEL rules",
            &cel_rules(),
            samples,
            bare,
            Duration::from_micros(200),
            "≤ 200 µs",
        )?,
    ];
    rows.extend(session::run(&mixed_rules().replace("\"bash\"", "\"Bash\""), quick)?);
    Ok(rows)
}

fn row(
    what: &str,
    policy: &str,
    samples: usize,
    bare: Duration,
    most: Duration,
    target: &'static str,
) -> LabOutcome<BenchRow> {
    let median = time(policy, samples)?;
    Ok(BenchRow {
        what: format!("{what}, median of {samples}"),
        measured: format!("{:.1} µs", micros(median)),
        raw: format!("{:.1} µs, no rules", micros(bare)),
        ratio: Some(micros(median) / micros(bare)),
        target,
        met: Some(median <= most),
    })
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

/// Returns the median time of a verdict on [`CALL`].
fn time(policy: &str, samples: usize) -> LabOutcome<Duration> {
    let policy = Policy::read(policy)?;
    let (thread, tool) = (ThreadId::new("conversation-7")?, ToolName::new("bash")?);
    let (principal, arguments) = (Principal::agent("builder"), Json::parse(CALL)?);
    let place = Place::folder("/srv/app");
    let subject = JudgedCall {
        thread: &thread,
        principal: &principal,
        tool: &tool,
        place: Some(&place),
        arguments: &arguments,
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
    };
    let mut taken = BenchSamples::default();
    for _ in 0..samples {
        let start = Instant::now();
        let judgement = black_box(policy.judge(black_box(&subject), &|| false));
        taken.add(start.elapsed());
        if judgement.verdict == Verdict::Block {
            return Err(format!("no rule blocks this call, but the verdict is {judgement:?}").into());
        }
    }
    Ok(taken.median())
}

/// Returns rules on the same operand of the same tool, each with its own pattern.
fn rules_on_one_operand(selector: &str) -> String {
    let mut text = String::new();
    for n in 0..RULES {
        let (verdict, selector) = (["allow", "ask", "block"][n % 3], selector.replace('N', &n.to_string()));
        let _ = writeln!(
            text,
            "[[rule]]\nname = \"rule {n}\"\ntool = \"bash\"\n{selector}\nverdict = \"{verdict}\"\n"
        );
    }
    text
}

/// Returns rules of all kinds, in realistic shares: most for other tools, many for the shell.
fn mixed_rules() -> String {
    let mut text = String::new();
    for n in 0..RULES {
        let selectors = match n % 10 {
            0 => {
                format!("tool = \"bash\"\ncommand = [\"git status*\", \"deploy-{n} *\"]\nverdict = \"allow\"")
            }
            1 => format!("tool = \"bash\"\ncommand = \"rm-{n} *\"\nverdict = \"block\""),
            2 => format!(
                "tool = \"bash\"\nargs = {{ \"/amount\" = {{ gt = {} }} }}\nverdict = \"ask\"",
                n + 1_000
            ),
            3 => format!("tool = \"fetch-*\"\nurl = \"https://*.example-{n}.com/*\"\nverdict = \"allow\""),
            4 => format!("tool = [\"write-{n}\", \"edit-{n}\"]\npath = \"/srv/{n}/**\"\nverdict = \"ask\""),
            _ => format!("tool = \"tool-{n}-*\"\nverdict = \"allow\""),
        };
        let _ = writeln!(text, "[[rule]]\nname = \"rule {n}\"\n{selectors}\n");
    }
    text
}

fn cel_rules() -> String {
    let mut text = String::new();
    for n in 0..CONDITIONS {
        let _ = writeln!(
            text,
            "[[rule]]\nname = \"condition {n}\"\ntool = \"bash\"\nverdict = \"ask\"\n\
             when = \"args.amount > {} && args.command.contains('deploy')\"\n",
            100 + n
        );
    }
    text
}

//! `countersign policy test`

use super::{
    Meant,
    cases::{self, Otherwise, Trial},
    count, text_of, word,
};
use crate::{
    args::Args,
    exit::{Exit, Said},
    output::{self, visible},
    screen::{Screen, Style},
};
use serde_json::json;
use std::path::PathBuf;

/// Which cases.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A file of cases is TOML, a table for each: [[case]] with `verdict`, `tool` and `args`, or `command`, `url`, `path` for \
the argument of that name; if need be `name`, `rule` (that has to decide), `thread`, `principal`, `annotations`, \
`impact`, `definition`. It exits with 1 if any case fails, and with 2 if an example of the policy does, as then the \
policy is none.

JSON: {\"policy\", \"examples\": how many hold, \"cases\": how many there are, \"failures\": [{\"file\", \"line\", \"name\", \
\"expected\": {\"verdict\", \"rule\"}, \"actual\": {\"verdict\", \"rule\", \"reason\"}}]}")]
pub(crate) struct Test {
    /// Files of cases, - for stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

struct Failure {
    file: String,
    trial: Trial,
    actual: Otherwise,
}

pub(crate) fn test(args: &Args, wish: &Test) -> anyhow::Result<Exit> {
    // Its examples are checked wherever a policy is read.
    let meant = Meant::by(args)?;
    let examples = examples(&meant.text);
    let (mut cases, mut failures) = (0, Vec::new());
    for path in &wish.files {
        let file = path.display().to_string();
        let trials = cases::read(&text_of(path)?).map_err(|why| Said::usage(format!("{file}: {why}")))?;
        for trial in trials {
            cases += 1;
            if let Some(actual) = trial.fails(&meant.policy) {
                failures.push(Failure { file: file.clone(), trial, actual });
            }
        }
    }
    if args.json {
        let failures: Vec<_> = failures.iter().map(Failure::as_json).collect();
        let told = json!({"policy": meant.file, "examples": examples, "cases": cases, "failures": failures});
        output::say(&told.to_string());
    } else {
        let screen = Screen::of(args);
        for failure in &failures {
            output::say(&failure.as_text(&screen));
        }
        let failed = failures.len() as u64;
        let held = format!("{} and {} hold", count(examples, "example"), count(cases - failed, "case"));
        let rest = if failed > 0 { format!("; {} failed", count(failed, "case")) } else { String::new() };
        output::say(&format!("{}: {held}{rest}.", visible(meant.name())));
    }
    Ok(if failures.is_empty() { Exit::DONE } else { Exit::FAILED })
}

impl Failure {
    fn as_json(&self) -> serde_json::Value {
        let Self { file, trial, actual } = self;
        json!({
            "file": file,
            "line": trial.line,
            "name": trial.name,
            "expected": {"verdict": trial.verdict, "rule": trial.rule},
            "actual": {"verdict": actual.verdict, "rule": actual.rule, "reason": actual.reason},
        })
    }

    fn as_text(&self, screen: &Screen) -> String {
        let Self { file, trial, actual } = self;
        let said = |verdict, rule: &Option<String>| match rule {
            Some(rule) => format!("{} by {}", word(verdict), visible(rule)),
            None => word(verdict).to_owned(),
        };
        format!(
            "{} {}:{} {}\n  expected {}\n  but it is {}: {}",
            screen.paint(Style::Red, "failed"),
            visible(file),
            trial.line,
            visible(&trial.name),
            said(trial.verdict, &trial.rule),
            said(actual.verdict, &actual.rule),
            visible(&actual.reason),
        )
    }
}

/// How many examples stand in a policy that was read, so that somebody sees that they were looked at.
fn examples(text: &str) -> u64 {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let rules = table.get("rule").and_then(toml::Value::as_array).into_iter().flatten();
    let lists = rules.filter_map(|rule| rule.get("examples")?.as_table()).flat_map(toml::Table::values);
    lists.map(|list| list.as_array().map_or(1, |list| list.len() as u64)).sum()
}

//! `countersign policy test`

use super::cases;
use crate::commands::policy::{
    cases::{PolicyTrial, UnexpectedVerdict},
    source::{PolicySource, read_text},
};
use countersign_console::{
    CliError, CommandContext, CommandExit, ScreenFormat, TextStyle, count_words, escape_text, print_line,
    verdict_word,
};
use serde_json::json;
use std::path::PathBuf;

/// Options of `policy test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A file of cases is TOML with a table for each case: [[case]] with `verdict`, `tool` and `args`, or `command`, `url`, `path` for \
the argument of that name; if need be `name`, `rule` (that has to decide), `thread`, `principal`, `annotations`, \
`impact`, `definition`. It exits with 1 if a case fails, and with 2 if an example in the policy fails, because the \
policy is then invalid.

JSON: {\"policy\", \"examples\": how many hold, \"cases\": how many there are, \"failures\": [{\"file\", \"line\", \"name\", \
\"expected\": {\"verdict\", \"rule\"}, \"actual\": {\"verdict\", \"rule\", \"reason\"}}]}")]
pub(crate) struct PolicyTestArgs {
    /// Files of cases, - for stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

struct CaseFailure {
    file: String,
    trial: PolicyTrial,
    actual: UnexpectedVerdict,
}

pub(crate) async fn test_policy(
    context: &CommandContext,
    args: &PolicyTestArgs,
) -> anyhow::Result<CommandExit> {
    // Reading a policy checks its examples.
    let meant = PolicySource::find(context).await?;
    let text = meant.policy.text();
    let layers = text.layers.iter().map(|layer| &layer.text);
    let examples = std::iter::once(&text.text).chain(layers).map(|text| examples(text)).sum();
    let (mut cases, mut failures) = (0, Vec::new());
    for path in &args.files {
        let file = path.display().to_string();
        let trials =
            cases::read(&read_text(path)?).map_err(|why| CliError::usage(format!("{file}: {why}")))?;
        for trial in trials {
            cases += 1;
            if let Some(actual) = trial.fails(&meant.policy) {
                failures.push(CaseFailure { file: file.clone(), trial, actual });
            }
        }
    }
    if context.json {
        let failures: Vec<_> = failures.iter().map(CaseFailure::as_json).collect();
        let told = json!({"policy": meant.file, "examples": examples, "cases": cases, "failures": failures});
        print_line(&told.to_string());
    } else {
        let screen = context.screen();
        for failure in &failures {
            print_line(&failure.as_text(&screen));
        }
        let failed = failures.len() as u64;
        let held =
            format!("{} and {} hold", count_words(examples, "example"), count_words(cases - failed, "case"));
        let rest =
            if failed > 0 { format!("; {} failed", count_words(failed, "case")) } else { String::new() };
        print_line(&format!("{}: {held}{rest}.", escape_text(meant.name())));
    }
    Ok(if failures.is_empty() { CommandExit::DONE } else { CommandExit::FAILED })
}

impl CaseFailure {
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

    fn as_text(&self, screen: &ScreenFormat) -> String {
        let Self { file, trial, actual } = self;
        let said = |verdict, rule: &Option<String>| match rule {
            Some(rule) => format!("{} by {}", verdict_word(verdict), escape_text(rule)),
            None => verdict_word(verdict).to_owned(),
        };
        format!(
            "{} {}:{} {}\n  expected {}\n  actual   {}: {}",
            screen.paint(TextStyle::Red, "failed"),
            escape_text(file),
            trial.line,
            escape_text(&trial.name),
            said(trial.verdict, &trial.rule),
            said(actual.verdict, &actual.rule),
            escape_text(&actual.reason),
        )
    }
}

/// The number of examples in a policy, which the summary prints.
fn examples(text: &str) -> u64 {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let rules = table.get("rule").and_then(toml::Value::as_array).into_iter().flatten();
    let lists = rules.filter_map(|rule| rule.get("examples")?.as_table()).flat_map(toml::Table::values);
    lists.map(|list| list.as_array().map_or(1, |list| list.len() as u64)).sum()
}

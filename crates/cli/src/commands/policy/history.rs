//! `countersign policy history`

use super::recorded_policy::{NOT_RECORDED, RecordedPolicy, for_each_policy};
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, escape_text, print_json, print_line,
};
use countersign_events::{Principal, Sha256, Timestamp};
use countersign_policy::Policy;
use serde::Serialize;
use std::collections::VecDeque;

/// Options of `policy history`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The oldest policy comes first, and the last one is active. `policy show --seq N` shows a text.

JSON: {\"policies\": [{\"seq\", \"at\", \"principal\", \"hash\", \"source\", \"rules\": how many, null if this version cannot \
read them, \"layers\": [names]}], \"omitted\": how many older ones -n leaves out}")]
pub(crate) struct PolicyHistoryArgs {
    /// The number of policies to show, the latest ones
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// A policy without its source.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicySummary {
    seq: i64,
    at: Timestamp,
    principal: Principal,
    hash: Sha256,
    source: String,
    rules: Option<usize>,
    layers: Vec<String>,
}

pub(crate) async fn list_policies(
    context: &CommandContext,
    args: &PolicyHistoryArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let (mut latest, mut omitted) = (VecDeque::new(), 0_u64);
    for_each_policy(&gate, |policy| {
        latest.push_back(policy);
        if latest.len() > limit {
            latest.pop_front();
            omitted += 1;
        }
    })
    .await?;
    let policies: Vec<_> = latest.into_iter().map(PolicySummary::from).collect();
    if context.json {
        print_json(&serde_json::json!({"policies": policies, "omitted": omitted}))?;
        return Ok(CommandExit::DONE);
    }
    if policies.is_empty() {
        print_line(NOT_RECORDED);
        return Ok(CommandExit::DONE);
    }
    print_line(&policy_table(&policies).format(&context.screen()));
    if omitted > 0 {
        print_line(&format!("{omitted} older: -n shows more of them."));
    }
    Ok(CommandExit::DONE)
}

impl From<RecordedPolicy> for PolicySummary {
    fn from(policy: RecordedPolicy) -> Self {
        let rules = Policy::read_text(policy.texts()).ok().map(|policy| policy.rules());
        let RecordedPolicy { seq, at, principal, hash, source, layers, .. } = policy;
        let layers = layers.into_iter().map(|layer| layer.name).collect();
        Self { seq, at, principal, hash, source, rules, layers }
    }
}

fn policy_table(policies: &[PolicySummary]) -> TextTable {
    let mut table = TextTable::new(&[
        ("SEQ", ColumnFit::Number),
        ("WHEN", ColumnFit::Whole),
        ("BY", ColumnFit::Wrapped),
        ("RULES", ColumnFit::Number),
        ("SHA-256", ColumnFit::Whole),
        ("SOURCE", ColumnFit::Wrapped),
    ]);
    for (index, policy) in policies.iter().enumerate() {
        let layers = match policy.layers.as_slice() {
            [] => String::new(),
            names => format!(" with {}", names.join(", ")),
        };
        let in_force = if index + 1 == policies.len() { " (active)" } else { "" };
        let hash = policy.hash.to_string();
        table.add_row([
            policy.seq.to_string().into(),
            policy.at.to_string().into(),
            escape_text(policy.principal.as_str()).into(),
            policy.rules.map_or_else(|| "?".to_owned(), |rules| rules.to_string()).into(),
            hash.get(..12).unwrap_or(&hash).to_owned().into(),
            format!("{}{}{in_force}", escape_text(&policy.source), escape_text(&layers)).into(),
        ]);
    }
    table
}

//! `countersign advisor list`

use crate::pages::print_list;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{ColumnFit, CommandContext, CommandExit, TextTable, escape_text};
use countersign_events::AdvisorMode;

/// Options of `advisor list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"policy\", \"advisors\": [{\"name\", \"protocol\", \"target\", \"policyMode\", \"mode\": the one in effect, \"why\", \
\"outcomes\", \"timeoutMillis\", \"concurrency\", \"cacheSeconds\", \"minCases\", \"maxFalseAllows\", \"maxOverruled\", \"configuration\", \
\"report\": the last one, \"drift\": {\"answered\", \"overruled\", \"complaints\", \"share\", \"exceeds\"}}]}"
)]
pub(crate) struct AdvisorListArgs {}

pub(super) async fn list_advisors(
    context: &CommandContext,
    _: &AdvisorListArgs,
) -> anyhow::Result<CommandExit> {
    let list = context.connect().await?.send(operations::ListAdvisors {}).await?;
    print_list(context, &list, &advisor_table(&list.advisors), "The active policy has no advisors.")
}

fn advisor_table(advisors: &[api::Advisor]) -> TextTable {
    let mut table = TextTable::new(&[
        ("NAME", ColumnFit::Whole),
        ("PROTOCOL", ColumnFit::Whole),
        ("TARGET", ColumnFit::Wrapped),
        ("MODE", ColumnFit::Whole),
        ("MAY ANSWER", ColumnFit::Wrapped),
        ("BECAUSE", ColumnFit::Wrapped),
        ("REPORT", ColumnFit::Wrapped),
        ("CONTRADICTED", ColumnFit::Wrapped),
    ]);
    for advisor in advisors {
        let outcomes: Vec<_> = advisor.outcomes.iter().map(|outcome| outcome.as_str()).collect();
        let may_answer = if advisor.policy_mode == AdvisorMode::Decide {
            outcomes.join(", ")
        } else {
            "nothing".to_owned()
        };
        table.add_row(vec![
            escape_text(&advisor.name).into(),
            advisor.protocol.as_str().into(),
            escape_text(&advisor.target).into(),
            advisor.mode.as_str().into(),
            may_answer.into(),
            escape_text(&advisor.why).into(),
            advisor.report.as_ref().map_or("none".to_owned(), describe_report).into(),
            describe_drift(advisor).into(),
        ]);
    }
    table
}

fn describe_report(report: &api::AdvisorReport) -> String {
    let counts = &report.counts;
    format!(
        "{} of {} agreed, {} false allows, {} false denials, {} asked ({})",
        counts.agreed,
        counts.cases,
        counts.false_allows,
        counts.false_denials,
        counts.asked,
        counts.source.as_str()
    )
}

fn describe_drift(advisor: &api::Advisor) -> String {
    let drift = &advisor.drift;
    if drift.answered == 0 {
        return "none".to_owned();
    }
    let contradicted = drift.overruled + drift.complaints;
    let too_many = if drift.exceeds { ", too many" } else { "" };
    format!("{contradicted} of {}{too_many}", drift.answered)
}

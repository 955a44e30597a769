//! `countersign advisor report`

use super::{
    measured_advisor::{MeasuredAdvisor, MeasuredExtent},
    measured_calls::{MeasuredCallArgs, print_hidden_threads},
    measured_table::print_measurement,
};
use crate::pages::read_pages;
use countersign_api::{self as api, LogFilter, SendOperation, SharedGate, operations};
use countersign_console::{CommandContext, CommandExit, count_words, print_error, print_json, print_line};
use countersign_events::{AdvisorMode, ReportSource};
use countersign_policy::AdvisorSettings;
use countersign_replay::{
    Call,
    measure::{AdvisorMeasurement, AdvisorTally, LateFacts, MeasuredAnswer},
};
use serde_json::json;

/// Options of `advisor report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It reads the advice that the advisor gave in the mode `shadow`, when no person saw it, and compares it with the decisions of people. \
Decisions of grants, rules, modes, expiries and advisors do not count. A call that a person allowed with other arguments \
counts only if the advisor would allow it: as a false allow. Below, it says how often people contradicted the advice that they \
saw, or complained of a call that the advisor would allow.

--record stores the measurement in the log. It then counts for the thresholds of the policy. On a server, that needs the token \
of an admin. With --until, it covers the log as it was then.

JSON: {\"advisor\", \"configuration\", \"policy\", \"source\": \"shadow\", \"after\", \"upTo\", \"meetsThresholds\", \"unmet\", \"measurement\": \
{\"calls\", \"cases\", \"agreed\", \"falseAllows\", \"falseDenials\", \"asked\", \"failed\", \"table\": {\"allowed\", \"denied\", \"changed\": \
{\"allow\", \"deny\", \"ask\"}}, \"saved\": {\"allow\", \"deny\"}, \"failures\": {code: number}, \"times\": {\"medianMs\", \"p95Ms\", \"maxMs\", \
\"totalMs\"}, \"tokens\": {\"input\", \"output\"}, \"falseAllowsListed\" and \"falseDenialsListed\": {\"count\", \"calls\": the first 1000}, \
\"tools\" and \"rules\": [{\"name\", and counts}]}, \"drift\": {\"answered\", \"overruled\", \"complaints\", \"share\", \"exceeds\"}, \"recorded\", \"thread\": of --thread, or null}")]
pub(crate) struct AdvisorReportArgs {
    /// The advisor
    name: String,
    #[command(flatten)]
    calls: MeasuredCallArgs,
    /// Record the measurement in the log
    #[arg(long)]
    record: bool,
}

impl AdvisorReportArgs {
    /// Whether the measurement becomes part of the log.
    pub(crate) const fn records(&self) -> bool {
        self.record
    }
}

pub(super) async fn report_advisor(
    context: &CommandContext,
    args: &AdvisorReportArgs,
) -> anyhow::Result<CommandExit> {
    if args.record {
        args.calls.check_may_record(context, "remove --record").await?;
    } else {
        print_hidden_threads(context).await?;
    }
    let gate = context.connect_to_read().await?;
    let advisor = MeasuredAdvisor::find(context, &gate, &args.name).await?;
    let found = read_advice(context, &gate, &advisor.settings, &args.calls).await?;
    let drift = read_drift(&gate, &advisor.settings).await?;
    if args.record {
        advisor.record(&gate, found.extent, &found.measured).await?;
    }
    if context.json {
        let mut json = advisor.describe_in_json(found.extent, &found.measured);
        json["drift"] = json!(drift);
        json["recorded"] = args.record.into();
        json["thread"] = args.calls.thread.clone().into();
        print_json(&json)?;
    } else {
        print_report(context, &advisor, &found.measured, found.extent);
        if let Some(drift) = drift {
            print_drift(&drift);
        }
        if args.record {
            print_line("The measurement is in the log.");
        }
    }
    if found.damaged > 0 {
        let rows = count_words(found.damaged, "call or event");
        print_error(&format!("{rows} cannot be read and were left out: countersign verify"));
    }
    Ok(CommandExit::DONE)
}

/// The result of reading the log.
struct FoundAdvice {
    extent: MeasuredExtent,
    measured: AdvisorMeasurement,
    damaged: u64,
}

async fn read_advice(
    context: &CommandContext,
    gate: &SharedGate,
    settings: &AdvisorSettings,
    selected: &MeasuredCallArgs,
) -> anyhow::Result<FoundAdvice> {
    let facts = read_late_facts(gate, settings).await?;
    let mut tally = AdvisorTally::default();
    let selected = selected.find_calls(gate).await?;
    let mut reader = selected.open_reader(gate).await?;
    let first = reader.first();
    let mut progress = context.progress("events");
    while let Some(calls) = reader.next_calls().await? {
        for call in &calls {
            let call = facts.complete_call(call);
            if let Some(answer) = shadow_answer(&call, settings, selected.up_to) {
                tally.add_answer(&call, &answer);
            }
        }
        progress.update(reader.position() - first, reader.tip() - first);
    }
    progress.clear();
    let extent = selected.extent(ReportSource::Shadow, first);
    let damaged = reader.damaged_count() + facts.damaged_count();
    Ok(FoundAdvice { extent, measured: tally.measurement(), damaged })
}

/// Reads the advice and complaints in the log.
async fn read_late_facts(gate: &SharedGate, settings: &AdvisorSettings) -> anyhow::Result<LateFacts> {
    let mut facts = LateFacts::new(&settings.name);
    let filter = LogFilter { types: LateFacts::EVENT_TYPES.to_vec(), ..LogFilter::default() };
    read_pages(0, async |page| {
        let found = gate.events(&filter, page).await?;
        found.events.iter().for_each(|event| facts.add_event(event));
        Ok(found.next)
    })
    .await?;
    Ok(facts)
}

/// Reads how often people contradicted the advisor; `None` if the active policy has no advisor with these settings.
async fn read_drift(
    gate: &SharedGate,
    settings: &AdvisorSettings,
) -> anyhow::Result<Option<api::AdvisorDrift>> {
    let list = gate.send(operations::ListAdvisors {}).await?;
    let mut in_force = list.advisors.into_iter();
    let found = in_force.find(|advisor| advisor.configuration == settings.configuration);
    Ok(found.filter(|advisor| advisor.name == settings.name).map(|advisor| advisor.drift))
}

/// The advice that no person saw, if it and the decision came by the event `up_to`.
fn shadow_answer(call: &Call, settings: &AdvisorSettings, up_to: i64) -> Option<MeasuredAnswer> {
    if call.response().is_none_or(|response| response.seq > up_to) {
        return None;
    }
    let mut shadow = call.course.advice.iter().filter(|advice| {
        advice.seq <= up_to
            && advice.what.advisor == settings.name
            && advice.what.configuration == settings.configuration
            && advice.what.mode == AdvisorMode::Shadow
    });
    shadow.next().map(|advice| MeasuredAnswer::from(&advice.what))
}

fn print_report(
    context: &CommandContext,
    advisor: &MeasuredAdvisor,
    measured: &AdvisorMeasurement,
    extent: MeasuredExtent,
) {
    if measured.total.calls == 0 {
        print_line("No person has decided a call on which the advisor gave advice in shadow mode.");
        return;
    }
    let calls = count_words(measured.total.calls, "call");
    print_line(&format!("{calls} with advice in shadow mode that people decided:\n"));
    print_measurement(measured, &context.screen());
    let met = match advisor.check_thresholds(extent, measured) {
        Ok(()) => "It meets the thresholds of the policy.".to_owned(),
        Err(unmet) => format!("It does not meet the thresholds of the policy: {unmet}."),
    };
    print_line(&format!("\n{met}"));
}

fn print_drift(drift: &api::AdvisorDrift) {
    if drift.answered == 0 {
        return;
    }
    let verdict = if drift.exceeds { "more than" } else { "within what" };
    print_line(&format!(
        "\nOf the last {} that people saw or that the advisor gave itself, they overruled {} and complained of {}: {verdict} \
         the policy accepts.",
        count_words(drift.answered, "answer"),
        drift.overruled,
        drift.complaints
    ));
}

//! The advisor that a report or a replay is about.

use crate::commands::policy::source::PolicySource;
use countersign_api::{self as api, SendOperation, SharedGate, operations};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text};
use countersign_events::{AdvisorReported, ReportSource};
use countersign_policy::{AdvisorSettings, Policy};
use countersign_replay::measure::AdvisorMeasurement;
use serde_json::{Value, json};
use std::sync::Arc;

/// The advisor that is measured, with its policy.
pub(super) struct MeasuredAdvisor {
    pub(super) policy: Arc<Policy>,
    pub(super) settings: Arc<AdvisorSettings>,
    /// The policy name, for people.
    pub(super) policy_name: String,
}

/// What a measurement covers of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeasuredExtent {
    pub(super) source: ReportSource,
    /// It covers calls that were proposed after this event.
    pub(super) after: Option<i64>,
    /// It covers the log up to this event.
    pub(super) up_to: i64,
}

impl MeasuredAdvisor {
    /// Finds the advisor in the policy that the settings name, or else in the active one.
    pub(super) async fn find(
        context: &CommandContext,
        gate: &SharedGate,
        name: &str,
    ) -> anyhow::Result<Self> {
        let source = PolicySource::from_settings_or_log(context, gate).await?;
        let policy_name = escape_text(source.name());
        let Some(settings) = source.policy.advisor(name).cloned() else {
            let names: Vec<_> = source.policy.advisors().iter().map(|known| known.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let message = format!("{policy_name} has no advisor {name:?}; it has {known}");
            return Err(CliError { exit: CommandExit::FAILED, code: "unknown_advisor", message }.into());
        };
        Ok(Self { policy: Arc::new(source.policy), settings: Arc::new(settings), policy_name })
    }

    /// The advisor's name.
    pub(super) fn name(&self) -> &str {
        &self.settings.name
    }

    /// Records the measurement in the log.
    pub(super) async fn record(
        &self,
        gate: &SharedGate,
        extent: MeasuredExtent,
        measured: &AdvisorMeasurement,
    ) -> anyhow::Result<()> {
        let configuration = self.settings.configuration;
        let counts = report_counts(extent, measured);
        gate.send(operations::ReportAdvisor {
            name: self.name().to_owned(),
            body: api::AdvisorReportRequest { configuration, counts },
        })
        .await?;
        Ok(())
    }

    /// Checks the measurement by the policy's thresholds. Fails with the threshold that it does not meet.
    pub(super) fn check_thresholds(
        &self,
        extent: MeasuredExtent,
        measured: &AdvisorMeasurement,
    ) -> Result<(), String> {
        let settings = &self.settings;
        let counts = report_counts(extent, measured);
        let reported = AdvisorReported {
            advisor: settings.name.clone(),
            configuration: settings.configuration,
            source: counts.source,
            cases: counts.cases,
            agreed: counts.agreed,
            false_allows: counts.false_allows,
            false_denials: counts.false_denials,
            asked: counts.asked,
            failed: counts.failed,
            elapsed_millis: counts.elapsed_millis,
            tokens: measured.tokens,
            after: counts.after,
            up_to: counts.up_to,
        };
        settings.thresholds.check_report(&reported).map_err(|unmet| unmet.to_string())
    }

    /// The JSON members that a report and a replay have in common.
    pub(super) fn describe_in_json(&self, extent: MeasuredExtent, measured: &AdvisorMeasurement) -> Value {
        let unmet = self.check_thresholds(extent, measured).err();
        json!({
            "advisor": self.name(),
            "configuration": self.settings.configuration,
            "policy": self.policy.hash(),
            "source": extent.source,
            "after": extent.after,
            "upTo": extent.up_to,
            "meetsThresholds": unmet.is_none(),
            "unmet": unmet,
            "measurement": measured,
        })
    }
}

fn report_counts(extent: MeasuredExtent, measured: &AdvisorMeasurement) -> api::AdvisorReportCounts {
    let total = &measured.total;
    api::AdvisorReportCounts {
        source: extent.source,
        cases: total.cases,
        agreed: total.agreed,
        false_allows: total.false_allows,
        false_denials: total.false_denials,
        asked: total.asked,
        failed: total.failed,
        elapsed_millis: measured.times.map(|times| times.total_ms),
        input_tokens: measured.tokens.map(|tokens| tokens.input),
        output_tokens: measured.tokens.map(|tokens| tokens.output),
        after: extent.after,
        up_to: extent.up_to,
    }
}

//! Advisors and their advice in API types.

use countersign_api as api;
use countersign_approvals::{Call, advisor_directory::AdvisorDirectory, call::RecordedFact};
use countersign_events::{AdvisorMode, AdvisorReported, ApprovalAdvice, CallFlagged};
use countersign_policy::{AdvisorSettings, AdvisorTarget};
use countersign_replay::measure::AdvisorDrift;

/// The advice that approvers may see.
pub(super) fn view_advice(call: &Call) -> Vec<api::CallAdvice> {
    let is_shown = |fact: &&RecordedFact<ApprovalAdvice>| {
        matches!(fact.what.mode, AdvisorMode::Advise | AdvisorMode::Decide)
    };
    call.course.advice.iter().filter(is_shown).map(view_one_advice).collect()
}

fn view_one_advice(fact: &RecordedFact<ApprovalAdvice>) -> api::CallAdvice {
    let advice = fact.what.clone();
    api::CallAdvice {
        seq: fact.seq,
        at: fact.at,
        advisor: advice.advisor,
        mode: advice.mode,
        advice: advice.advice,
        reason: advice.reason,
        confidence: advice.confidence,
        labels: advice.labels,
        failure: advice.failure,
        elapsed_millis: advice.elapsed_millis,
        cached: advice.cached,
    }
}

pub(super) fn view_flag(fact: &RecordedFact<CallFlagged>) -> api::CallFlag {
    api::CallFlag {
        seq: fact.seq,
        principal: fact.by.clone(),
        at: fact.at,
        comment: fact.what.comment.clone(),
    }
}

/// The API type of an advisor, with its effective mode.
pub(crate) fn view_advisor(
    settings: &AdvisorSettings,
    directory: &AdvisorDirectory,
    drift: AdvisorDrift,
) -> api::Advisor {
    let effective = directory.effective_mode(settings);
    let record = directory.get(&settings.name, settings.configuration);
    api::Advisor {
        name: settings.name.clone(),
        protocol: settings.protocol,
        target: describe_target(&settings.target),
        policy_mode: settings.mode,
        mode: effective.mode,
        why: effective.reason.to_string(),
        outcomes: settings.outcomes.clone(),
        timeout_millis: u64::try_from(settings.timeout.as_millis()).unwrap_or(u64::MAX),
        concurrency: settings.concurrency,
        cache_seconds: settings.cache.as_secs(),
        min_cases: settings.thresholds.min_cases,
        max_false_allows: settings.thresholds.max_false_allows,
        max_overruled: settings.thresholds.max_overruled(),
        configuration: settings.configuration,
        report: record.and_then(|record| record.report.as_ref()).map(view_report),
        drift: view_drift(settings, drift),
    }
}

fn view_drift(settings: &AdvisorSettings, drift: AdvisorDrift) -> api::AdvisorDrift {
    let AdvisorDrift { answered, overruled, complaints } = drift;
    #[expect(clippy::cast_precision_loss, reason = "at most 200 answers count")]
    let share = drift.contradicted() as f64 / drift.share_of() as f64;
    api::AdvisorDrift { answered, overruled, complaints, share, exceeds: drift.exceeds(&settings.thresholds) }
}

/// The target without its secret parts.
fn describe_target(target: &AdvisorTarget) -> String {
    match target {
        AdvisorTarget::Service { url, .. } | AdvisorTarget::Chat { url, .. } => {
            let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            format!("{scheme}://{host}")
        }
        AdvisorTarget::Command(words) => words.first().cloned().unwrap_or_default(),
        AdvisorTarget::Cedar { .. } | AdvisorTarget::Facts => "in process".to_owned(),
    }
}

fn view_report(fact: &RecordedFact<AdvisorReported>) -> api::AdvisorReport {
    let report = &fact.what;
    api::AdvisorReport {
        seq: fact.seq,
        at: fact.at,
        principal: fact.by.clone(),
        counts: api::AdvisorReportCounts {
            source: report.source,
            cases: report.cases,
            agreed: report.agreed,
            false_allows: report.false_allows,
            false_denials: report.false_denials,
            asked: report.asked,
            failed: report.failed,
            elapsed_millis: report.elapsed_millis,
            input_tokens: report.tokens.map(|tokens| tokens.input),
            output_tokens: report.tokens.map(|tokens| tokens.output),
            after: report.after,
            up_to: report.up_to,
        },
    }
}

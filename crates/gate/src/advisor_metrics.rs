//! The metrics of advisors: their answers, their modes, and how often people contradict them.

use countersign_api as api;
use prometheus_client::{
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use std::{sync::atomic::AtomicU64, time::Duration};

/// The most advisors with their own series. Policies that rename advisors again and again must not fill the memory.
const MAX_ADVISORS: usize = 200;

type AdvisorLabels<const N: usize> = [(&'static str, String); N];

/// The metrics of advisors. A clone shares the original's counters.
#[derive(Debug, Clone)]
pub(crate) struct AdvisorMetrics {
    answers: Family<AdvisorLabels<3>, Counter>,
    seconds: Family<AdvisorLabels<1>, Histogram, fn() -> Histogram>,
    modes: Family<AdvisorLabels<2>, Gauge>,
    drift: Family<AdvisorLabels<2>, Gauge>,
    share: Family<AdvisorLabels<1>, Gauge<f64, AtomicU64>>,
    known: std::sync::Arc<std::sync::Mutex<std::collections::BTreeSet<String>>>,
}

impl Default for AdvisorMetrics {
    fn default() -> Self {
        // From 1 ms to 65 s, which is above the longest time limit.
        let seconds: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 17));
        Self {
            answers: Family::default(),
            seconds: Family::new_with_constructor(seconds),
            modes: Family::default(),
            drift: Family::default(),
            share: Family::default(),
            known: std::sync::Arc::default(),
        }
    }
}

impl AdvisorMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "advisor_answers",
            "Answers of advisors, by answer or failure, and whether an earlier answer was used",
            self.answers.clone(),
        );
        registry.register(
            "advisor_answer_seconds",
            "Time from a question to its answer",
            self.seconds.clone(),
        );
        registry.register(
            "advisor_mode",
            "1 for the mode of an advisor that is in effect",
            self.modes.clone(),
        );
        registry.register(
            "advisor_recent_answers",
            "The last 200 answers of an advisor that people saw or that decided, by their fate: accepted, overruled or complaint",
            self.drift.clone(),
        );
        registry.register(
            "advisor_contradicted_ratio",
            "The share of these answers that people overruled or complained of; the policy limits it with maxOverruled",
            self.share.clone(),
        );
    }

    /// Sets the mode and drift of each active advisor. Advisors of earlier policies have neither.
    pub(crate) fn set_advisors(&self, advisors: &[api::Advisor]) {
        self.modes.clear();
        self.drift.clear();
        self.share.clear();
        for advisor in advisors.iter().take(MAX_ADVISORS) {
            let label = || ("advisor", advisor.name.clone());
            self.modes.get_or_create(&[label(), ("mode", advisor.mode.as_str().to_owned())]).set(1);
            let drift = advisor.drift;
            let contradicted = drift.overruled + drift.complaints;
            let fates = [
                ("accepted", drift.answered.saturating_sub(contradicted)),
                ("overruled", drift.overruled),
                ("complaint", drift.complaints),
            ];
            for (fate, count) in fates {
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                self.drift.get_or_create(&[label(), ("fate", fate.to_owned())]).set(count);
            }
            self.share.get_or_create(&[label()]).set(drift.share);
        }
    }

    pub(crate) fn count(&self, advisor: &str, answer: &'static str, is_cached: bool, elapsed: Duration) {
        if !self.is_known(advisor) {
            return;
        }
        let cached = if is_cached { "true" } else { "false" };
        let labels =
            [("advisor", advisor.to_owned()), ("answer", answer.to_owned()), ("cached", cached.to_owned())];
        self.answers.get_or_create(&labels).inc();
        if !is_cached {
            self.seconds.get_or_create(&[("advisor", advisor.to_owned())]).observe(elapsed.as_secs_f64());
        }
    }

    fn is_known(&self, advisor: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.contains(advisor) {
            return true;
        }
        known.len() < MAX_ADVISORS && known.insert(advisor.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_advisor_and_word() {
        let metrics = AdvisorMetrics::default();
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        metrics.count("opa", "deny", false, Duration::from_millis(3));
        metrics.count("opa", "deny", true, Duration::ZERO);
        for number in 0..(2 * MAX_ADVISORS) {
            metrics.count(&format!("a{number}"), "ask", false, Duration::ZERO);
        }
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("a string");
        assert!(
            text.contains("advisor_answers_total{advisor=\"opa\",answer=\"deny\",cached=\"true\"} 1"),
            "{text}"
        );
        assert!(text.contains("advisor_answer_seconds_count{advisor=\"opa\"} 1"), "{text}");
        assert_eq!(text.matches("advisor_answers_total{").count(), MAX_ADVISORS + 1);
    }
}

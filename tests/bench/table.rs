//! The table of results, and its statistics.

use crate::cost::CostRow;
use std::time::Duration;

/// A scenario's lines in both tables.
#[derive(Default)]
pub(crate) struct ScenarioResult {
    pub(crate) rows: Vec<BenchRow>,
    pub(crate) costs: Vec<CostRow>,
}

impl From<Vec<BenchRow>> for ScenarioResult {
    fn from(rows: Vec<BenchRow>) -> Self {
        Self { rows, costs: Vec::new() }
    }
}

/// A table line: a measurement, and its raw limit in the same run.
pub(crate) struct BenchRow {
    pub(crate) what: String,
    pub(crate) measured: String,
    pub(crate) raw: String,
    pub(crate) ratio: Option<f64>,
    pub(crate) target: &'static str,
    /// Whether the target is met; `None` if there is no target.
    pub(crate) met: Option<bool>,
}

/// Prints the lines as a Markdown table.
pub(crate) fn print(rows: &[BenchRow]) {
    println!("| what | measured | raw limit in the same run | ratio | target | met |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for BenchRow { what, measured, raw, ratio, target, met } in rows {
        let ratio = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        let met = met.map_or("–", |met| if met { "yes" } else { "**no**" });
        println!("| {what} | {measured} | {raw} | {ratio} | {target} | {met} |");
    }
}

/// The samples of one timed operation.
#[derive(Default)]
pub(crate) struct BenchSamples(Vec<Duration>);

impl BenchSamples {
    pub(crate) fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    pub(crate) fn p99(&self) -> Duration {
        self.percentile(99)
    }

    /// Returns the smallest sample such that at least `percent` per cent of the samples are not greater.
    fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or_default()
    }
}

impl FromIterator<Duration> for BenchSamples {
    fn from_iter<T: IntoIterator<Item = Duration>>(samples: T) -> Self {
        Self(samples.into_iter().collect())
    }
}

/// Formats a duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> String {
    format!("{:.3} ms", duration.as_secs_f64() * 1_000.0)
}

/// Returns the ratio of two durations.
pub(crate) fn times(long: Duration, short: Duration) -> f64 {
    long.as_secs_f64() / short.as_secs_f64()
}

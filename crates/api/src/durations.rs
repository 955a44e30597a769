//! Distributions of durations, which can be added up.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::collections::BTreeMap;

/// The leading bits that a group keeps from its durations. Shorter durations are exact.
const KEPT_BITS: u32 = 8;

/// Duration counts by group. The key is the shortest duration that the group can have, in milliseconds. A group spans less
/// than 1 %, and each duration below 256 ms has its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DurationHistogram(#[serde(deserialize_with = "read_groups")] BTreeMap<u64, u64>);

/// Reads the names of members as numbers, which serde does not do in a flattened structure.
fn read_groups<'de, D: Deserializer<'de>>(input: D) -> Result<BTreeMap<u64, u64>, D::Error> {
    let named = BTreeMap::<String, u64>::deserialize(input)?;
    let number = |(name, count): (String, u64)| Some((name.parse().ok()?, count));
    named
        .into_iter()
        .map(number)
        .collect::<Option<_>>()
        .ok_or_else(|| D::Error::custom("a duration is not a number"))
}

impl DurationHistogram {
    /// Returns true if it has no durations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a duration, in milliseconds.
    pub fn count(&mut self, millis: u64) {
        *self.0.entry(group_of(millis)).or_default() += 1;
    }

    /// Adds another set of counts.
    pub fn add(&mut self, other: &Self) {
        for (group, number) in &other.0 {
            let total = self.0.entry(*group).or_default();
            *total = total.saturating_add(*number);
        }
    }

    /// Returns the percentiles; `None` without durations. `longest` is the longest duration, in milliseconds.
    #[must_use]
    pub fn percentiles(&self, longest: u64) -> Option<DurationPercentiles> {
        let total = self.0.values().fold(0_u64, |total, number| total.saturating_add(*number));
        // The nearest-rank percentile: the smallest value that at least `percent` percent of the values do not exceed.
        let percentile = |percent: u64| {
            let rank = (u128::from(total) * u128::from(percent)).div_ceil(100).max(1);
            let mut counted = 0;
            let reaches = |(_, number): &(&u64, &u64)| {
                counted += u128::from(**number);
                counted >= rank
            };
            self.0.iter().find(reaches).map(|(group, _)| *group)
        };
        Some(DurationPercentiles {
            median_ms: percentile(50)?,
            p90_ms: percentile(90)?,
            p99_ms: percentile(99)?,
            max_ms: longest,
        })
    }
}

/// The shortest duration of the group.
const fn group_of(millis: u64) -> u64 {
    let dropped = (u64::BITS - millis.leading_zeros()).saturating_sub(KEPT_BITS);
    millis >> dropped << dropped
}

/// Percentiles of durations, in milliseconds. Except for the longest, they are rounded down by less than 1 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"medianMs": 2096, "p90Ms": 8960, "p99Ms": 8960, "maxMs": 9000}))))]
#[serde(rename_all = "camelCase")]
pub struct DurationPercentiles {
    /// The median.
    pub median_ms: u64,
    /// The 90th percentile.
    pub p90_ms: u64,
    /// The 99th percentile.
    pub p99_ms: u64,
    /// The longest duration.
    pub max_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn group_spans_less_than_one_percent(millis in 0..u64::MAX / 2) {
            let group = group_of(millis);
            prop_assert!(group <= millis && u128::from(millis - group) * 100 < u128::from(millis.max(1)));
            prop_assert_eq!(group_of(group), group);
        }

        #[test]
        fn sum_counts_what_both_count(all in prop::collection::vec(0..100_000_000_u64, 0..60), at in 0..60_usize) {
            let of = |some: &[u64]| {
                let mut histogram = DurationHistogram::default();
                for millis in some {
                    histogram.count(*millis);
                }
                histogram
            };
            let (first, second) = all.split_at(at.min(all.len()));
            let mut sum = of(first);
            sum.add(&of(second));
            prop_assert_eq!(&sum, &of(&all));
            prop_assert_eq!(sum.percentiles(0).is_none(), all.is_empty());
        }
    }
}

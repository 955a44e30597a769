//! Request rates by caller, as token buckets: a caller may send a burst, and then as many requests as the rate refills.
//! A bucket is stored as the time at which it will be full again (the generic cell rate algorithm), so a full bucket
//! needs no entry.

use super::CallerKey;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// The time whose requests a caller may send at once.
const BURST: Duration = Duration::from_secs(2);

/// The number of entries from which full buckets are removed.
const MANY_CALLERS: usize = 10_000;

/// The buckets of all callers.
#[derive(Debug)]
pub(super) struct TokenBuckets {
    /// The time in which one token is refilled.
    refill: Duration,
    full_at: Mutex<FullTimes>,
}

/// The time at which the bucket of each caller will be full.
#[derive(Debug, Default)]
struct FullTimes {
    times: HashMap<CallerKey, Instant>,
    /// The number of entries at which full buckets are next removed.
    prune_at: usize,
}

impl TokenBuckets {
    /// Buckets that refill `rate` tokens per second, which is at least 1.
    pub(super) fn new(rate: u32) -> Self {
        let refill = Duration::from_secs(1) / rate.max(1);
        let full_at = FullTimes { times: HashMap::new(), prune_at: MANY_CALLERS };
        Self { refill, full_at: Mutex::new(full_at) }
    }

    /// Takes a token. If there is none, returns the time until there is one.
    pub(super) fn take(&self, caller: CallerKey, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.prune(now);
        let full_at = buckets.times.get(&caller).copied().unwrap_or(now).max(now) + self.refill;
        let missing = (full_at - now).saturating_sub(BURST);
        if missing.is_zero() {
            buckets.times.insert(caller, full_at);
            Ok(())
        } else {
            Err(missing)
        }
    }
}

impl FullTimes {
    /// Removes full buckets when there are many. The next removal waits until the number has doubled, so that its cost
    /// is small even if no bucket is full.
    fn prune(&mut self, now: Instant) {
        if self.times.len() >= self.prune_at {
            self.times.retain(|_, full_at| *full_at > now);
            self.prune_at = (self.times.len() * 2).max(MANY_CALLERS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caller_sends_a_burst_then_the_rate() {
        let (buckets, now, ada) = (TokenBuckets::new(10), Instant::now(), CallerKey::numbered(1));
        for number in 0..20 {
            assert_eq!(buckets.take(ada, now), Ok(()), "{number}");
        }
        assert_eq!(buckets.take(ada, now), Err(Duration::from_millis(100)));
        assert_eq!(buckets.take(CallerKey::numbered(2), now), Ok(()), "another caller");
        let later = now + Duration::from_millis(250);
        assert_eq!([(); 3].map(|()| buckets.take(ada, later).is_ok()), [true, true, false]);
        assert_eq!(buckets.take(ada, now + Duration::from_mins(1)), Ok(()));
    }

    #[test]
    fn full_buckets_are_removed() {
        let (buckets, now) = (TokenBuckets::new(10), Instant::now());
        for number in 0..MANY_CALLERS as u64 {
            assert_eq!(buckets.take(CallerKey::numbered(number), now), Ok(()));
        }
        let later = now + Duration::from_secs(1);
        assert_eq!(buckets.take(CallerKey::numbered(0), later), Ok(()));
        assert_eq!(buckets.full_at.lock().expect("no panic").times.len(), 1);
    }
}

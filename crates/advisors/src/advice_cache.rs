//! The answers to earlier questions, for as long as the policy permits. They are in the memory of one process, which may
//! lose them: the question is then asked again.

use crate::answer::AdviceAnswer;
use countersign_events::Sha256;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The most answers in the cache.
const MAX_ANSWERS: usize = 10_000;

/// The advisor configuration and the question.
pub(crate) type CacheKey = (Sha256, Sha256);

/// The answers to earlier questions.
#[derive(Default)]
pub(crate) struct AdviceCache {
    answers: Mutex<HashMap<CacheKey, (Instant, AdviceAnswer)>>,
}

impl AdviceCache {
    /// The answer to this question, if it is at most `lifetime` old.
    pub(crate) fn find(&self, key: &CacheKey, lifetime: Duration, now: Instant) -> Option<AdviceAnswer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, answer) = answers.get(key)?;
        (now.saturating_duration_since(*at) < lifetime).then(|| answer.clone())
    }

    /// Keeps an answer. If the cache is full, the older half of it is removed.
    pub(crate) fn keep(&self, key: CacheKey, answer: AdviceAnswer, now: Instant) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MAX_ANSWERS && !answers.contains_key(&key) {
            let mut ages: Vec<_> = answers.values().map(|(at, _)| *at).collect();
            let middle = ages.len() / 2;
            let (_, median, _) = ages.select_nth_unstable(middle);
            let median = *median;
            answers.retain(|_, (at, _)| *at > median);
        }
        answers.insert(key, (now, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::AdviceVerdict;

    fn key(number: usize) -> CacheKey {
        (Sha256::digest(b"configuration"), Sha256::digest(&number.to_be_bytes()))
    }

    #[test]
    fn answer_is_kept_for_its_lifetime() {
        let (cache, now) = (AdviceCache::default(), Instant::now());
        let minute = Duration::from_mins(1);
        cache.keep(key(1), AdviceAnswer::new(AdviceVerdict::Deny), now);
        assert!(cache.find(&key(1), minute, now + Duration::from_secs(59)).is_some());
        assert!(cache.find(&key(1), minute, now + minute).is_none());
        assert!(cache.find(&key(1), Duration::ZERO, now).is_none());
        assert!(cache.find(&key(2), minute, now).is_none());
        let other = (Sha256::digest(b"other"), key(1).1);
        assert!(cache.find(&other, minute, now).is_none(), "another configuration");
    }

    #[test]
    fn full_cache_loses_old_answers() {
        let (cache, begun) = (AdviceCache::default(), Instant::now());
        for number in 0..=MAX_ANSWERS {
            let at = begun + Duration::from_millis(u64::try_from(number).expect("small"));
            cache.keep(key(number), AdviceAnswer::new(AdviceVerdict::Ask), at);
        }
        assert!(cache.answers.lock().expect("a lock").len() <= MAX_ANSWERS / 2 + 1);
        let hour = Duration::from_hours(1);
        assert!(cache.find(&key(0), hour, begun).is_none());
        assert!(cache.find(&key(MAX_ANSWERS), hour, begun).is_some());
    }
}

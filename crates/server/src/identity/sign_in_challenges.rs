//! The challenges of sign-ins with passkeys. Each is used once, soon, and at this process.

use countersign_api::fill_random;
use countersign_gate::{
    Timestamp,
    proofs::passkey::{SIGN_IN_CHALLENGE_BYTES, SIGN_IN_PREFIX},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The time in which a person answers.
const LONGEST: Duration = Duration::from_mins(5);

/// The most open challenges. If there are more, the oldest is forgotten.
const MOST: usize = 10_000;

/// A challenge: words that no other challenge begins with, and 32 random bytes.
type Challenge = [u8; SIGN_IN_CHALLENGE_BYTES];

/// The open challenges of this process.
#[derive(Debug, Default)]
pub(crate) struct SignInChallenges(Mutex<OpenChallenges>);

#[derive(Debug, Default)]
struct OpenChallenges {
    by_challenge: HashMap<Challenge, u64>,
    /// In the order of their making.
    by_age: BTreeMap<u64, (Challenge, Timestamp)>,
    made: u64,
}

impl SignInChallenges {
    /// Makes a challenge. Fails if the system has no randomness.
    pub(crate) fn issue(&self, now: Timestamp) -> Result<Challenge, String> {
        let mut challenge = [0; SIGN_IN_CHALLENGE_BYTES];
        let (prefix, random) = challenge.split_at_mut(SIGN_IN_PREFIX.len());
        prefix.copy_from_slice(SIGN_IN_PREFIX);
        fill_random(random).map_err(|why| format!("the system has no randomness: {why}"))?;
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.made += 1;
        let number = open.made;
        open.by_challenge.insert(challenge, number);
        open.by_age.insert(number, (challenge, now.after(LONGEST)));
        while open.by_age.len() > MOST
            || open.by_age.first_key_value().is_some_and(|(_, (_, end))| *end <= now)
        {
            let Some((_, (oldest, _))) = open.by_age.pop_first() else { break };
            open.by_challenge.remove(&oldest);
        }
        Ok(challenge)
    }

    /// Uses a challenge up. False if it was not made here, was used before, or is too old.
    pub(crate) fn take(&self, challenge: &[u8], now: Timestamp) -> bool {
        let Ok(challenge) = Challenge::try_from(challenge) else { return false };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(number) = open.by_challenge.remove(&challenge) else { return false };
        open.by_age.remove(&number).is_some_and(|(_, end)| end > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_is_accepted_once_and_soon() {
        let challenges = SignInChallenges::default();
        let now = Timestamp::from_millis(1_000);
        let (first, late) = (challenges.issue(now).expect("random"), challenges.issue(now).expect("random"));
        assert_ne!(first, late);
        assert!(first.starts_with(SIGN_IN_PREFIX));
        assert!(challenges.take(&first, now) && !challenges.take(&first, now));
        assert!(!challenges.take(&late, now.after(LONGEST)));
        assert!(!challenges.take(b"another", now));
    }

    #[test]
    fn flood_of_challenges_is_bounded() {
        let challenges = SignInChallenges::default();
        let now = Timestamp::from_millis(1_000);
        let oldest = challenges.issue(now).expect("random");
        let newest = (0..MOST).map(|_| challenges.issue(now).expect("random")).last().expect("many");
        assert!(!challenges.take(&oldest, now) && challenges.take(&newest, now));
    }
}

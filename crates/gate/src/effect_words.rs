//! What calls do, in words, as this process has worked it out. A request is read again and again until somebody decides on it, and
//! reading its command takes longer than reading it from the log.

use countersign_approvals::Call;
use countersign_events::Sha256;
use countersign_policy::{CallReading, Policy};
use lru::LruCache;
use std::{
    num::NonZeroUsize,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The number of calls whose words are kept. They have some hundred bytes each.
const KEPT: NonZeroUsize = NonZeroUsize::new(2_000).unwrap();

/// What the words depend on: the call, the arguments that would run, and the policy that says where its operands are.
#[derive(PartialEq, Eq, Hash)]
struct EffectKey {
    proposal: i64,
    arguments: Sha256,
    policy: Sha256,
}

/// What calls do, in words.
pub(crate) struct EffectWords {
    known: Mutex<LruCache<EffectKey, Vec<String>>>,
}

impl Default for EffectWords {
    fn default() -> Self {
        Self { known: Mutex::new(LruCache::new(KEPT)) }
    }
}

impl EffectWords {
    /// What the call does to things outside of the agent, as far as it shows that.
    pub(crate) fn describe(&self, call: &Call, policy: &Policy) -> Vec<String> {
        let key = EffectKey {
            proposal: call.proposal.seq,
            arguments: call.arguments_hash(),
            policy: policy.hash(),
        };
        if let Some(words) = self.lock().get(&key) {
            return words.clone();
        }
        let words = CallReading::new(policy, &call.subject()).describe_effects();
        self.lock().put(key, words.clone());
        words
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<EffectKey, Vec<String>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

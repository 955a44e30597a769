//! The policy that is in force, and what is wrong with the one that should be.

use arc_swap::{ArcSwap, ArcSwapOption};
use countersign_policy::Policy;
use std::sync::Arc;

/// May be exchanged while orders are judged: each takes the one that it finds.
pub(crate) struct ActivePolicy {
    policy: ArcSwap<Policy>,
    trouble: ArcSwapOption<String>,
}

impl ActivePolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy: ArcSwap::from_pointee(policy), trouble: ArcSwapOption::empty() }
    }

    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.policy.load_full()
    }

    pub(crate) fn exchange(&self, policy: Policy) {
        self.policy.store(Arc::new(policy));
        self.trouble.store(None);
    }

    pub(crate) fn keep_because(&self, trouble: String) {
        self.trouble.store(Some(Arc::new(trouble)));
    }

    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.load_full().map(|trouble| (*trouble).clone())
    }
}

//! The policy that is in force, and what is wrong with the one that should be.

use arc_swap::{ArcSwap, ArcSwapOption};
use countersign_policy::Policy;
use std::sync::Arc;
use tokio::sync::Notify;

/// May be exchanged while orders are judged: each takes the one that it finds.
pub(crate) struct ActivePolicy {
    policy: ArcSwap<Policy>,
    trouble: ArcSwapOption<String>,
    exchanged: Notify,
}

impl ActivePolicy {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy: ArcSwap::from_pointee(policy),
            trouble: ArcSwapOption::empty(),
            exchanged: Notify::new(),
        }
    }

    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.policy.load_full()
    }

    pub(crate) fn exchange(&self, policy: Policy) {
        self.policy.store(Arc::new(policy));
        self.trouble.store(None);
        self.exchanged.notify_one();
    }

    /// Waits until another policy is in force. One task at a time may wait.
    pub(crate) async fn exchanged(&self) {
        self.exchanged.notified().await;
    }

    pub(crate) fn keep_because(&self, trouble: String) {
        self.trouble.store(Some(Arc::new(trouble)));
    }

    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.load_full().map(|trouble| (*trouble).clone())
    }
}

//! The active policy, and the error of a newer policy that could not be loaded.

use arc_swap::{ArcSwap, ArcSwapOption};
use countersign_policy::Policy;
use std::sync::Arc;
use tokio::sync::Notify;

/// The active policy. It can be replaced while commands are judged: a command uses the policy that was active when it
/// began.
pub(crate) struct ActivePolicy {
    policy: ArcSwap<Policy>,
    /// The error of a newer policy, if the last attempt to load one failed.
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

    /// Replaces the policy and clears the error.
    pub(crate) fn exchange(&self, policy: Policy) {
        self.policy.store(Arc::new(policy));
        self.trouble.store(None);
        self.exchanged.notify_one();
    }

    /// Waits until another policy is in force. One task at a time may wait.
    pub(crate) async fn exchanged(&self) {
        self.exchanged.notified().await;
    }

    /// Keeps the policy and records why a newer one was not loaded.
    pub(crate) fn keep_because(&self, trouble: String) {
        self.trouble.store(Some(Arc::new(trouble)));
    }

    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.load_full().map(|trouble| (*trouble).clone())
    }
}

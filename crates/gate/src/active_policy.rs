//! The active policy, as this process has read it from the log.

use crate::GateFailure;
use arc_swap::{ArcSwap, ArcSwapOption};
use countersign_approvals::call::RecordedFact;
use countersign_events::PolicySet;
use countersign_policy::{Policy, PolicyText};
use countersign_store::{Store, StoreError};
use std::sync::Arc;

/// The active policy, as this process has read it from the log. A command uses the policy that was active when it
/// started; the writer refuses it if another one is active by then.
pub(crate) struct ActivePolicy {
    current: ArcSwap<LoadedPolicy>,
    /// The reason why this process's policy file is not active, if it has one and it is not.
    file_trouble: ArcSwapOption<String>,
}

/// The policy of one `POLICY_SET` event.
struct LoadedPolicy {
    /// The position of its event; 0 if the log has no policy.
    seq: i64,
    /// The policy, or the reason why this version cannot read it.
    policy: Result<Arc<Policy>, String>,
}

impl ActivePolicy {
    /// Reads the active policy. `None` if the log has no policy yet.
    pub(crate) async fn read(store: &Store) -> Result<Option<Self>, StoreError> {
        let Some(recorded) = store.policy_in_force().await? else { return Ok(None) };
        let current = ArcSwap::from_pointee(load(recorded).await);
        Ok(Some(Self { current, file_trouble: ArcSwapOption::empty() }))
    }

    /// The policy `first` for a log that has no policy and cannot be written. The next process that writes activates
    /// it.
    pub(crate) fn for_log_without_policy(first: Arc<Policy>) -> Self {
        let current = ArcSwap::from_pointee(LoadedPolicy { seq: 0, policy: Ok(first) });
        Self { current, file_trouble: ArcSwapOption::empty() }
    }

    /// The active policy. Fails with [`GateFailure::PolicyUnreadable`] if this version cannot read it: then no call is
    /// judged, because another policy could allow what this one blocks.
    pub(crate) fn policy(&self) -> Result<Arc<Policy>, GateFailure> {
        let current = self.current.load();
        current.policy.clone().map_err(|why| GateFailure::PolicyUnreadable { seq: current.seq, why })
    }

    /// The active policy, to describe calls by it. One that this version cannot read has no levels and no rules.
    pub(crate) fn policy_for_views(&self) -> Arc<Policy> {
        self.current.load().policy.clone().unwrap_or_else(|_| Arc::new(Policy::ask_always()))
    }

    /// The position of its event in the log; 0 if the log has no policy.
    pub(crate) fn seq(&self) -> i64 {
        self.current.load().seq
    }

    /// Reads the active policy again.
    pub(crate) async fn reload(&self, store: &Store) -> Result<(), StoreError> {
        let Some(recorded) = store.policy_in_force().await? else { return Ok(()) };
        if recorded.seq == self.seq() {
            return Ok(());
        }
        let loaded = Arc::new(load(recorded).await);
        // Another task may have read the same one, or a newer one, meanwhile.
        let before =
            self.current.rcu(|current| Arc::clone(if loaded.seq > current.seq { &loaded } else { current }));
        if loaded.seq > before.seq {
            loaded.report();
        }
        Ok(())
    }

    /// Records why this process's policy file is not active; `None` if it is.
    pub(crate) fn report_file_trouble(&self, trouble: Option<String>) {
        self.file_trouble.store(trouble.map(Arc::new));
    }

    pub(crate) fn file_trouble(&self) -> Option<String> {
        self.file_trouble.load_full().map(|trouble| (*trouble).clone())
    }
}

impl LoadedPolicy {
    fn report(&self) {
        let seq = self.seq;
        match &self.policy {
            Ok(policy) => {
                tracing::info!(seq, hash = %policy.hash(), rules = policy.rules(), "another policy is active");
            }
            Err(why) => tracing::error!(seq, why, "the active policy cannot be read"),
        }
    }
}

/// Reads the policy content on a blocking thread, because a long policy takes long.
async fn load(recorded: RecordedFact<PolicySet>) -> LoadedPolicy {
    let seq = recorded.seq;
    let text = PolicyText::from(&recorded.what);
    let read = tokio::task::spawn_blocking(move || Policy::read_text(text)).await;
    let policy = match read {
        Ok(Ok(policy)) => Ok(Arc::new(policy)),
        Ok(Err(why)) => Err(why.to_string()),
        Err(panicked) => Err(panicked.to_string()),
    };
    LoadedPolicy { seq, policy }
}

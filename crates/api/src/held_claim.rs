//! A claim that renews its lease in the background for as long as its executor runs.

use crate::{Call, CallGate, CallId, ClaimRequest, GateError, RenewRequest, ResultRequest, ThreadId};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// The default claim lease, in seconds.
pub const DEFAULT_LEASE_SECONDS: u32 = 900;

/// The shortest interval between renewals.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// A claimed call that this process runs. Its lease is renewed after each third, until the call is finished or this is
/// dropped. If the process ends, the lease lapses, and the outcome is unknown.
pub struct HeldClaim {
    gate: Arc<dyn CallGate>,
    call: Call,
    executor: String,
    renewal: JoinHandle<()>,
}

impl HeldClaim {
    /// Claims the call, and renews the lease from now on. Run the `arguments` of [`call`](Self::call) and nothing else.
    pub async fn claim(
        gate: Arc<dyn CallGate>,
        thread: &ThreadId,
        id: &CallId,
        request: &ClaimRequest,
    ) -> Result<Self, GateError> {
        let call = gate.claim(thread, id, request).await?;
        let lease = request.lease_seconds.unwrap_or(DEFAULT_LEASE_SECONDS);
        let renew = RenewRequest { executor: request.executor.clone(), lease_seconds: Some(lease) };
        let renewal = tokio::spawn(renew_until_refused(Arc::clone(&gate), thread.clone(), id.clone(), renew));
        Ok(Self { gate, call, executor: request.executor.clone(), renewal })
    }

    /// The claimed call, with the arguments to run.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The executor that holds the claim.
    #[must_use]
    pub fn executor(&self) -> &str {
        &self.executor
    }

    /// Ends the renewals and reports the result, as the executor of this claim.
    pub async fn finish(self, result: &ResultRequest) -> Result<Call, GateError> {
        self.renewal.abort();
        let result = ResultRequest { executor: Some(self.executor.clone()), ..result.clone() };
        self.gate.finish(&self.call.thread_id, &self.call.id, &result).await
    }

    /// Ends the lease at once: this executor cannot know how the call ended, so its outcome is unknown from now on.
    pub async fn give_up(self) -> Result<Call, GateError> {
        self.renewal.abort();
        let renew = RenewRequest { executor: self.executor.clone(), lease_seconds: Some(0) };
        self.gate.renew_claim(&self.call.thread_id, &self.call.id, &renew).await
    }
}

impl Drop for HeldClaim {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

async fn renew_until_refused(gate: Arc<dyn CallGate>, thread: ThreadId, id: CallId, renew: RenewRequest) {
    let lease = Duration::from_secs(u64::from(renew.lease_seconds.unwrap_or(DEFAULT_LEASE_SECONDS)));
    loop {
        sleep((lease / 3).max(SHORTEST_INTERVAL)).await;
        match gate.renew_claim(&thread, &id, &renew).await {
            Ok(_) => {}
            // The next renewal may succeed: the executor still runs the call.
            Err(error) if error.is_transient() => {}
            Err(error) => {
                let (thread, call, code) = (thread.as_str(), id.as_str(), error.code());
                tracing::warn!(thread, call, code, %error, "the lease cannot be renewed");
                return;
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "an executor waits for the machine, not for the log's time")]
async fn sleep(span: Duration) {
    tokio::time::sleep(span).await;
}

//! Agents and people. Each has a name, acts in one thread and reaches the service over one transport.

use super::{
    action::{Action, ClaimChoice, Proposal},
    embedded::ToStore,
};
use countersign_events::{Decision, Mode, Principal, ThreadId, ToolPolicy};
use std::future::Future;

/// A way to reach the service.
pub trait Transport: Clone {
    /// The service's answer.
    type Outcome;

    /// Performs the action.
    fn perform(&self, caller: &PersonaCaller, action: Action<'_>) -> impl Future<Output = Self::Outcome>;
}

/// An action's caller, and its thread.
#[derive(Debug, Clone)]
pub struct PersonaCaller {
    /// The name that the caller states; `None` for the default name of the service.
    pub principal: Option<Principal>,
    /// The thread.
    pub thread_id: ThreadId,
}

/// An agent or a person. Each verb is one action, at the time that the world's clock shows.
#[derive(Clone)]
pub struct Persona<T = ToStore> {
    /// The transport to the service.
    pub(super) transport: T,
    pub(super) caller: PersonaCaller,
}

impl<T: Transport> Persona<T> {
    pub(super) fn new(transport: T, principal: Option<Principal>) -> Self {
        let thread_id = ThreadId::new("t").expect("a valid id");
        Self { transport, caller: PersonaCaller { principal, thread_id } }
    }

    /// Returns the same persona in another thread.
    #[must_use]
    pub fn in_thread(&self, thread: &str) -> Self {
        let thread_id = ThreadId::new(thread).expect("a valid id");
        Self { transport: self.transport.clone(), caller: PersonaCaller { thread_id, ..self.caller.clone() } }
    }

    /// Returns the thread of this persona.
    #[must_use]
    pub fn thread_id(&self) -> &ThreadId {
        &self.caller.thread_id
    }

    /// Proposes the default call: `bash` with `ls`.
    pub async fn proposes(&self, id: &str) -> T::Outcome {
        self.proposes_to(id, Proposal::default()).await
    }

    /// Proposes a call whose arguments contain its id, so that no earlier decision applies to it.
    pub async fn proposes_unlike_others(&self, id: &str) -> T::Outcome {
        let arguments = format!(r#"{{"command":"make {id}"}}"#);
        self.proposes_to(id, Proposal { arguments: &arguments, ..Proposal::default() }).await
    }

    /// Proposes a call with the parts that the test chooses.
    pub async fn proposes_to(&self, id: &str, proposal: Proposal<'_>) -> T::Outcome {
        self.performs(Action::Propose(id, proposal)).await
    }

    /// Allows the call once.
    pub async fn allows(&self, id: &str) -> T::Outcome {
        self.decides(id, Decision::AllowOnce).await
    }

    /// Allows the call for the session, which creates a grant for later calls of the thread.
    pub async fn allows_for_the_session(&self, id: &str) -> T::Outcome {
        self.decides(id, Decision::AllowSession).await
    }

    /// Denies the call.
    pub async fn denies(&self, id: &str) -> T::Outcome {
        self.decides(id, Decision::Deny).await
    }

    /// Decides on the call, without a comment.
    pub async fn decides(&self, id: &str, decision: Decision) -> T::Outcome {
        self.performs(Action::Decide(id, decision)).await
    }

    /// Claims the default call, under the caller's own name.
    pub async fn claims(&self, id: &str) -> T::Outcome {
        self.performs(Action::Claim(id, ClaimChoice::default())).await
    }

    /// Claims the default call, under the name of this executor.
    pub async fn claims_as(&self, id: &str, executor: &str) -> T::Outcome {
        self.performs(Action::Claim(id, ClaimChoice { executor: Some(executor), ..ClaimChoice::default() }))
            .await
    }

    /// Claims the call with these arguments.
    pub async fn claims_with(&self, id: &str, arguments: &str) -> T::Outcome {
        self.performs(Action::Claim(id, ClaimChoice { arguments, ..ClaimChoice::default() })).await
    }

    /// Reports that the call succeeded.
    pub async fn finishes(&self, id: &str) -> T::Outcome {
        self.finishes_with(id, r#""ok""#).await
    }

    /// Reports that the call succeeded, with this content as JSON.
    pub async fn finishes_with(&self, id: &str, content: &str) -> T::Outcome {
        self.performs(Action::Finish(id, content)).await
    }

    /// Withdraws the call.
    pub async fn cancels(&self, id: &str) -> T::Outcome {
        self.performs(Action::Cancel(id)).await
    }

    /// Revokes a grant.
    pub async fn revokes(&self, grant: i64) -> T::Outcome {
        self.performs(Action::Revoke(grant)).await
    }

    /// Sets the thread's mode.
    pub async fn sets_mode(&self, mode: Mode) -> T::Outcome {
        self.performs(Action::SetMode(mode)).await
    }

    /// Sets the thread's own policy for a tool.
    pub async fn sets_policy(&self, tool: &str, policy: ToolPolicy) -> T::Outcome {
        self.performs(Action::SetToolPolicy(tool, policy)).await
    }

    /// Closes the thread.
    pub async fn closes(&self) -> T::Outcome {
        self.performs(Action::Close).await
    }

    pub(super) async fn performs(&self, action: Action<'_>) -> T::Outcome {
        self.transport.perform(&self.caller, action).await
    }
}

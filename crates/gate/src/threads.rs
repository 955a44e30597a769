//! What holds for a thread: its grants, its mode, its own policies, and its end.

use crate::{Error, Gate, ThreadId, Way, api};

impl Gate {
    /// The standing grants of a thread, the oldest first.
    pub async fn grants(&self, thread: &ThreadId, page: api::PageOf) -> Result<api::Grants, Error> {
        either!(self, way => way.grants(thread, page).await)
    }

    /// Takes a grant back: it answers no more calls. The first page of those that are left comes back.
    pub async fn revoke(&self, thread: &ThreadId, grant: i64) -> Result<api::Grants, Error> {
        either!(self, way => way.revoke(&self.by, thread, grant).await)
    }

    /// How a thread answers what is asked.
    pub async fn mode(&self, thread: &ThreadId) -> Result<api::ModeOf, Error> {
        either!(self, way => way.mode(thread).await)
    }

    /// Has a thread answer what is asked in another way. Only people may.
    pub async fn set_mode(&self, thread: &ThreadId, set: &api::SetMode) -> Result<api::ModeOf, Error> {
        either!(self, way => way.set_mode(&self.by, thread, set).await)
    }

    /// The thread's own policies.
    pub async fn policies(&self, thread: &ThreadId) -> Result<api::PoliciesOf, Error> {
        either!(self, way => way.policies(thread).await)
    }

    /// Gives tools policies of the thread's own. Only people may.
    pub async fn set_policies(
        &self,
        thread: &ThreadId,
        set: &api::SetPolicies,
    ) -> Result<api::PoliciesOf, Error> {
        either!(self, way => way.set_policies(&self.by, thread, set).await)
    }

    /// Ends a thread: its grants go, what is pending is cancelled, and nothing new starts in it.
    pub async fn close(&self, thread: &ThreadId) -> Result<api::Closed, Error> {
        either!(self, way => way.close(&self.by, thread).await)
    }
}

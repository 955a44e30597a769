//! Edit previews.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api::{self as api, GateError};
use countersign_approvals::{
    CommandCaller, DecisionContext,
    decide::{self, HashedArguments},
};
use countersign_events::{CallId, ThreadId};

impl EmbeddedService {
    /// Checks other arguments for a call as a decision would.
    pub(crate) async fn preview_edit(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        request: &api::EditRequest,
    ) -> Result<api::EditPreview, GateFailure> {
        let arguments = HashedArguments::new(request.arguments.clone())?;
        let call = self.look_up(thread, id).await?;
        let policy = self.policy.policy()?;
        let evidence = self.review_edit(&policy, thread, id, &arguments).await?;
        let state = self.store.thread(thread).await?;
        let now = self.store.clock().now();
        let context = DecisionContext::new(thread, &state, by, &policy, &evidence, now);
        let refused = decide::preview_edit(&call, &arguments, &context).map(GateFailure::from);
        let refusal = refused.map(|refused| {
            let GateError { code, detail, .. } = refused.into();
            api::EditRefusal { code, detail }
        });
        Ok(api::EditPreview { refusal })
    }
}

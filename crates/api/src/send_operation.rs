//! The typed form of [`perform`](ApprovalGate::perform).

use crate::{ApprovalGate, GateError, Operation};

/// Sends operations to any gate.
pub trait SendOperation {
    /// Performs an operation, and returns its answer.
    fn send<O: Operation>(&self, operation: O) -> impl Future<Output = Result<O::Answer, GateError>> + Send;
}

impl<G: ApprovalGate + ?Sized> SendOperation for G {
    async fn send<O: Operation>(&self, operation: O) -> Result<O::Answer, GateError> {
        self.perform(&operation.into_any()).await?.into_answer_to::<O>()
    }
}

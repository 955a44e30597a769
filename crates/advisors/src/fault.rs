//! The reason why an advisor gave no valid answer.

use crate::shortened_text::shorten;
use countersign_events::{AdviceFailure, AdvisorProtocol};

/// The longest description of a failure, in characters.
const MAX_DETAIL: usize = 300;

/// The reason why an advisor gave no valid answer. The call is left to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AdviceFault {
    /// The stable code.
    pub failure: AdviceFailure,
    /// The failure description. It repeats neither the question nor the answer, which may contain secrets.
    pub detail: String,
}

impl AdviceFault {
    pub(crate) fn new(failure: AdviceFailure, detail: impl AsRef<str>) -> Self {
        Self { failure, detail: shorten(detail.as_ref(), MAX_DETAIL) }
    }

    /// The failure of an advisor whose protocol only earlier versions supported. A program can ask the same policies.
    pub(crate) fn retired(protocol: AdvisorProtocol) -> Self {
        let name = protocol.as_str();
        let detail = format!(
            "the protocol {name} is not asked any more; use a program with Countersign's own protocol, such as examples/advisors/{name}.py"
        );
        Self::new(AdviceFailure::BadConfiguration, detail)
    }

    pub(crate) fn malformed(detail: impl AsRef<str>) -> Self {
        Self::new(AdviceFailure::Malformed, detail)
    }

    pub(crate) fn failed(detail: impl AsRef<str>) -> Self {
        Self::new(AdviceFailure::Failed, detail)
    }

    pub(crate) fn not_permitted(detail: impl AsRef<str>) -> Self {
        Self::new(AdviceFailure::NotPermitted, detail)
    }

    pub(crate) fn too_large(detail: impl AsRef<str>) -> Self {
        Self::new(AdviceFailure::TooLarge, detail)
    }
}

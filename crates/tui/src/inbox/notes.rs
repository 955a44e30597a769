//! The notes of the person about one call: texts, edits and choices that are not sent yet.

use countersign_api as api;
use countersign_gate::Json;

#[derive(Debug, Default)]
pub(crate) struct CallNotes {
    /// The comment for a decision. It is kept apart from the reason of a denial, so that a reason never goes with an
    /// allowance.
    pub(crate) comment: String,
    /// The reason of a denial.
    pub(crate) denial: String,
    /// The edited arguments.
    pub(crate) edited: Option<Json>,
    /// The chosen level.
    pub(crate) level: Option<String>,
    /// The previews of the scopes that the call offers, once they have arrived.
    pub(crate) previews: Option<Vec<api::ScopePreview>>,
    /// True if the arguments were on the screen to their end.
    pub(crate) is_read: bool,
}

//! The person's notes about one call: comments, edits and choices that are not sent yet.

use countersign_api as api;
use countersign_events::Json;

#[derive(Debug, Default)]
pub(crate) struct CallNotes {
    /// The comment for a decision. It is kept apart from the denial reason, so that a reason never goes with an
    /// allowance.
    pub(crate) comment: String,
    /// The denial reason.
    pub(crate) denial: String,
    /// The edited arguments.
    pub(crate) edited: Option<Json>,
    /// The chosen level.
    pub(crate) level: Option<String>,
    /// Previews of the scopes that the call offers, once they have arrived.
    pub(crate) previews: Option<Vec<api::ScopePreview>>,
    /// Whether the arguments were on the screen to their end.
    pub(crate) is_read: bool,
}

//! The answer to one message, for every program.

use countersign_api::Json;

/// The answer to one message.
#[derive(Debug)]
pub enum HookAnswer {
    /// The agent runs the call.
    Allow {
        /// Who allowed it.
        reason: String,
        /// The arguments to run.
        arguments: Option<Json>,
        /// Whether they are not those of the agent.
        is_edited: bool,
        /// A note for the model.
        note: Option<String>,
    },
    /// The server gets this content of its form.
    Content {
        /// The values by their names.
        content: Json,
    },
    /// The agent's own rules decide. Claude Code applies the arguments all the same.
    NoDecision {
        /// The arguments to run.
        arguments: Option<Json>,
    },
    /// The agent stops, because it ran something else than it was allowed.
    Stop {
        /// The text for the model and its user.
        reason: String,
    },
    /// The agent does not run the call, and the model gets the reason.
    Deny {
        /// The text for the model and its user.
        reason: String,
    },
    /// The agent ends its turn, and asks again when its session is resumed.
    Defer {
        /// The text for the model and its user.
        reason: String,
    },
    /// The agent needs no answer.
    Silent,
}

impl HookAnswer {
    pub(super) fn allowed_by(reason: &str) -> Self {
        Self::Allow { reason: reason.to_owned(), arguments: None, is_edited: false, note: None }
    }
}

//! What each format does.

use crate::{
    BadMessage, LoggedCalls, call_names::NameRules, neutral::NeutralMessage, written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::json::JsonTree;

/// How a format reads and writes messages.
pub(crate) trait FormatAdapter {
    /// Reads a message, which is an object. Members that the format does not have are left alone.
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage>;

    /// Writes a message after those that were written before.
    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages);

    /// Writes the requests for these pending calls.
    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages);

    /// Writes a call part for a client, where the part also says whether the call is approved: as the log has the call,
    /// or `None` to leave it out. `call` is absent if the log has no call with this id.
    fn settle_call(&self, part: &JsonTree, _call: Option<&Call>) -> Option<JsonTree> {
        Some(part.clone())
    }

    /// Writes the state of each call as the log has it, in formats whose calls have one. The messages are written.
    fn write_states(&self, _calls: &LoggedCalls, _out: &mut WrittenMessages) {}

    /// The names and ids of calls that the API accepts; `None` if it accepts any.
    fn name_rules(&self) -> Option<NameRules> {
        None
    }

    /// Changes finished model input where the API refuses its beginning or its end.
    fn complete_input(&self, _out: &mut WrittenMessages) {}

    /// Returns true if a message has a single part, so that an agent turn is several messages.
    fn is_item_based(&self) -> bool {
        false
    }
}

//! What each format does.

use crate::{json_tree::JsonTree, message::BadMessage, neutral::NeutralMessage, written::WrittenMessages};
use countersign_api::Call;

/// How a format reads and writes messages.
pub(crate) trait FormatAdapter {
    /// Reads a message, which is an object. Members that the format does not have are left alone.
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage>;

    /// Writes a message after those that were written before.
    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages);

    /// Writes the requests for these pending calls.
    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages);

    /// Writes the part of a call for a client, where the part also says whether the call is approved: as the log has the
    /// call, or `None` to leave it out. `call` is absent if the log has no call with this id.
    fn settle_call(&self, part: &JsonTree, _call: Option<&Call>) -> Option<JsonTree> {
        Some(part.clone())
    }

    /// True if a message has a single part, so that a turn of the agent is several messages.
    fn is_item_based(&self) -> bool {
        false
    }
}

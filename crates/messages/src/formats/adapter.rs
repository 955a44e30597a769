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

    /// True if a message has a single part, so that a turn of the agent is several messages.
    fn is_item_based(&self) -> bool {
        false
    }
}

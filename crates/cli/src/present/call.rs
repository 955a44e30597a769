//! Printing one call.

use countersign_api as api;
use countersign_gate::Timestamp;
use countersign_tui::present::{
    call::{ValueDetail, describe_call},
    print::{print_json, print_line},
};

/// Prints a call, as JSON or as text.
pub(crate) fn print_call(
    json: bool,
    call: &api::Call,
    now: Timestamp,
    detail: ValueDetail<'_>,
) -> serde_json::Result<()> {
    if json {
        return print_json(call);
    }
    print_line(&describe_call(call, now, detail));
    Ok(())
}

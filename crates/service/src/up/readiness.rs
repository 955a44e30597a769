//! Whether the service answers.

use crate::process::{ServiceFiles, ServiceRecord};
use countersign_api::ApprovalGate;
use countersign_client::HttpGate;
use countersign_console::{CliError, CommandContext, CommandExit};
use std::time::Duration;

/// The time within which a running service answers.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(15);

/// Checks that the service answers and can work. A certificate may be for another name than the address that it listens on,
/// so HTTPS is not checked.
pub(super) async fn require_ready(
    context: &CommandContext,
    record: &ServiceRecord,
    files: &ServiceFiles,
) -> anyhow::Result<()> {
    if record.address().starts_with("https:") {
        return Ok(());
    }
    let gate = context.name_program(&HttpGate::connect(record.address())?)?;
    let why = match tokio::time::timeout(ANSWER_LIMIT, gate.ready()).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it does not answer within {} seconds", ANSWER_LIMIT.as_secs()),
    };
    let message = format!(
        "the service at {} (process {}) is not ready: {why}; its messages are in {}, and `countersign down` ends it",
        record.address(),
        record.pid,
        files.messages().display()
    );
    Err(CliError { exit: CommandExit::UNAVAILABLE, code: "service_not_ready", message }.into())
}

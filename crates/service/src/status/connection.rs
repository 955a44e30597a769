//! The status source: a server, the log's service on this machine, or the log itself.

use crate::process::{RunningService, ServiceFiles, ServiceRecord};
use countersign_api::{
    ApprovalGate, DailyQuery, DailyReview, GateError, SendOperation, StatusReport, operations,
};
use countersign_client::{HttpGate, without_password};
use countersign_console::{CallerSide, CommandContext, LogTarget, authorize, local_offset};
use serde::Serialize;
use std::time::Duration;

/// The time within which the service of this machine answers. Then the log is read.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The time within which the review of yesterday is read. Then it is left out.
const REVIEW_LIMIT: Duration = Duration::from_secs(5);

/// Where a status comes from.
#[derive(Debug, Default, Serialize)]
pub(super) struct StatusSource {
    /// The answering server's address.
    pub(super) server: Option<String>,
    /// The log, if it is known.
    pub(super) database: Option<String>,
    /// The log's service on this machine.
    pub(super) process: Option<ServiceRecord>,
    /// The reason why a service that runs did not answer.
    pub(super) trouble: Option<String>,
}

/// The status, and the review of yesterday for people.
pub(super) struct ReadStatus {
    pub(super) report: StatusReport,
    /// Absent if it was not wanted, or the caller may not have it.
    pub(super) yesterday: Option<DailyReview>,
}

impl ReadStatus {
    async fn read(context: &CommandContext, gate: &dyn ApprovalGate) -> Result<Self, GateError> {
        let report = gate.send(operations::ShowStatus {}).await?;
        Ok(Self { report, yesterday: read_yesterday(context, gate).await })
    }
}

/// Reads the review of yesterday, if it takes no longer than a person waits for the status. `policy daily` has it, too.
async fn read_yesterday(context: &CommandContext, gate: &dyn ApprovalGate) -> Option<DailyReview> {
    if context.json {
        return None;
    }
    let query = DailyQuery { days_at: local_offset(context.now()), day: None };
    tokio::time::timeout(REVIEW_LIMIT, gate.send(operations::ReviewDay { query })).await.ok()?.ok()
}

/// Reads the status from the place that knows most.
pub(super) async fn read_status(context: &CommandContext) -> anyhow::Result<(StatusSource, ReadStatus)> {
    if let LogTarget::Server(url) = context.settings.target()? {
        let source = StatusSource { server: Some(without_password(&url)), ..StatusSource::default() };
        return Ok((source, ReadStatus::read(context, &*context.connect().await?).await?));
    }
    let database = Some(context.settings.log_location()?);
    let mut source = StatusSource { database, ..StatusSource::default() };
    match find_service(context) {
        Ok(Some(record)) => match ask_service(context, &record).await {
            Ok(status) => {
                source.server = Some(record.address().to_owned());
                source.process = Some(record);
                return Ok((source, status));
            }
            Err(error) => {
                source.process = Some(record);
                source.trouble = Some(format!("{error:#}"));
            }
        },
        Ok(None) => {}
        Err(error) => source.trouble = Some(format!("{error:#}")),
    }
    Ok((source, ReadStatus::read(context, &*context.connect_to_read().await?).await?))
}

fn find_service(context: &CommandContext) -> anyhow::Result<Option<ServiceRecord>> {
    // Without a folder for the state, no service is registered.
    let Ok(files) = ServiceFiles::for_log(&context.settings.database()?) else { return Ok(None) };
    let Some(running) = RunningService::find(&files)? else { return Ok(None) };
    let why = || anyhow::anyhow!("process {} starts the service, and is not ready", running.pid);
    running.record.clone().map(Some).ok_or_else(why)
}

async fn ask_service(context: &CommandContext, record: &ServiceRecord) -> anyhow::Result<ReadStatus> {
    let authorities = context.settings.tls_authorities();
    let gate = HttpGate::connect_trusting(record.address(), authorities.as_deref())?;
    let gate = context.name_program(&gate)?;
    let gate = authorize(gate, &context.settings, record.address(), CallerSide::Person)?;
    let answer = tokio::time::timeout(ANSWER_LIMIT, gate.send(operations::ShowStatus {})).await;
    let slow = |_| {
        let why = format!("no answer within {} seconds", ANSWER_LIMIT.as_secs());
        GateError::new(countersign_api::ErrorCode::Unreachable, why)
    };
    Ok(ReadStatus { report: answer.map_err(slow)??, yesterday: read_yesterday(context, &gate).await })
}

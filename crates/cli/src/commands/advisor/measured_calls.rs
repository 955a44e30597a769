//! The calls that a measurement covers, and who may record one.

use super::measured_advisor::MeasuredExtent;
use crate::filters::parse_moment;
use countersign_api::SharedGate;
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_error};
use countersign_events::{ReportSource, Role, ThreadId, Timestamp};
use countersign_gate::{CallReader, CallSelection};
use serde::{Deserialize, Serialize};

/// Options that select the measured calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MeasuredCallArgs {
    /// Only calls proposed from this time on: a time such as 2026-01-31T12:00:00Z, or an age such as 30d
    #[arg(long, value_name = "WHEN", value_parser = check_moment)]
    pub(super) since: Option<String>,
    /// Only calls proposed and decided before this time
    #[arg(long, value_name = "WHEN", value_parser = check_moment)]
    pub(super) until: Option<String>,
    /// Only calls of this thread; such a measurement is not recorded
    #[arg(long, value_name = "THREAD")]
    pub(super) thread: Option<String>,
}

/// The selected calls of a log. An age means one time, however long the measurement takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MeasuredCalls {
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) thread: Option<ThreadId>,
    /// Events after this one are as if they had not happened.
    pub(super) up_to: i64,
}

/// Checks a time, and keeps it as it was typed: an age means another time in the next run.
fn check_moment(text: &str) -> Result<String, String> {
    parse_moment(text).map(|_| text.to_owned())
}

impl MeasuredCallArgs {
    /// Finds the selected part of the log.
    pub(super) async fn find_calls(&self, gate: &SharedGate) -> anyhow::Result<MeasuredCalls> {
        let moment =
            |text: &Option<String>| text.as_deref().map(parse_moment).transpose().map_err(CliError::usage);
        let (since, until) = (moment(&self.since)?, moment(&self.until)?);
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(CliError::usage("--until must be later than --since").into());
        }
        let thread = self.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
        let up_to = match until {
            // The position before the first event from then on.
            Some(until) => {
                let later = CallSelection { since: Some(until), ..CallSelection::default() };
                CallReader::open(&**gate, later).await?.first()
            }
            None => gate.tip(None).await?,
        };
        Ok(MeasuredCalls { since, until, thread, up_to })
    }

    /// Refuses to record a measurement that would prove less than it seems to: `remedy` is the way to measure without.
    pub(super) async fn check_may_record(
        &self,
        context: &CommandContext,
        remedy: &str,
    ) -> anyhow::Result<()> {
        if self.thread.is_some() {
            let message = format!(
                "a measurement of one thread says nothing about the others, so it is not recorded: {remedy}, or remove --thread"
            );
            return Err(CliError::usage(message).into());
        }
        // An admin token sees all threads, so no partial measurement is recorded as a complete one.
        let caller = context.find_server_caller().await?;
        if caller.is_some_and(|caller| !caller.roles.contains(&Role::Admin)) {
            let message =
                format!("only an admin records a measurement: {remedy}, or use the token of an admin");
            return Err(CliError { exit: CommandExit::REFUSED, code: "not_permitted", message }.into());
        }
        Ok(())
    }
}

impl MeasuredCalls {
    /// Opens a call reader.
    pub(super) async fn open_reader<'a>(&self, gate: &'a SharedGate) -> anyhow::Result<CallReader<'a>> {
        let Self { since, until, thread, .. } = self.clone();
        Ok(CallReader::open(&**gate, CallSelection { since, until, thread_id: thread }).await?)
    }

    /// The measured extent for these calls. `first` is the position before the first of them.
    pub(super) fn extent(&self, source: ReportSource, first: i64) -> MeasuredExtent {
        MeasuredExtent { source, after: self.since.map(|_| first), up_to: self.up_to }
    }
}

/// Says that a token hides some threads, which no number shows.
pub(super) async fn print_hidden_threads(context: &CommandContext) -> anyhow::Result<()> {
    let caller = context.find_server_caller().await?;
    if let Some(caller) = caller.filter(|caller| !caller.threads.is_empty()) {
        let threads = escape_text(&caller.threads.join(", "));
        print_error(&format!("This token sees only the threads {threads}; others are not measured."));
    }
    Ok(())
}

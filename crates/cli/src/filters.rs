//! Options that filter a list.

use countersign_api::LogFilter;
use countersign_console::CliError;
use countersign_events::{Principal, Timestamp, ToolName};
use countersign_policy::parse_span;
use countersign_store::Clock;
use std::path::PathBuf;

/// Filters by thread, tool, principal and time.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct FilterArgs {
    /// Only this thread
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL", value_parser = tool)]
    pub(crate) tool: Option<ToolName>,
    /// Only events of this principal: user:NAME, agent:NAME, policy:RULE or system:TASK
    #[arg(long, value_name = "PRINCIPAL", value_parser = parse_principal)]
    pub(crate) by: Option<Principal>,
    #[command(flatten)]
    pub(crate) span: TimeRangeArgs,
}

/// Filters of calls, by what their hook says of who asks.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CallFilterArgs {
    #[command(flatten)]
    pub(crate) shared: FilterArgs,
    /// Only calls of this agent and its sub-agents, as its hook names it: claude-code, or claude-code/explore
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Only calls of the project in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

/// Filters by time.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct TimeRangeArgs {
    /// Only from this time on: a time such as 2026-01-31T12:00:00Z, or an age such as 2h
    #[arg(long, value_name = "WHEN", value_parser = parse_moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only before this time
    #[arg(long, value_name = "WHEN", value_parser = parse_moment)]
    pub(crate) until: Option<Timestamp>,
}

/// Which part of a list to print.
#[derive(Debug, clap::Args)]
pub(crate) struct PageArgs {
    /// The maximum number of entries
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = 1..)]
    pub(crate) limit: i64,
    /// Continue after a page: its `next` in JSON
    #[arg(long, value_name = "CURSOR", default_value_t = 0, hide_default_value = true)]
    pub(crate) after: i64,
}

impl FilterArgs {
    pub(crate) fn filter(&self) -> anyhow::Result<LogFilter> {
        Ok(LogFilter {
            thread_id: self.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?,
            tool: self.tool.clone(),
            principal: self.by.clone(),
            ..self.span.filter()?
        })
    }
}

impl CallFilterArgs {
    /// The filter. A relative folder is one below the current folder.
    pub(crate) fn filter(&self) -> anyhow::Result<LogFilter> {
        let project = self.project.as_deref().map(std::path::absolute).transpose()?;
        let project = project.map(|folder| folder.components().collect::<PathBuf>().display().to_string());
        Ok(LogFilter { agent: self.agent.clone(), project, ..self.shared.filter()? })
    }
}

impl TimeRangeArgs {
    pub(crate) fn filter(&self) -> anyhow::Result<LogFilter> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since >= until
        {
            return Err(CliError::usage("--until must be later than --since").into());
        }
        Ok(LogFilter { since: self.since, until: self.until, ..LogFilter::default() })
    }
}

impl PageArgs {
    pub(crate) fn limit(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }

    /// The line after a list that is not complete.
    pub(crate) fn describe_more(&self) -> String {
        format!("There are more. Use -n {} to list more of them.", self.limit.saturating_mul(4))
    }
}

fn tool(text: &str) -> Result<ToolName, String> {
    ToolName::new(text).map_err(|why| why.to_string())
}

pub(crate) fn parse_principal(text: &str) -> Result<Principal, String> {
    text.parse().map_err(|why: countersign_events::principal::BadPrincipal| why.to_string())
}

pub(crate) fn parse_moment(text: &str) -> Result<Timestamp, String> {
    if let Some(span) = parse_span(text) {
        let now = Clock::System.now().as_millis();
        return Ok(Timestamp::from_millis(
            now.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        ));
    }
    text.parse().map_err(|_| {
        "expected a time such as 2026-01-31T12:00:00Z, or an age such as 90s, 15m, 2h or 1d".to_owned()
    })
}

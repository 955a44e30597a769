//! Which part of a list is wanted.

use crate::exit::Said;
use countersign_api::LogFilter;
use countersign_gate::{Clock, Principal, Timestamp, ToolName, policy::parse_span};

/// What narrows a list.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Only this thread
    #[arg(long, value_name = "T")]
    pub(crate) thread: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL", value_parser = tool)]
    pub(crate) tool: Option<ToolName>,
    /// Only what this one did: user:NAME, agent:NAME, policy:RULE or system:DUTY
    #[arg(long, value_name = "WHO", value_parser = principal)]
    pub(crate) by: Option<Principal>,
    #[command(flatten)]
    pub(crate) span: Span,
}

/// What narrows a list in time.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Span {
    /// Only from then on: a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only before then
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
}

/// How much of a list.
#[derive(Debug, clap::Args)]
pub(crate) struct Page {
    /// How many at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = 1..)]
    pub(crate) limit: i64,
    /// Go on after the page before: its `next` in JSON
    #[arg(long, value_name = "CURSOR", default_value_t = 0, hide_default_value = true)]
    pub(crate) after: i64,
}

impl Filters {
    pub(crate) fn filter(&self) -> anyhow::Result<LogFilter> {
        Ok(LogFilter {
            thread_id: self.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?,
            tool: self.tool.clone(),
            principal: self.by.clone(),
            ..self.span.filter()?
        })
    }
}

impl Span {
    pub(crate) fn filter(&self) -> anyhow::Result<LogFilter> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since >= until
        {
            return Err(Said::usage("--until is not later than --since, so nothing lies between").into());
        }
        Ok(LogFilter { since: self.since, until: self.until, ..LogFilter::default() })
    }
}

impl Page {
    pub(crate) fn limit(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }
}

fn tool(text: &str) -> Result<ToolName, String> {
    ToolName::new(text).map_err(|why| why.to_string())
}

fn principal(text: &str) -> Result<Principal, String> {
    text.parse().map_err(|why: countersign_gate::principal::BadPrincipal| why.to_string())
}

fn moment(text: &str) -> Result<Timestamp, String> {
    if let Some(span) = parse_span(text) {
        let now = Clock::System.now().as_millis();
        return Ok(Timestamp::from_millis(
            now.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        ));
    }
    text.parse().map_err(|_| {
        "it is a time such as 2026-01-31T12:00:00Z, or how long ago, such as 90s, 15m, 2h or 1d".to_owned()
    })
}

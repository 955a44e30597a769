//! `countersign log`

pub(super) mod proof;

use crate::{filters::FilterArgs, grant_origins::GrantOriginCache, pages::read_pages};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use countersign_api::{LogFilter, SharedGate};
use countersign_console::{
    CliError, CommandContext, CommandExit, EVENT_COLUMNS, ProgressLine, ScreenFormat, TextStyle,
    describe_event, escape_text, format_csv_row, format_event_row, format_json_line, truncate_text,
    try_print_line,
};
use countersign_events::{ApprovalResponse, Decision, Event, EventType};
use futures_util::StreamExt;
use proof::ProofTrail;
use std::{collections::VecDeque, sync::Arc};
use unicode_width::UnicodeWidthStr;

/// Options of `log`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: one event per line, as in the API: {\"seq\", \"threadId\", \"type\", \"timestamp\", \"principal\", \"data\", \
\"hash\"}. With --proof, each has \"text\", the exact text of \"data\", and \"previous\", the link before it, and the last line \
is {\"proof\": {\"events\", \"first\": the seq of the first event, \"last\": SEQ:HASH, \"tip\": SEQ:HASH}}

CSV: a header, then one event per row, with the text of \"data\" as it is in the log. A cell that begins with =, +, -, @ or \
a control character gets an apostrophe before it, so that a spreadsheet does not compute it.")]
pub(crate) struct LogArgs {
    #[command(flatten)]
    filters: FilterArgs,
    /// Only events of this type
    #[arg(
        long = "type",
        help = "Only events of this type, such as TOOL_CALL; several may be named",
        value_name = "TYPE",
        value_parser = event_type
    )]
    types: Vec<EventType>,
    /// Only final decisions with this outcome
    #[arg(long, value_name = "DECISION", value_parser = decisions(), conflicts_with = "types")]
    decision: Option<Decision>,
    /// Print CSV, for spreadsheets
    #[arg(long)]
    csv: bool,
    /// With --json, add to each event what its hash covers, so that `docs/verify_export.py` can check the lines
    #[arg(long, conflicts_with_all = ["csv", "follow"])]
    proof: bool,
    /// Only the last N events
    #[arg(short = 'n', long, value_name = "N")]
    last: Option<usize>,
    /// Follow new events until Ctrl-C; starts with the last 10 events unless --last or --since is given
    #[arg(short, long, conflicts_with = "until")]
    follow: bool,
}

/// The first search for the last events covers this many events for each one that is wanted.
const FIRST_LOOK: i64 = 4;
/// In a narrower terminal, a line omits the year and the seconds, and truncates the thread.
const WIDE: usize = 120;
/// The number of events before the first new one with `--follow`.
const SOME: usize = 10;

fn decisions() -> impl TypedValueParser<Value = Decision> {
    PossibleValuesParser::new(Decision::ALL.iter().map(|decision| decision.as_str()))
        .try_map(|text| text.parse::<Decision>())
}

fn event_type(text: &str) -> Result<EventType, String> {
    let upper = text.to_ascii_uppercase().replace('-', "_");
    let known = || EventType::ALL.iter().map(EventType::as_str).collect::<Vec<_>>().join(", ");
    upper.parse().map_err(|_| format!("use one of {}", known()))
}

pub(crate) async fn print_log(context: &CommandContext, args: &LogArgs) -> anyhow::Result<CommandExit> {
    if args.csv && context.json {
        return Err(CliError::usage("use --csv or --json, not both").into());
    }
    if args.proof && !context.json {
        return Err(CliError::usage("--proof needs --json").into());
    }
    let gate = context.connect_to_follow().await?;
    let response = args.decision.map(|_| EventType::ApprovalResponse);
    let types = args.types.iter().copied().chain(response).collect();
    let filter = LogFilter { types, ..args.filters.filter()? };
    let (screen, progress) = (context.screen(), context.progress("events"));
    let (csv, decision, origins) = (args.csv, args.decision, GrantOriginCache::default());
    let proof = args.proof.then(ProofTrail::default);
    let mut teller = EventPrinter { context, csv, proof, decision, screen, progress, origins };
    if csv {
        try_print_line(&format_csv_row(EVENT_COLUMNS));
    }
    let last = args.last.or_else(|| (args.follow && filter.since.is_none()).then_some(SOME));
    let told = match last {
        Some(last) => teller.tell_last(&gate, &filter, last).await?,
        None => teller.tell_all(&gate, &filter).await?,
    };
    if let (Some(proof), Some(_)) = (&teller.proof, told) {
        try_print_line(&proof.format_trailer(&gate).await?);
    }
    match told {
        Some(end) if args.follow => teller.follow(&gate, filter, end).await,
        _ => Ok(CommandExit::DONE),
    }
}

struct EventPrinter<'a> {
    context: &'a CommandContext,
    /// Whether the output is CSV.
    csv: bool,
    /// The links of the printed events, with `--proof`.
    proof: Option<ProofTrail>,
    /// Which decision outcome to print.
    decision: Option<Decision>,
    screen: ScreenFormat,
    progress: ProgressLine,
    origins: GrantOriginCache,
}

impl EventPrinter<'_> {
    /// True unless the event is a decision with another outcome than the wanted one.
    fn selects(&self, event: &Event) -> bool {
        let Some(wanted) = self.decision else { return true };
        event.data.read::<ApprovalResponse>().is_ok_and(|response| response.decision == wanted)
    }

    /// Prints all events. Returns the last position, or `None` if the reader has closed stdout.
    async fn tell_all(&mut self, gate: &SharedGate, filter: &LogFilter) -> anyhow::Result<Option<i64>> {
        let tip = gate.tip(None).await?;
        // Events that the filter excludes up to the tip need not be read again.
        let mut end = Some(tip);
        read_pages(0, async |page| {
            let found = gate.events(filter, page).await?;
            for event in &found.events {
                if !self.tell(gate, event).await? {
                    end = None;
                    return Ok(None);
                }
                end = end.max(Some(event.seq));
            }
            if let Some(next) = found.next {
                self.progress.update(next, tip);
            }
            Ok(found.next)
        })
        .await?;
        Ok(end)
    }

    /// Prints the last events. The log can only be read forwards, so the search starts further back each time.
    async fn tell_last(
        &mut self,
        gate: &SharedGate,
        filter: &LogFilter,
        last: usize,
    ) -> anyhow::Result<Option<i64>> {
        let tip = gate.tip(None).await?;
        let mut back = i64::try_from(last).unwrap_or(i64::MAX).saturating_mul(FIRST_LOOK).max(1_000);
        loop {
            let start = tip.saturating_sub(back).max(0);
            let (events, end) = self.last_after(gate, filter, start, last, tip).await?;
            if events.len() < last && start > 0 {
                back = back.saturating_mul(8);
                continue;
            }
            for event in &events {
                if !self.tell(gate, event).await? {
                    return Ok(None);
                }
            }
            return Ok(Some(end));
        }
    }

    async fn last_after(
        &mut self,
        gate: &SharedGate,
        filter: &LogFilter,
        start: i64,
        last: usize,
        tip: i64,
    ) -> anyhow::Result<(VecDeque<Arc<Event>>, i64)> {
        let mut kept = VecDeque::new();
        let mut end = tip;
        read_pages(start, async |page| {
            let found = gate.events(filter, page).await?;
            for event in found.events {
                end = end.max(event.seq);
                if !self.selects(&event) {
                    continue;
                }
                kept.push_back(event);
                if kept.len() > last {
                    kept.pop_front();
                }
            }
            if let Some(next) = found.next {
                self.progress.update(next - start, tip - start);
            }
            Ok(found.next)
        })
        .await?;
        Ok((kept, end))
    }

    async fn follow(
        &mut self,
        gate: &SharedGate,
        filter: LogFilter,
        after: i64,
    ) -> anyhow::Result<CommandExit> {
        let mut events = gate.follow(filter, after);
        while let Some(event) = events.next().await {
            if !self.tell(gate, &*event?).await? {
                return Ok(CommandExit::DONE);
            }
        }
        Err(CliError { exit: CommandExit::FAILED, code: "closed", message: "the log was closed".to_owned() }
            .into())
    }

    /// Prints one event. Returns whether the reader still accepts output.
    async fn tell(&mut self, gate: &SharedGate, event: &Event) -> anyhow::Result<bool> {
        if !self.selects(event) {
            return Ok(true);
        }
        self.progress.clear();
        if let Some(proof) = &mut self.proof {
            return Ok(try_print_line(&proof.format_line(gate, event).await?));
        }
        if self.context.json {
            return Ok(try_print_line(&format_json_line(event)?));
        }
        if self.csv {
            return Ok(try_print_line(&format_event_row(event)));
        }
        let origin = self.origins.look_up(gate, event).await?;
        let (style, text) = describe_event(event, origin);
        // Every time is in UTC, and says so.
        let moment = event.timestamp.to_string().replace('T', " ");
        let (thread, seq) = (escape_text(event.thread_id.as_str()), event.seq);
        let whole = format!("{seq:>5}  {}Z  {thread}  ", moment.get(..19).unwrap_or_default());
        // In a terminal, each event is one line. `show`, `--json` and pipes have the full text.
        let (before, text) = match self.screen.width {
            None => (whole, text),
            Some(width) => {
                let before = if width < WIDE {
                    let thread = truncate_text(&thread, width / 6);
                    format!("{seq:>5}  {}Z  {thread}  ", moment.get(5..16).unwrap_or_default())
                } else {
                    whole
                };
                let room = width.saturating_sub(before.width());
                (truncate_text(&before, width), truncate_text(&text, room))
            }
        };
        let (before, text) = (self.screen.paint(TextStyle::Dim, &before), self.screen.paint(style, &text));
        Ok(try_print_line(&format!("{before}{text}")))
    }
}

//! `countersign log`

use crate::target::Gate;
use crate::{
    args::Args,
    exit::{Exit, Said},
    filters::Filters,
    output::{self, visible},
    progress::Progress,
    screen::{Screen, Style},
    story, table, target,
};
use countersign_api::{self as api, LogFilter};
use countersign_gate::{Event, EventType};
use futures_util::StreamExt;
use std::{collections::VecDeque, sync::Arc};
use unicode_width::UnicodeWidthStr;

/// What to tell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: one event a line, as the API has it: {\"seq\", \"threadId\", \"type\", \"timestamp\", \"principal\", \"data\", \
\"hash\"}")]
pub(crate) struct Log {
    #[command(flatten)]
    filters: Filters,
    /// Only events of this type
    #[arg(
        long = "type",
        help = "Only events of this type, such as TOOL_CALL; several may be named",
        value_name = "TYPE",
        value_parser = event_type
    )]
    types: Vec<EventType>,
    /// Only the last so many
    #[arg(short = 'n', long, value_name = "N")]
    last: Option<usize>,
    /// Go on with what comes, until Ctrl-C; starts with the last 10 if neither --last nor --since is given
    #[arg(short, long, conflicts_with = "until")]
    follow: bool,
}

/// How far back the first look for the last events goes, for each that is wanted.
const FIRST_LOOK: i64 = 4;
/// Below so many columns a line does without the year, the seconds and the end of the thread's name.
const WIDE: usize = 120;
/// What following starts with.
const SOME: usize = 10;

fn event_type(text: &str) -> Result<EventType, String> {
    let upper = text.to_ascii_uppercase().replace('-', "_");
    let known = || EventType::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
    upper.parse().map_err(|_| format!("there is {}", known()))
}

pub(crate) async fn log(args: &Args, wish: &Log) -> anyhow::Result<Exit> {
    let gate = target::following(args).await?;
    let filter = LogFilter { types: wish.types.clone(), ..wish.filters.filter()? };
    let mut teller = Teller { args, screen: Screen::of(args), progress: Progress::of(args, "events") };
    let last = wish.last.or_else(|| (wish.follow && filter.since.is_none()).then_some(SOME));
    let told = match last {
        Some(last) => teller.tell_last(&gate, &filter, last).await?,
        None => teller.tell_all(&gate, &filter).await?,
    };
    match told {
        Some(end) if wish.follow => teller.follow(&gate, filter, end).await,
        _ => Ok(Exit::DONE),
    }
}

struct Teller<'a> {
    args: &'a Args,
    screen: Screen,
    progress: Progress,
}

impl Teller<'_> {
    /// Tells all that there is, and up to where; nothing if nobody listens any more.
    async fn tell_all(&mut self, gate: &Gate, filter: &LogFilter) -> anyhow::Result<Option<i64>> {
        let tip = gate.tip(None).await?;
        let mut page = api::PageQuery { after: 0, limit: api::MAX_PAGE };
        loop {
            let found = gate.events(filter, page).await?;
            for event in &found.events {
                if !self.tell(event)? {
                    return Ok(None);
                }
                page.after = event.seq;
            }
            match found.next {
                Some(next) => page.after = next,
                // What the filter passed over up to here need not be looked at again.
                None => return Ok(Some(page.after.max(tip))),
            }
            self.progress.at(page.after, tip);
        }
    }

    /// Tells the last ones. The log is read forwards alone, so it looks from ever further back.
    async fn tell_last(
        &mut self,
        gate: &Gate,
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
                if !self.tell(event)? {
                    return Ok(None);
                }
            }
            return Ok(Some(end));
        }
    }

    async fn last_after(
        &mut self,
        gate: &Gate,
        filter: &LogFilter,
        start: i64,
        last: usize,
        tip: i64,
    ) -> anyhow::Result<(VecDeque<Arc<Event>>, i64)> {
        let mut kept = VecDeque::new();
        let mut page = api::PageQuery { after: start, limit: api::MAX_PAGE };
        loop {
            let found = gate.events(filter, page).await?;
            for event in found.events {
                page.after = event.seq;
                kept.push_back(event);
                if kept.len() > last {
                    kept.pop_front();
                }
            }
            match found.next {
                Some(next) => page.after = next,
                None => return Ok((kept, page.after.max(tip))),
            }
            self.progress.at(page.after - start, tip - start);
        }
    }

    async fn follow(&mut self, gate: &Gate, filter: LogFilter, after: i64) -> anyhow::Result<Exit> {
        let mut events = gate.follow(filter, after);
        while let Some(event) = events.next().await {
            if !self.tell(&*event?)? {
                return Ok(Exit::DONE);
            }
        }
        Err(Said {
            exit: Exit::FAILED,
            code: "closed",
            message: "the log ends here: it was closed".to_owned(),
        }
        .into())
    }

    /// Tells one event. Whether somebody still listens.
    fn tell(&mut self, event: &Event) -> anyhow::Result<bool> {
        self.progress.clear();
        if self.args.json {
            return Ok(output::try_say(&output::json_line(event)?));
        }
        let (style, text) = story::of(event);
        let moment = event.timestamp.to_string().replace('T', " ");
        let (thread, seq) = (visible(event.thread_id.as_str()), event.seq);
        let whole = format!("{seq:>5}  {}  {thread}  ", moment.get(..19).unwrap_or_default());
        // A line for an event: the rest of it is in `show`, in --json, and wherever no terminal is.
        let (before, text) = match self.screen.width {
            None => (whole, text),
            Some(width) => {
                let before = if width < WIDE {
                    let thread = table::cut(&thread, width / 6);
                    format!("{seq:>5}  {}  {thread}  ", moment.get(5..16).unwrap_or_default())
                } else {
                    whole
                };
                let room = width.saturating_sub(before.width());
                (table::cut(&before, width), table::cut(&text, room))
            }
        };
        let (before, text) = (self.screen.paint(Style::Dim, &before), self.screen.paint(style, &text));
        Ok(output::try_say(&format!("{before}{text}")))
    }
}

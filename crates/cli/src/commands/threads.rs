//! `countersign threads`

use crate::target::Gate;
use crate::{
    args::Args,
    exit::Exit,
    filters::Page,
    output::{self, ago, visible},
    screen::{Screen, Style},
    story,
    table::{Cell, Fit, Table},
    target,
};
use countersign_api as api;
use countersign_gate::{Clock, event::Mode};

/// Which threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"threads\": [{\"threadId\", \"firstEventAt\", \"lastEventAt\", \"lastSeq\", \"calls\", \"pending\", \"mode\", \
\"closedAt\"}], \"next\": the cursor of the next page, or null}; of one thread that object alone")]
pub(crate) struct Threads {
    /// This one alone
    #[arg(value_name = "THREAD")]
    thread: Option<String>,
    #[command(flatten)]
    page: Page,
}

pub(crate) async fn threads(args: &Args, wish: &Threads) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let (threads, next) = match &wish.thread {
        Some(thread) => {
            let thread = gate.thread(&countersign_api::parse_thread_id(thread)?).await?;
            if args.json {
                output::say(&serde_json::to_string(&thread)?);
                return Ok(Exit::DONE);
            }
            (vec![thread], None)
        }
        None => list(&gate, &wish.page).await?,
    };
    if args.json {
        output::say(&serde_json::to_string(&api::ThreadPage { threads, next })?);
    } else if threads.is_empty() {
        output::say("There are no threads yet.");
    } else {
        output::say(&as_table(&threads).lay_out(&Screen::of(args)));
        if next.is_some() {
            output::complain(&format!(
                "There are more: -n {} shows more of them.",
                wish.page.limit.saturating_mul(4)
            ));
        }
    }
    Ok(Exit::DONE)
}

async fn list(gate: &Gate, wish: &Page) -> anyhow::Result<(Vec<api::ThreadSummary>, Option<i64>)> {
    let (mut threads, mut next) = (Vec::new(), Some(wish.after));
    while let Some(after) = next.filter(|_| threads.len() < wish.limit()) {
        let limit = (wish.limit() - threads.len()).min(api::MAX_PAGE);
        let page = gate.threads(api::PageQuery { after, limit }).await?;
        threads.extend(page.threads);
        next = page.next;
    }
    Ok((threads, next))
}

fn as_table(threads: &[api::ThreadSummary]) -> Table {
    let now = Clock::System.now();
    let mut table = Table::new(&[
        ("THREAD", Fit::Cut),
        ("CALLS", Fit::Number),
        ("WAITING", Fit::Number),
        ("MODE", Fit::Whole),
        ("LAST ACTIVE", Fit::Whole),
        ("STARTED", Fit::Spare),
    ]);
    for thread in threads {
        let waiting = if thread.pending > 0 { Style::Yellow } else { Style::Dim };
        let mode = match (thread.closed_at, thread.mode) {
            (Some(_), _) => Cell::styled(Style::Dim, "closed"),
            (None, Mode::Interactive) => story::mode(thread.mode).into(),
            (None, _) => Cell::styled(Style::Red, story::mode(thread.mode)),
        };
        table.row([
            visible(thread.thread_id.as_str()).into(),
            thread.calls.to_string().into(),
            Cell::styled(waiting, thread.pending.to_string()),
            mode,
            ago(thread.last_event_at, now).into(),
            ago(thread.first_event_at, now).into(),
        ]);
    }
    table
}

//! `countersign calls`

use crate::{
    args::Args,
    exit::Exit,
    filters::{Filters, Page},
    output::{self, ago, visible},
    progress::Progress,
    screen::{Screen, Style},
    story,
    table::{Cell, Fit, Table},
    target,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use countersign_api as api;
use countersign_gate::{Clock, State};

/// Which calls.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"calls\": [the calls, as the API has them], \"next\": the cursor of the next page, or null}"
)]
pub(crate) struct Calls {
    #[command(flatten)]
    filters: Filters,
    /// Only those that stand so
    #[arg(long, value_name = "STATE", value_parser = states())]
    state: Option<State>,
    #[command(flatten)]
    page: Page,
}

fn states() -> impl TypedValueParser<Value = State> {
    PossibleValuesParser::new(State::ALL.iter().map(|state| state.as_str()))
        .try_map(|text| text.parse::<State>())
}

pub(crate) async fn calls(args: &Args, wish: &Calls) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let (filter, state) = (wish.filters.filter()?, wish.state);
    let (mut calls, mut next) = (Vec::new(), Some(wish.page.after));
    let mut progress = Progress::of(args, "events");
    let mut newest = None;
    // For a state many calls are looked at and few are given, so what is still missing says nothing of how
    // many to ask for.
    let limit = if state.is_some() { api::MAX_PAGE } else { wish.page.limit().min(api::MAX_PAGE) };
    while let Some(after) = next.filter(|_| calls.len() < wish.page.limit()) {
        let page = gate.calls(&filter, state, api::PageQuery { after, limit }).await?;
        calls.extend(page.calls);
        next = page.next;
        // The cursor goes down from the newest event to the first.
        if let Some(next) = next {
            let of = *newest.get_or_insert(next);
            progress.at(of - next, of);
        }
    }
    progress.clear();
    if calls.len() > wish.page.limit() {
        calls.truncate(wish.page.limit());
        next = calls.last().map(|call: &api::Call| call.proposal.seq);
    }
    if args.json {
        output::say(&serde_json::to_string(&api::CallPage { calls, next })?);
    } else if calls.is_empty() {
        output::say("No such calls.");
    } else {
        output::say(&as_table(&calls).lay_out(&Screen::of(args)));
        if next.is_some() {
            output::complain(&format!(
                "There are more: -n {} shows more of them.",
                wish.page.limit.saturating_mul(4)
            ));
        }
    }
    Ok(Exit::DONE)
}

fn as_table(calls: &[api::Call]) -> Table {
    let now = Clock::System.now();
    let mut table = Table::new(&[
        ("ID", Fit::Whole),
        ("TOOL", Fit::Whole),
        ("STATE", Fit::Whole),
        ("PROPOSED", Fit::Whole),
        ("BY", Fit::Spare),
        ("THREAD", Fit::Cut),
        ("ARGUMENTS", Fit::Cut),
    ]);
    for call in calls {
        table.row([
            visible(call.id.as_str()).into(),
            visible(call.name.as_str()).into(),
            Cell::styled(style(call.state), call.state.to_string()),
            ago(call.proposal.at, now).into(),
            visible(call.proposal.principal.as_str()).into(),
            visible(call.thread_id.as_str()).into(),
            story::in_a_line(&call.arguments).into(),
        ]);
    }
    table
}

const fn style(state: State) -> Style {
    match state {
        State::Pending => Style::Yellow,
        State::Allowed | State::Running => Style::Green,
        State::Denied | State::Unknown => Style::Red,
        State::Finished => Style::Plain,
        State::Cancelled => Style::Dim,
    }
}

//! `countersign calls`

use crate::{
    filters::{CallFilterArgs, PageArgs},
    pages::read_pages,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use countersign_api as api;
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TableCell, TextStyle, TextTable, describe_empty_log, escape_text,
    format_age, print_error, print_json, print_line, summarize_arguments,
};
use countersign_events::{CallState, CallStateFilter, EffectPattern, Status};
use countersign_store::Clock;

/// Options of `calls`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"calls\": [the calls, as in the API], \"next\": the cursor of the next page, or null}"
)]
pub(crate) struct CallsArgs {
    #[command(flatten)]
    filters: CallFilterArgs,
    /// Only calls in this state, or in this part of a state
    #[arg(long, value_name = "STATE", value_parser = states())]
    state: Option<CallStateFilter>,
    /// Only calls that touch what this pattern names, such as .env or '*.prod.example.com', as recorded
    #[arg(long, value_name = "PATTERN", value_parser = touched)]
    touches: Option<EffectPattern>,
    #[command(flatten)]
    page: PageArgs,
}

fn touched(text: &str) -> Result<EffectPattern, String> {
    text.parse().map_err(|why: countersign_events::InvalidEffectPattern| why.to_string())
}

fn states() -> impl TypedValueParser<Value = CallStateFilter> {
    PossibleValuesParser::new(CallStateFilter::ALL.iter().map(|state| state.as_str()))
        .try_map(|text| text.parse::<CallStateFilter>())
}

pub(crate) async fn list_calls(context: &CommandContext, args: &CallsArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let filter = api::LogFilter { touches: args.touches.clone(), ..args.filters.filter()? };
    let state = args.state;
    let (mut calls, mut next) = (Vec::new(), None);
    let mut progress = context.progress("events");
    let mut newest = None;
    // With a state filter, each page may contain few matches, so read full pages.
    let limit = if state.is_some() || filter.touches.is_some() {
        api::MAX_PAGE
    } else {
        args.page.limit().min(api::MAX_PAGE)
    };
    read_pages(args.page.after, async |page| {
        let found = gate.calls(&filter, state, api::PageQuery { limit, ..page }).await?;
        calls.extend(found.calls);
        next = found.next;
        // The cursor runs from the newest event to the first.
        if let Some(next) = next {
            let of = *newest.get_or_insert(next);
            progress.update(of - next, of);
        }
        Ok(next.filter(|_| calls.len() < args.page.limit()))
    })
    .await?;
    progress.clear();
    if calls.len() > args.page.limit() {
        calls.truncate(args.page.limit());
        next = calls.last().map(|call: &api::Call| call.proposal.seq);
    }
    if context.json {
        print_json(&api::CallPage { calls, next })?;
    } else if calls.is_empty() {
        let empty = describe_empty_log(context, &*gate).await?;
        print_line(empty.as_deref().unwrap_or("No calls found."));
    } else {
        print_line(&as_table(&calls).format(&context.screen()));
        if next.is_some() {
            print_error(&args.page.describe_more());
        }
    }
    Ok(CommandExit::DONE)
}

fn as_table(calls: &[api::Call]) -> TextTable {
    let now = Clock::System.now();
    let mut table = TextTable::new(&[
        ("ID", ColumnFit::Whole),
        ("TOOL", ColumnFit::Whole),
        ("STATE", ColumnFit::Whole),
        ("PROPOSED", ColumnFit::Whole),
        ("BY", ColumnFit::Optional),
        ("DECIDED BY", ColumnFit::Optional),
        ("THREAD", ColumnFit::Truncated),
        ("ARGUMENTS", ColumnFit::Truncated),
    ]);
    for call in calls {
        table.add_row([
            escape_text(call.id.as_str()).into(),
            escape_text(call.name.as_str()).into(),
            state_cell(call),
            format_age(call.proposal.at, now).into(),
            escape_text(call.proposal.principal.as_str()).into(),
            describe_decider(call).into(),
            escape_text(call.thread_id.as_str()).into(),
            summarize_arguments(&call.arguments).into(),
        ]);
    }
    table
}

/// The state, and the result if the state alone does not tell it: success or failure, and an expiry.
fn state_cell(call: &api::Call) -> TableCell {
    let style = match call.state {
        CallState::Pending => TextStyle::Yellow,
        CallState::Allowed | CallState::Running => TextStyle::Green,
        CallState::Denied | CallState::Unknown => TextStyle::Red,
        CallState::Finished | CallState::Other => TextStyle::Plain,
        CallState::Cancelled => TextStyle::Dim,
    };
    let told = [Status::Denied, Status::Cancelled];
    match call.result.as_ref().map(|result| result.status).filter(|status| !told.contains(status)) {
        Some(Status::Error) => TableCell::styled(TextStyle::Red, format!("{}: error", call.state)),
        Some(status) => TableCell::styled(style, format!("{}: {}", call.state, status.as_str())),
        None => TableCell::styled(style, call.state.as_str()),
    }
}

/// The principal that decided; for a grant, the person who gave it; for a rule or a setting of the thread, also the person who
/// made it.
fn describe_decider(call: &api::Call) -> String {
    let Some(response) = &call.response else { return String::new() };
    let by = escape_text(&response.decider());
    if let Some((origin, grant)) = response.grant_origin.as_ref().zip(response.grant) {
        return format!("{}, grant {grant}", escape_text(origin.principal.as_str()));
    }
    match response.person() {
        Some(person) if *person != response.principal => {
            format!("{by}, set by {}", escape_text(person.as_str()))
        }
        _ => by,
    }
}

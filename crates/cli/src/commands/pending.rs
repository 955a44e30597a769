//! `countersign pending`

use crate::{filters::CallFilterArgs, pages::read_pages};
use countersign_api as api;
use countersign_console::{
    CommandContext, CommandExit, ImpactSummary, JsonListPrinter, ValueDetail, describe_masked,
    describe_presence, escape_text, format_age, is_said_by_form, place_facts, print_line, question_lines,
    request_facts,
};
use countersign_events::Timestamp;

/// Options of `pending`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"pending\": [the calls, the oldest request first], \"next\": null}")]
pub(crate) struct PendingArgs {
    #[command(flatten)]
    filters: CallFilterArgs,
    /// Print long arguments in full. Without it, they are folded
    #[arg(long)]
    full: bool,
}

pub(crate) async fn list_pending(
    context: &CommandContext,
    args: &PendingArgs,
) -> anyhow::Result<CommandExit> {
    let (gate, filter) = (context.connect().await?, args.filters.filter()?);
    let detail = if args.full { ValueDetail::Full } else { ValueDetail::Folded("--full") };
    let (mut count, mut list) = (0, None);
    // Each page is printed before the next is read: the arguments of all calls may not fit into the memory.
    read_pages(0, async |page| {
        let found = gate.pending(&filter, page).await?;
        count += found.pending.len();
        if context.json {
            let list = list.get_or_insert_with(|| JsonListPrinter::begin("pending"));
            found.pending.iter().try_for_each(|call| list.print_item(call))?;
        } else {
            found.pending.iter().for_each(|call| print_line(&describe_entry(call, context.now(), detail)));
        }
        Ok(found.next)
    })
    .await?;
    if let Some(list) = list {
        list.end("\"next\":null");
        return Ok(CommandExit::DONE);
    }
    if count == 0 {
        print_line(&format!("No call is pending in {}.", context.log_location()?));
        return Ok(CommandExit::DONE);
    }
    let how = context.command_prefix();
    print_line(&format!("{count} pending. Decide with: {how} allow ID, or {how} deny ID --comment REASON"));
    Ok(CommandExit::DONE)
}

/// Everything that a person needs to decide the call. A long argument is folded, and says so.
fn describe_entry(call: &api::Call, now: Timestamp, detail: ValueDetail<'_>) -> String {
    let (id, tool) = (escape_text(call.id.as_str()), escape_text(call.name.as_str()));
    let (thread, who) = (escape_text(call.thread_id.as_str()), escape_text(call.proposal.principal.as_str()));
    let mut text = format!("{id}  {tool}  by {who} in {thread}, {}\n", format_age(call.proposal.at, now));
    if let Some(description) = &call.description {
        text.extend(["    purpose: ", &escape_text(description), "\n"]);
    }
    let arguments = if is_said_by_form(call) { Vec::new() } else { detail.lines(&call.arguments) };
    for line in call.question.as_deref().into_iter().flat_map(question_lines).chain(arguments) {
        text.extend(["    ", &line, "\n"]);
    }
    for (name, place) in place_facts(call) {
        text.extend(["    ", name, ": ", &place, "\n"]);
    }
    let danger = ImpactSummary::from_call(call).describe_risk().map(|text| ("risk", text));
    let masked = describe_masked(call).map(|text| ("masked", text));
    // `show` prints the reason and similar calls.
    let asked = request_facts(call).into_iter().filter(|(label, _)| !matches!(*label, "asked" | "similar"));
    let agent = describe_presence(call, now).map(|text| ("agent", text));
    for (label, line) in danger.into_iter().chain(masked).chain(agent).chain(asked) {
        text.extend(["    ", label, ": ", &line, "\n"]);
    }
    text
}

//! `countersign grant prolong`

use crate::commands::decide::args::{DecisionSpan, parse_span};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    CommandContext, CommandExit, describe_limits, escape_text, print_json, print_line,
};
use countersign_events::GrantLimits;

/// Options of `grant prolong`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The new limits take the place of all that the grant has: without --uses, it answers any number of calls.\n\n\
JSON: {\"grants\": […], \"next\"}, the active grants"
)]
pub(crate) struct GrantProlongArgs {
    /// The thread
    thread: String,
    /// The grant number from `grant list`
    #[arg(value_name = "GRANT")]
    grant: i64,
    /// The time for which it lasts from now on, such as 30m, 2h or 1d, or `thread` while the thread is open
    #[arg(long = "for", value_name = "TIME", value_parser = parse_span)]
    span: DecisionSpan,
    /// The number of calls that it answers in all, with those that it has answered
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(GrantLimits::MAX_USES)))]
    uses: Option<u32>,
}

pub(crate) async fn prolong_grant(
    context: &CommandContext,
    args: &GrantProlongArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_decide().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let body = api::ProlongRequest { expires_in_seconds: args.span.seconds(), uses: args.uses };
    let active = gate.send(operations::ProlongGrant { thread, seq: args.grant, body }).await?;
    if context.json {
        print_json(&active)?;
        return Ok(CommandExit::DONE);
    }
    let found = active.grants.iter().find(|grant| grant.seq == args.grant);
    let limits =
        found.map_or_else(String::new, |grant| format!(" {}", describe_limits(grant.until, grant.uses)));
    let (grant, thread) = (args.grant, escape_text(&args.thread));
    print_line(&format!("Grant {grant} of thread {thread} now lasts{limits}."));
    Ok(CommandExit::DONE)
}

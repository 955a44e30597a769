//! `countersign thread list`

use super::table::thread_table;
use crate::{filters::PageArgs, pages::read_pages};
use countersign_api::{self as api, SendOperation, SharedGate, operations};
use countersign_console::{CommandContext, CommandExit, print_error, print_json, print_line};

/// Options of `thread list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"threads\": [{\"threadId\", \"firstEventAt\", \"lastEventAt\", \"lastSeq\", \"calls\", \"pending\", \"mode\", \
\"closedAt\"}], \"next\": the cursor of the next page, or null}")]
pub(crate) struct ThreadListArgs {
    #[command(flatten)]
    page: PageArgs,
}

pub(crate) async fn list_threads(
    context: &CommandContext,
    args: &ThreadListArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let (threads, next) = read_threads(&gate, &args.page).await?;
    if context.json {
        print_json(&api::ThreadPage { threads, next })?;
    } else if threads.is_empty() {
        print_line("There are no threads.");
    } else {
        print_line(&thread_table(&threads, context.now()).format(&context.screen()));
        if next.is_some() {
            print_error(&args.page.describe_more());
        }
    }
    Ok(CommandExit::DONE)
}

async fn read_threads(
    gate: &SharedGate,
    page: &PageArgs,
) -> anyhow::Result<(Vec<api::ThreadSummary>, Option<i64>)> {
    let (mut threads, mut next) = (Vec::new(), None);
    read_pages(page.after, async |query| {
        let limit = (page.limit() - threads.len()).min(api::MAX_PAGE);
        let found = gate.send(operations::ListThreads { query: api::PageQuery { limit, ..query } }).await?;
        threads.extend(found.threads);
        next = found.next;
        Ok(next.filter(|_| threads.len() < page.limit()))
    })
    .await?;
    Ok((threads, next))
}

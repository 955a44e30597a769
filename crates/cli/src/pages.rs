//! Reading and printing lists, page by page.

use countersign_api::{MAX_PAGE, PageQuery};
use countersign_console::{CommandContext, CommandExit, TextTable, print_json, print_line};
use serde::Serialize;

/// Reads the pages of a list from a position on. `read` reads one, and returns the position of the next.
pub(crate) async fn read_pages(
    first: i64,
    mut read: impl AsyncFnMut(PageQuery) -> anyhow::Result<Option<i64>>,
) -> anyhow::Result<()> {
    let mut next = Some(first);
    while let Some(after) = next {
        next = read(PageQuery { after, limit: MAX_PAGE }).await?;
    }
    Ok(())
}

/// Prints a list as JSON, as a table, or the words for an empty one.
pub(crate) fn print_list(
    context: &CommandContext,
    list: &impl Serialize,
    table: &TextTable,
    empty: &str,
) -> anyhow::Result<CommandExit> {
    if context.json {
        print_json(list)?;
    } else if table.is_empty() {
        print_line(empty);
    } else {
        print_line(&table.format(&context.screen()));
    }
    Ok(CommandExit::DONE)
}

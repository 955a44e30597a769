//! Reading a list whole, page by page.

use countersign_api::{GateError, MAX_PAGE, PageQuery};

/// Reads the pages of a list from a position on. `read` reads one, and returns the position of the next.
pub(crate) async fn read_pages(
    first: i64,
    mut read: impl AsyncFnMut(PageQuery) -> Result<Option<i64>, GateError>,
) -> Result<(), GateError> {
    let mut next = Some(first);
    while let Some(after) = next {
        next = read(PageQuery { after, limit: MAX_PAGE }).await?;
    }
    Ok(())
}

//! The inbox in a terminal (`countersign watch`): a person reads the pending calls and decides them.

mod document;
mod draw;
mod draw_list;
mod feed;
mod foot;
mod full;
mod heading;
mod help;
mod inbox;
mod keyboard;
mod list;
mod log_access;
mod options;
mod page;
mod painter;
mod picture;
mod plain;
mod screen;
#[cfg(test)]
mod tests;
mod view;

pub use inbox::order::CallOrder;
pub use options::{EndNotice, WatchError, WatchExit, WatchOptions};

use futures_util::future::BoxFuture;
use std::io::IsTerminal;

/// Shows the inbox until the person leaves: on the whole screen, or line by line if `plain` is set or the terminal
/// cannot draw. The future hides its type, because each command that awaits it would otherwise compile the inbox again.
#[must_use]
#[inline(never)]
pub fn run_watch(options: WatchOptions, plain: bool) -> BoxFuture<'static, Result<WatchExit, WatchError>> {
    Box::pin(async move {
        if plain || !can_draw() { plain::run(options).await } else { full::run(options).await }
    })
}

/// Returns true if stdin and stdout are a terminal that supports more than lines.
#[must_use]
pub fn can_draw() -> bool {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    !dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

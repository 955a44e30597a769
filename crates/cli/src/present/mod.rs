//! Output of the commands: tables, events, progress and errors. Text about calls is in [`countersign_tui::present`].

pub(crate) mod call;
pub(crate) mod confirm;
pub(crate) mod csv;
pub(crate) mod error;
pub(crate) mod event;
mod message;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod table;
pub(crate) mod text_diff;
pub(crate) mod words;

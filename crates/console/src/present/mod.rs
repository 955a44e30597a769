//! Output for people: the text that describes calls, tables, events, progress and errors.

pub(crate) mod call;
pub(crate) mod confirm;
pub(crate) mod csv;
pub(crate) mod daily;
pub(crate) mod decision;
pub(crate) mod editor;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod facts;
pub(crate) mod impact;
pub(crate) mod json;
pub(crate) mod limits;
mod message;
pub(crate) mod presence;
pub(crate) mod print;
pub(crate) mod progress;
pub(crate) mod question;
pub(crate) mod scope_menu;
pub(crate) mod screen;
pub(crate) mod signals;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod text_diff;
pub(crate) mod words;

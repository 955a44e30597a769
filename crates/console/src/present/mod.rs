//! Output for people: the text that describes calls, tables, events, progress and errors.

pub mod call;
pub mod confirm;
pub mod csv;
pub mod decision;
pub mod editor;
pub mod error;
pub mod event;
pub mod facts;
pub mod impact;
pub mod json;
mod message;
pub mod presence;
pub mod print;
pub mod progress;
pub mod scope_menu;
pub mod screen;
pub mod signals;
pub mod summary;
pub mod table;
pub mod text;
pub mod text_diff;
pub mod words;

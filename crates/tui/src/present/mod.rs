//! Text that describes calls to people, shared by the inbox and the command line.

pub mod call;
pub mod decision;
pub mod editor;
pub mod facts;
pub mod impact;
pub mod json;
pub mod presence;
pub mod print;
pub mod scope_menu;
pub mod signals;
pub mod summary;
pub mod text;

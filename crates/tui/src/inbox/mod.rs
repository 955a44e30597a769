//! The inbox state, without a terminal: events and keys go in, actions come out, and a picture of it can be
//! drawn at any moment.
//!
//! **A key never decides another call than the one that was on the screen when it was pressed.** The shown call
//! therefore keeps its place when others arrive. A call that another person decides stays on the screen until this
//! person leaves it. After a decision, the next call takes no decision for a moment.

mod answering;
mod decide;
mod edit;
mod events;
pub(crate) mod field;
pub(crate) mod guard;
mod keys;
pub(crate) mod message;
pub(crate) mod notes;
pub(crate) mod order;
pub(crate) mod presence;
pub(crate) mod question;
pub(crate) mod recent;
mod scope;
pub(crate) mod state;
mod take_back;
mod text_keys;
pub(crate) mod typed_answers;

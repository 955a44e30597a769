//! What the tests are told with: a town with a log, the people and agents who live in it, somebody's
//! own hand at the SQL shell, a PostgreSQL and a bad network before it, a server in the test's own process,
//! and chance that can be repeated.

#![expect(clippy::missing_panics_doc, reason = "a story that cannot go on ends in a panic, wherever it is")]

pub mod api;
mod chance;
mod hand;
mod layout;
mod outside;
mod persona;
pub mod postgres;
mod proxy;
mod seal;
mod town;

pub use chance::Chance;
pub use hand::{Hand, by_hand, plainly, psql, shell};
pub use layout::lay_out;
pub use outside::{Said, actor, in_private_mounts};
pub use persona::{Outcome, Persona, Proposal, code};
pub use proxy::{Cut, Proxy};
pub use seal::{LS, messages, seal, statement};
pub use town::{Database, Town, in_town, in_town_on, within_the_limit};

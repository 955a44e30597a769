//! Behaviour of SQLite alone: copied, removed, damaged and foreign files, and query plans.

mod damage;
mod opening;
mod plans;
mod read_only;
mod readers;
mod trouble;

//! What is of SQLite alone: a file that is copied, taken away, damaged, or somebody else's, and what SQLite
//! says of its plans.

mod damage;
mod opening;
mod plans;
mod trouble;

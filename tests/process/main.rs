//! What holds only if it holds over real processes: several on one file, killed at any moment, reached
//! by a terminal, over HTTP and by a plain SQL shell. Nothing here waits for a clock: a test goes on when
//! a process says something or ends, and one time limit stands round the whole of it.

mod arguments;
mod beginnings;
mod expiry;
mod harness;
mod interrupted;
mod kills;
mod lost_answers;
mod main_job;
mod races;
mod readers;
mod shell;
mod shutdown;
mod soak;
mod turned_down;
mod unread_log;

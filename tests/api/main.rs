//! Every endpoint over a real server: refusals first, then what it is for. One file for each file of
//! the server's `routes/`, and some for what they share.

mod arguments;
mod body;
mod calls;
mod cancel;
mod claim;
mod close;
mod conditional;
mod decide;
mod decide_all;
mod document;
mod door;
mod events;
mod finish;
mod gates;
mod grants;
mod guard;
mod health;
mod installed;
mod left;
mod listen;
mod metrics;
mod mode;
mod names;
mod pending;
mod policy;
mod propose;
mod show;
mod stats;
mod stream;
mod threads;

/// Everything is asked about, for ever.
const ASK: &str = "default = \"ask\"";

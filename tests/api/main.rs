//! Every endpoint over a real server: refusals first, then what it is for. One file for each file of
//! the server's `routes/`.

mod arguments;
mod body;
mod cancel;
mod claim;
mod close;
mod decide;
mod document;
mod events;
mod finish;
mod gates;
mod grants;
mod guard;
mod health;
mod names;
mod pending;
mod propose;
mod show;
mod stream;

/// Everything is asked about, for ever.
const ASK: &str = "default = \"ask\"";

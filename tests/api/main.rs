//! Every endpoint, over HTTP to a real server: refusals first, then successes. Each file of the server's `routes/` has
//! a file here. Behaviour that several routes share has its own files.

mod access;
mod arguments;
mod body;
mod calls;
mod cancel;
mod claim;
mod close;
mod conditional;
mod cursor;
mod decide;
mod decide_all;
mod definition;
mod document;
mod door;
mod edits;
mod erase;
mod events;
mod exposed;
mod finish;
mod gates;
mod grants;
mod guard;
mod health;
mod installed;
mod left;
mod levels;
mod limits;
mod listen;
mod log_policy;
mod metrics;
mod mode;
mod names;
mod own_server;
mod pending;
mod policy;
mod presence;
mod propose;
mod quorum;
mod redacted;
mod release;
mod remember;
mod renew;
mod restrictions;
mod scope;
mod scopes;
mod show;
mod slow_clients;
mod stats;
mod stop;
mod stream;
mod threads;
mod tls;
mod waiting;

/// A policy that asks about every call.
const ASK: &str = "default = \"ask\"";

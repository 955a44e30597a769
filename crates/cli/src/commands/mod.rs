//! The commands, one module each, with the options of each command.

pub(crate) mod backup;
pub(crate) mod calls;
pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod copy;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod grant;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod pending;
pub(crate) mod policy;
pub(crate) mod reference;
pub(crate) mod release;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod stop;
pub(crate) mod thread;
pub(crate) mod verify;
pub(crate) mod version;
pub(crate) mod watch;

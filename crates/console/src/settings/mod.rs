//! The settings: a file, the environment and the command line, each stronger than the one before.

pub(crate) mod default_log;
pub(crate) mod effective;
pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod log_target;
pub(crate) mod notice;
pub(crate) mod options;
pub(crate) mod setting;
pub(crate) mod table;
pub(crate) mod value;

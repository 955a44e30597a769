//! The settings: a file, the environment and the command line, each stronger than the one before.

pub mod default_log;
pub mod effective;
pub mod file;
pub mod keys;
pub mod log_target;
pub mod notice;
pub mod options;
pub mod setting;
pub mod table;
pub mod value;

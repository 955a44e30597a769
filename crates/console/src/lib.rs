//! What the commands, the inbox and the service share: settings, the connection to the log, credentials, and output for
//! people.

pub mod advisor_access;
pub mod called_program;
pub mod context;
pub mod credentials;
pub mod empty_log;
pub mod exit;
pub mod file_lock;
pub mod policy_file;
pub mod present;
pub mod private_file;
pub mod settings;
pub mod webhook_sender;
pub mod wrap;

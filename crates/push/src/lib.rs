//! Notifications on people's devices, over the push services of browser vendors (RFC 8030). Each is encrypted for its device
//! (RFC 8291), and signed by this server (RFC 8292). Nothing is sent before a person has registered a device.
//!
//! [`PushRunner`] compares what each person has to decide with what each device shows, and sends the difference. What the
//! devices show stands beside the log, with the lease of the server that sends.

mod device_address;
mod encryption;
mod notice;
mod notice_plan;
mod push_key;
mod push_progress;
mod push_runner;
mod push_sender;
mod push_session;

pub use push_runner::PushRunner;
pub use push_sender::PushSender;

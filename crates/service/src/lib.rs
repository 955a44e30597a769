//! A log's service: starting it in the foreground or the background, stopping it, and looking at its health.

pub mod checkpoint;
pub mod doctor;
pub mod down;
mod process;
pub mod serve;
pub mod status;
pub mod up;

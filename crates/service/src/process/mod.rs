//! A log's service on this machine: the files that describe it, and whether it runs. Each `serve` holds a lock on a
//! file, which the kernel releases when the process ends in any way, and names the process that holds it. So neither a file
//! that a killed process left nor a process id that is used again can mislead.

mod files;
mod record;
mod running;
mod start_lock;

pub(crate) use files::ServiceFiles;
pub(crate) use record::{ServiceRecord, ServiceStarter};
pub(crate) use running::{RunningService, lock_service};
pub(crate) use start_lock::lock_start;

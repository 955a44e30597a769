//! The process that serves a log, as the kernel knows it.

use super::{
    files::{ServiceFiles, open_lock_file},
    record::ServiceRecord,
};
use countersign_console::{CliError, CommandExit};
use rustix::{
    fs::{FlockOperation, fcntl_lock},
    io::Errno,
    process::{Flock, FlockType, Pid, Signal, fcntl_getlk},
};
use std::{fs::File, io::ErrorKind};

/// The process that serves a log.
#[derive(Debug, Clone)]
pub(crate) struct RunningService {
    pub(crate) pid: Pid,
    /// Its description; `None` while it starts.
    pub(crate) record: Option<ServiceRecord>,
}

/// Takes the service lock for this process, until the returned file is closed; `None` if another process has it. A
/// process must open the file only once: closing another handle releases the lock.
pub(crate) fn lock_service(files: &ServiceFiles) -> anyhow::Result<Option<File>> {
    let file = open_lock_file(&files.service_lock())?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

impl RunningService {
    /// Finds the process that serves the log; `None` if there is none.
    pub(crate) fn find(files: &ServiceFiles) -> anyhow::Result<Option<Self>> {
        let file = match File::open(files.service_lock()) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(held) = fcntl_getlk(&file, &Flock::from(FlockType::WriteLock))? else { return Ok(None) };
        let Some(pid) = held.pid else {
            let message = "the service of this log runs where this process cannot see it, such as in another container; \
                           use it there, or name its address with --server"
                .to_owned();
            return Err(CliError { exit: CommandExit::REFUSED, code: "service_elsewhere", message }.into());
        };
        // A record that an earlier service left names another process.
        let record = ServiceRecord::read(files).filter(|record| record.pid == pid.as_raw_nonzero().get());
        Ok(Some(Self { pid, record }))
    }

    /// Asks the process to end. It signals only the process that holds the lock, even if its process id is used again
    /// meanwhile. Returns false if the service has ended by itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn terminate(&self, files: &ServiceFiles) -> anyhow::Result<bool> {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        let handle = match pidfd_open(self.pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(Errno::SRCH) => return Ok(false),
            Err(why) => return Err(why.into()),
        };
        // The process still holds the lock now, so the handle is that of this process.
        if !Self::find(files)?.is_some_and(|found| found.pid == self.pid) {
            return Ok(false);
        }
        match pidfd_send_signal(&handle, Signal::TERM) {
            Ok(()) => Ok(true),
            Err(Errno::SRCH) => Ok(false),
            Err(why) => Err(why.into()),
        }
    }

    /// Asks the process to end. It signals only a process that holds the lock.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn terminate(&self, files: &ServiceFiles) -> anyhow::Result<bool> {
        if !Self::find(files)?.is_some_and(|found| found.pid == self.pid) {
            return Ok(false);
        }
        match rustix::process::kill_process(self.pid, Signal::TERM) {
            Ok(()) => Ok(true),
            Err(Errno::SRCH) => Ok(false),
            Err(why) => Err(why.into()),
        }
    }

    /// Blocks until no process serves the log.
    pub(crate) fn wait_until_ended(files: &ServiceFiles) -> anyhow::Result<()> {
        let file = open_lock_file(&files.service_lock())?;
        Ok(rustix::io::retry_on_intr(|| fcntl_lock(&file, FlockOperation::LockExclusive))?)
    }
}

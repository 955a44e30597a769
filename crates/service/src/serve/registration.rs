//! Registration of a log's service, by which `up`, `down` and `status` find it.

use super::addresses::ServerAddresses;
use crate::process::{ServiceFiles, ServiceRecord, ServiceStarter, lock_service};
use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_store::DatabaseUrl;
use std::fs::File;

/// The lock of this service, until it is dropped.
pub(super) struct ServiceRegistration {
    _lock: File,
}

/// Separates a service in the background from the terminal of `up`, which may close.
pub(super) fn leave_terminal(background: bool) {
    if background {
        // It fails only in a process that leads a session already.
        let _ = rustix::process::setsid();
    }
}

/// How the service was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServiceTerms {
    pub(super) background: bool,
    /// Callers need no token.
    pub(super) solo: bool,
}

/// Registers this process as the log's service. `None` if another process serves it too, or if there is no folder for
/// the state; only a service in the background needs the registration.
pub(super) fn register_service(
    context: &CommandContext,
    address: &DatabaseUrl,
    addresses: &ServerAddresses,
    terms: ServiceTerms,
) -> anyhow::Result<Option<ServiceRegistration>> {
    let registered = ServiceFiles::for_log(address).and_then(|files| {
        files.create_folder()?;
        let Some(lock) = lock_service(&files)? else { return Err(already_running(&files)) };
        let record = ServiceRecord {
            pid: std::process::id().cast_signed(),
            addresses: addresses.urls.clone(),
            pages: addresses.pages.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: context.now(),
            started_by: ServiceStarter::of_this_process(terms.background),
            solo: terms.solo,
        };
        record.write(&files)?;
        Ok(ServiceRegistration { _lock: lock })
    });
    match registered {
        Ok(registration) => Ok(Some(registration)),
        Err(error) if terms.background => Err(error),
        Err(error) => {
            tracing::debug!(error = %format_args!("{error:#}"), "`status` and `up` do not find this service");
            Ok(None)
        }
    }
}

/// Lets the next `up` continue, once the service is ready: `up` passes the file that it has locked as stdin.
pub(super) fn release_start_lock(background: bool) -> anyhow::Result<()> {
    if background {
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    }
    Ok(())
}

fn already_running(files: &ServiceFiles) -> anyhow::Error {
    let message = format!("another service of {} runs already", files.log);
    CliError { exit: CommandExit::REFUSED, code: "already_running", message }.into()
}

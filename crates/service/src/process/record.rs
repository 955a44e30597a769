//! The description that a service writes about itself.

use super::files::ServiceFiles;
use countersign_api::{Timestamp, page_address};
use countersign_console::write_private;
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// A service record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServiceRecord {
    /// The process that wrote it.
    pub(crate) pid: i32,
    /// The addresses at which it listens.
    pub(crate) addresses: Vec<String>,
    /// The address at which browsers open its pages. Older versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pages: Option<String>,
    pub(crate) version: String,
    pub(crate) started_at: Timestamp,
    pub(crate) started_by: ServiceStarter,
    /// Whether callers need no token.
    pub(crate) solo: bool,
}

/// The way in which a service was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServiceStarter {
    /// `countersign up`
    Up,
    /// systemd
    Systemd,
    /// `countersign serve`, in a terminal or by another program
    Serve,
}

impl ServiceStarter {
    /// How this process was started.
    pub(crate) fn of_this_process(background: bool) -> Self {
        let exec_pid = std::env::var("SYSTEMD_EXEC_PID").ok();
        match exec_pid.and_then(|pid| pid.parse::<u32>().ok()) {
            _ if background => Self::Up,
            Some(pid) if pid == std::process::id() => Self::Systemd,
            _ if std::env::var_os("NOTIFY_SOCKET").is_some() => Self::Systemd,
            _ => Self::Serve,
        }
    }

    /// The starter in a sentence.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Up => "countersign up",
            Self::Systemd => "systemd",
            Self::Serve => "countersign serve",
        }
    }
}

impl ServiceRecord {
    pub(crate) fn write(&self, files: &ServiceFiles) -> io::Result<()> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        write_private(&files.record(), &text)
    }

    /// Reads the record of the last service; `None` if there is none that this version can read.
    pub(crate) fn read(files: &ServiceFiles) -> Option<Self> {
        serde_json::from_str(&fs::read_to_string(files.record()).ok()?).ok()
    }

    /// The address for browsers; `None` for a service that listens on a socket file alone.
    pub(crate) fn pages(&self) -> Option<String> {
        let address =
            || Some(self.address()).filter(|address| !address.starts_with("unix:")).map(page_address);
        self.pages.clone().or_else(address)
    }

    /// The address for clients of this machine.
    pub(crate) fn address(&self) -> &str {
        self.addresses.first().map_or("", String::as_str)
    }
}

//! The certificate of `serve`, which is read again when its files change.

use super::watched_files::{SETTLE, folder_of, watch_folder_of};
use countersign_server::ServerCertificate;
use countersign_store::Clock;
use notify::RecommendedWatcher;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The interval at which the server checks whether its certificate is about to expire.
const CHECK_INTERVAL: Duration = Duration::from_hours(12);

/// The time before its end at which a certificate is worth a warning.
pub(crate) const EXPIRES_SOON: Duration = Duration::from_hours(14 * 24);

/// Follows the certificate files.
pub(super) struct CertificateFollower {
    certificate: ServerCertificate,
    changed: Arc<Notify>,
    /// Ends with this value.
    watcher: Option<RecommendedWatcher>,
}

impl CertificateFollower {
    pub(super) fn new(certificate: ServerCertificate) -> Self {
        let mut follower = Self { certificate, changed: Arc::default(), watcher: None };
        follower.watch();
        follower.warn_about_expiry();
        follower
    }

    /// Wakes the file reader.
    pub(super) fn changed(&self) -> Arc<Notify> {
        Arc::clone(&self.changed)
    }

    /// Watches the folders of both files, and those that their links lead to.
    fn watch(&mut self) {
        let files = self.certificate.files();
        let linked = files.iter().filter_map(|path| path.canonicalize().ok());
        let folders: Vec<_> = files.iter().cloned().chain(linked).map(|path| folder_of(&path)).collect();
        match watch_folder_of(&files[0], &folders, &self.changed) {
            Ok(started) => self.watcher = Some(started),
            Err(error) => {
                let path = files[0].display();
                tracing::warn!(%path, %error, "the certificate cannot be watched; send SIGHUP after a change");
            }
        }
    }

    /// Reads the files again whenever they change, until `stop` is cancelled.
    pub(super) async fn follow(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.changed.notified() => self.read_again().await,
                () = Clock::System.sleep(CHECK_INTERVAL) => self.warn_about_expiry(),
            }
        }
    }

    async fn read_again(&mut self) {
        Clock::System.sleep(SETTLE).await;
        self.watch();
        match self.certificate.reload() {
            Ok(true) => {
                let expires_at = self.certificate.report().expires_at.map(tracing::field::display);
                tracing::info!(expires_at, "a new certificate is in use");
                self.warn_about_expiry();
            }
            // Other files of the folder change too.
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the certificate before stays in use"),
        }
    }

    fn warn_about_expiry(&self) {
        let Some(expires_at) = self.certificate.report().expires_at else { return };
        let now = Clock::System.now();
        if expires_at < now {
            tracing::error!(%expires_at, "the certificate has expired, and clients refuse it");
        } else if expires_at < now.after(EXPIRES_SOON) {
            tracing::warn!(%expires_at, "the certificate expires soon");
        }
    }
}

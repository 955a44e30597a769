//! Server certificates. A new pair of files replaces the old one while the server runs; a broken pair does not.

use super::{
    CertificateError,
    certificate_files::{CertificateFiles, LoadedCertificate},
};
use arc_swap::ArcSwap;
use countersign_events::Timestamp;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio_rustls::rustls::{
    ServerConfig,
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

/// A server certificate and its key, from two files. Clones share one state.
#[derive(Debug, Clone)]
pub struct ServerCertificate(Arc<SharedCertificate>);

/// The certificate state, for the readiness check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateReport {
    /// The time at which the certificate in use expires; `None` if it cannot be read.
    pub expires_at: Option<Timestamp>,
    /// The reason why newer files are not in use; `None` if the newest files are.
    pub rejected: Option<String>,
}

impl CertificateReport {
    /// Returns the current problems: why newer files are not in use, and that the certificate has expired. `None` if
    /// all is well.
    #[must_use]
    pub fn trouble(&self, now: Timestamp) -> Option<String> {
        let expired = self.expires_at.filter(|end| *end < now);
        let expired = expired.map(|end| format!("the certificate expired at {end}; clients refuse it"));
        let all: Vec<_> = self.rejected.clone().into_iter().chain(expired).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

#[derive(Debug)]
struct SharedCertificate {
    files: CertificateFiles,
    current: ArcSwap<LoadedCertificate>,
    rejected: Mutex<Option<String>>,
}

impl ServerCertificate {
    /// Reads a certificate (PEM, followed by those of its authorities) and its private key (PEM). Fails if a file
    /// cannot be used, if other users can read the key, or if the key does not belong to the certificate.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let files = CertificateFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        let current = ArcSwap::from_pointee(files.read()?);
        let certificate = SharedCertificate { files, current, rejected: Mutex::default() };
        Ok(Self(Arc::new(certificate)))
    }

    /// Reads the files again. New connections use the new pair; if it cannot be used, they still use the previous pair,
    /// and [`report`](Self::report) has the reason. Returns true if the certificate changed.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        let read = self.0.files.read();
        let rejected = read.as_ref().err().map(ToString::to_string);
        *self.0.rejected.lock().unwrap_or_else(PoisonError::into_inner) = rejected;
        let read = read?;
        let is_new = read.pair.cert != self.0.current.load().pair.cert;
        self.0.current.store(Arc::new(read));
        Ok(is_new)
    }

    /// Returns the certificate file and the key file.
    #[must_use]
    pub fn files(&self) -> [PathBuf; 2] {
        [self.0.files.certificate.clone(), self.0.files.key.clone()]
    }

    /// Returns the certificate's state.
    #[must_use]
    pub fn report(&self) -> CertificateReport {
        let rejected = self.0.rejected.lock().unwrap_or_else(PoisonError::into_inner).clone();
        CertificateReport { expires_at: self.0.current.load().expires_at, rejected }
    }

    /// Creates the TLS settings for a listener.
    pub(crate) fn config(&self) -> Result<Arc<ServerConfig>, CertificateError> {
        super::create_config(Arc::clone(&self.0) as Arc<_>).map_err(CertificateError::Setup)
    }
}

impl ResolvesServerCert for SharedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.load().pair))
    }
}

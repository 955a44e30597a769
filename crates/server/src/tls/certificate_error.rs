//! Errors of a certificate's files.

use std::{io, path::PathBuf};

/// The reason why a certificate and its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// Other users can read the key.
    #[error("{} is not used, because every user of this machine can access it; run chmod 600 (or 640 if another user owns it)", .0.display())]
    ExposedKey(PathBuf),
    /// The file has no certificate in PEM.
    #[error("{} contains no certificate; it must have the form of PEM, the certificate of the server first", .0.display())]
    NoCertificate(PathBuf),
    /// The file has no private key in PEM.
    #[error("{} contains no private key; it must have the form of PEM, without a passphrase", .0.display())]
    NoKey(PathBuf),
    /// The key belongs to another certificate.
    #[error("{} is not the key of the certificate in {}", key.display(), certificate.display())]
    OtherKey {
        /// The certificate file.
        certificate: PathBuf,
        /// The key file.
        key: PathBuf,
    },
    /// The pair cannot be used.
    #[error("{} and {} cannot be used together: {why}", certificate.display(), key.display())]
    BadPair {
        /// The certificate file.
        certificate: PathBuf,
        /// The key file.
        key: PathBuf,
        /// The TLS library's error.
        why: tokio_rustls::rustls::Error,
    },
    /// The server cannot use TLS.
    #[error("TLS cannot be set up: {0}")]
    Setup(tokio_rustls::rustls::Error),
}

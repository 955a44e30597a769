//! Reads a certificate and its key from their files.

use super::CertificateError;
use countersign_events::Timestamp;
use countersign_gate::{SecretFile, SecretFileError};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio_rustls::rustls::{
    Error,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject},
    sign::CertifiedKey,
};
use webpki::{EndEntityCert, KeyUsage};

/// The permissions of other users.
const OTHER_USERS: u32 = 0o007;

/// The longest key file, in bytes.
const MAX_KEY_BYTES: u64 = 1024 * 1024;

/// The files of a certificate.
#[derive(Debug)]
pub(super) struct CertificateFiles {
    /// The server certificate, followed by those of the authorities that signed it.
    pub(super) certificate: PathBuf,
    /// The private key.
    pub(super) key: PathBuf,
}

/// A certificate with its key.
#[derive(Debug)]
pub(super) struct LoadedCertificate {
    pub(super) pair: std::sync::Arc<CertifiedKey>,
    /// The time at which it expires; `None` if it cannot be read.
    pub(super) expires_at: Option<Timestamp>,
}

impl CertificateFiles {
    /// Reads the files, and checks that the key belongs to the certificate.
    pub(super) fn read(&self) -> Result<LoadedCertificate, CertificateError> {
        let text = fs::read(&self.certificate).map_err(|why| unreadable(&self.certificate, why))?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let chain = chain.ok().filter(|chain| !chain.is_empty());
        let chain = chain.ok_or_else(|| CertificateError::NoCertificate(self.certificate.clone()))?;
        let expires_at = read_expiry(&chain[0]);
        let pair = CertifiedKey::from_der(chain, self.read_key()?, &default_provider());
        let pair = pair.map_err(|why| self.pair_error(why))?;
        Ok(LoadedCertificate { pair: pair.into(), expires_at })
    }

    fn pair_error(&self, why: Error) -> CertificateError {
        let (certificate, key) = (self.certificate.clone(), self.key.clone());
        match why {
            Error::InconsistentKeys(_) => CertificateError::OtherKey { certificate, key },
            why => CertificateError::BadPair { certificate, key, why },
        }
    }

    /// Reads the key. The group may read it, because systemd and Kubernetes pass secrets that way. Other users may not.
    fn read_key(&self) -> Result<PrivateKeyDer<'static>, CertificateError> {
        let file = SecretFile { forbidden: OTHER_USERS, max_bytes: MAX_KEY_BYTES, may_be_pipe: true };
        let text = file.read(&self.key).map_err(|why| match why {
            SecretFileError::Exposed { .. } => CertificateError::ExposedKey(self.key.clone()),
            SecretFileError::Unreadable(why) => unreadable(&self.key, why),
            why => unreadable(&self.key, std::io::Error::other(why.to_string())),
        })?;
        PrivateKeyDer::from_pem_slice(text.expose()).map_err(|_| CertificateError::NoKey(self.key.clone()))
    }
}

fn unreadable(path: &Path, why: std::io::Error) -> CertificateError {
    CertificateError::Unreadable { path: path.to_owned(), why }
}

/// Reads the time at which a certificate expires. The library reports it only in the error about an expired
/// certificate, so this asks about a time far in the future. It checks the time before everything else.
fn read_expiry(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    let future = UnixTime::since_unix_epoch(Duration::from_secs(u64::MAX));
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let checked = certificate.verify_for_usage(&[], &[], &[], future, KeyUsage::server_auth(), None, None);
    let Err(webpki::Error::CertExpired { not_after, .. }) = checked else { return None };
    let millis = not_after.as_secs().checked_mul(1_000)?;
    i64::try_from(millis).ok().map(Timestamp::from_millis)
}

//! Reading a certificate and its key from their files.

use super::CertificateError;
use countersign_gate::Timestamp;
use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::MetadataExt,
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

/// The files of a certificate.
#[derive(Debug)]
pub(super) struct CertificateFiles {
    /// The certificate of the server, and after it those of the authorities that signed it.
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
    /// Reads the files, and checks that the key is that of the certificate.
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
        let mut file = File::open(&self.key).map_err(|why| unreadable(&self.key, why))?;
        let mode = file.metadata().map_err(|why| unreadable(&self.key, why))?.mode();
        if mode & OTHER_USERS != 0 {
            return Err(CertificateError::ExposedKey(self.key.clone()));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|why| unreadable(&self.key, why))?;
        PrivateKeyDer::from_pem_slice(&text).map_err(|_| CertificateError::NoKey(self.key.clone()))
    }
}

fn unreadable(path: &Path, why: std::io::Error) -> CertificateError {
    CertificateError::Unreadable { path: path.to_owned(), why }
}

/// Reads the time at which a certificate expires. The library tells it only in the error about an expired certificate,
/// so this asks about a time far in the future. It checks the time before everything else.
fn read_expiry(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    let future = UnixTime::since_unix_epoch(Duration::from_secs(u64::MAX));
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let checked = certificate.verify_for_usage(&[], &[], &[], future, KeyUsage::server_auth(), None, None);
    let Err(webpki::Error::CertExpired { not_after, .. }) = checked else { return None };
    let millis = not_after.as_secs().checked_mul(1_000)?;
    i64::try_from(millis).ok().map(Timestamp::from_millis)
}

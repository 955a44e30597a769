//! An authority that signs certificates for tests.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use std::{
    fs::OpenOptions,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// A certificate file and its key file.
#[derive(Debug, Clone)]
pub struct CertificatePair {
    /// The certificate (PEM).
    pub certificate: PathBuf,
    /// The private key (PEM).
    pub key: PathBuf,
}

/// An authority that signs certificates for this machine.
pub struct TestAuthority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl TestAuthority {
    /// Creates an authority that writes its files into `folder`. Its own certificate is `authority.pem`.
    #[must_use]
    pub fn made_in(folder: &Path) -> Self {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name.push(DnType::CommonName, "an authority of a test");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(parameters, key).expect("an authority");
        let authority = Self { issuer, folder: folder.to_owned() };
        write_secret(&authority.certificate(), &authority.issuer.pem());
        authority
    }

    /// Returns the authority certificate path.
    #[must_use]
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }

    /// Signs a certificate for loopback names that expires in the year 4096, and writes `{name}.pem` and `{name}.key`.
    #[must_use]
    pub fn sign(&self, name: &str) -> CertificatePair {
        self.sign_until(name, 4096)
    }

    /// Signs a certificate that expires when a year starts.
    #[must_use]
    pub fn sign_until(&self, name: &str, year: i32) -> CertificatePair {
        let names = ["localhost", "127.0.0.1", "approvals.example"].map(str::to_owned);
        let mut parameters = CertificateParams::new(names).expect("valid names");
        parameters.not_after = date_time_ymd(year, 1, 1);
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        self.write_pair(name, &certificate, &key)
    }

    /// Creates a certificate that is signed by itself. Like those of `openssl req -x509`, it is also that of an authority, unless
    /// `is_only_server`.
    #[must_use]
    pub fn sign_by_itself(&self, name: &str, is_only_server: bool) -> CertificatePair {
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let mut parameters = CertificateParams::new(names).expect("valid names");
        if !is_only_server {
            parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        self.write_pair(name, &certificate, &key)
    }

    fn write_pair(&self, name: &str, certificate: &Certificate, key: &KeyPair) -> CertificatePair {
        let file = |kind| self.folder.join(format!("{name}.{kind}"));
        let pair = CertificatePair { certificate: file("pem"), key: file("key") };
        write_secret(&pair.certificate, &certificate.pem());
        write_secret(&pair.key, &key.serialize_pem());
        pair
    }
}

/// Writes a file that only its owner can read.
fn write_secret(path: &Path, text: &str) {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("the folder is writable");
}

//! Certificates for a server that requires TLS: its own, the authority that signed it, and another authority.

use super::{installed::hand_over, template::run};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The certificates of one test. The server's certificate is valid for the name `localhost`, not for an IP address.
#[derive(Debug, Clone)]
pub struct TestCertificates {
    folder: PathBuf,
}

impl TestCertificates {
    /// Creates the certificates in `folder`.
    pub(super) fn made_in(folder: &Path) -> Self {
        let certificates = Self { folder: folder.to_path_buf() };
        for authority in ["authority", "stranger"] {
            let signs = ["-addext", "keyUsage=critical,keyCertSign", "-subj", "/CN=authority"];
            run(certificates.certificate(authority).args(signs));
        }
        let mut server = certificates.certificate("server");
        server.arg("-CA").arg(certificates.authority()).arg("-CAkey").arg(certificates.file("authority.key"));
        let extensions = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:localhost"];
        run(server.args(["-subj", "/CN=localhost", "-addext", extensions[0], "-addext", extensions[1]]));
        // The server accepts a key only if no other user can read it.
        fs::set_permissions(certificates.key(), fs::Permissions::from_mode(0o600)).expect("sets");
        hand_over(&certificates.key());
        hand_over(&certificates.server());
        certificates
    }

    /// Returns the certificate path of the authority that signed the server certificate.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.file("authority.pem")
    }

    /// Returns the certificate path of an authority with the same name that signed no certificate.
    #[must_use]
    pub fn stranger(&self) -> PathBuf {
        self.file("stranger.pem")
    }

    pub(super) fn server(&self) -> PathBuf {
        self.file("server.pem")
    }

    pub(super) fn key(&self) -> PathBuf {
        self.file("server.key")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn certificate(&self, name: &str) -> Command {
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]);
        openssl.args(["-days", "2", "-keyout"]).arg(self.file(&format!("{name}.key")));
        openssl.arg("-out").arg(self.file(&format!("{name}.pem")));
        openssl
    }
}

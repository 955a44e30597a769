//! Certificates for a server that requires TLS: the authority that signed its certificate, and one that did not.

use super::{installed::hand_over, template::run};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The certificates of one test. The server's is valid for `localhost`, and for no address.
#[derive(Debug, Clone)]
pub struct TestCertificates {
    folder: PathBuf,
}

impl TestCertificates {
    /// Creates them in that folder.
    pub(super) fn made_in(folder: &Path) -> Self {
        let made = Self { folder: folder.to_path_buf() };
        for authority in ["authority", "stranger"] {
            let signs = ["-addext", "keyUsage=critical,keyCertSign", "-subj", "/CN=authority"];
            run(made.certificate(authority).args(signs));
        }
        let mut server = made.certificate("server");
        server.arg("-CA").arg(made.authority()).arg("-CAkey").arg(made.file("authority.key"));
        let of_localhost = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:localhost"];
        run(server.args(["-subj", "/CN=localhost", "-addext", of_localhost[0], "-addext", of_localhost[1]]));
        // The server accepts a key only if no other user can read it.
        fs::set_permissions(made.key(), fs::Permissions::from_mode(0o600)).expect("sets");
        hand_over(&made.key());
        hand_over(&made.server());
        made
    }

    /// The authority that signed the server's certificate.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.file("authority.pem")
    }

    /// Another authority of the same name, which signed nothing.
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

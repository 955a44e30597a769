//! TLS: the server certificate, which may be replaced while the server runs, and the connection handshake.

mod certificate;
mod certificate_error;
mod certificate_files;

pub use certificate::{CertificateReport, ServerCertificate};
pub use certificate_error::CertificateError;

use std::sync::Arc;
use tokio_rustls::rustls::{self, ServerConfig, crypto::ring::default_provider, server::ResolvesServerCert};

/// Creates the TLS settings. Every handshake asks `certificate` for the current pair. The server speaks HTTP/1.1 only,
/// with TLS as without.
fn create_config(certificate: Arc<dyn ResolvesServerCert>) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

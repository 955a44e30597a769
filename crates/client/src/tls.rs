//! TLS of the client: which authorities it trusts. The settings are passed to each HTTP client, because a process has
//! only one default for all its libraries.

use countersign_api::{ErrorCode, GateError};
use reqwest::{Client, ClientBuilder, redirect::Policy};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{path::Path, sync::Arc};

/// The authorities whose certificates a client accepts.
pub(crate) enum TrustedAuthorities<'a> {
    /// None: the client does not use TLS.
    None,
    /// Those of the system.
    System,
    /// Only those in a file (PEM).
    File(&'a Path),
}

/// Creates an HTTP client without TLS that ignores the environment's proxies.
pub fn new_http_client() -> Result<Client, GateError> {
    let builder = builder(&TrustedAuthorities::None)?.no_proxy();
    builder.build().map_err(|why| GateError::new(ErrorCode::Internal, why.to_string()))
}

/// Creates an HTTP client for another service. It trusts the system's certificate authorities or only those in a PEM
/// file, follows no redirects, and uses the environment's proxies. With `is_local`, for a service on this machine
/// without TLS, it uses neither authorities nor proxies.
pub fn new_service_client(authorities: Option<&Path>, is_local: bool) -> Result<Client, GateError> {
    let authorities = match authorities {
        _ if is_local => TrustedAuthorities::None,
        Some(path) => TrustedAuthorities::File(path),
        None => TrustedAuthorities::System,
    };
    let builder = builder(&authorities)?.redirect(Policy::none());
    let builder = if is_local { builder.no_proxy() } else { builder };
    builder.build().map_err(|why| GateError::new(ErrorCode::Internal, why.to_string()))
}

/// Builds an HTTP client that trusts the system's certificate authorities, or none if the system has none.
pub fn new_http_client_builder() -> Result<ClientBuilder, GateError> {
    builder(&TrustedAuthorities::System).or_else(|_| builder(&TrustedAuthorities::None))
}

/// Builds an HTTP client that trusts these certificate authorities.
pub(crate) fn builder(authorities: &TrustedAuthorities<'_>) -> Result<ClientBuilder, GateError> {
    let roots = match authorities {
        TrustedAuthorities::None => RootCertStore::empty(),
        TrustedAuthorities::System => read_system_authorities()?,
        TrustedAuthorities::File(path) => read_authorities(path)?,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|why| GateError::new(ErrorCode::Internal, why.to_string()))?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    Ok(Client::builder().tls_backend_preconfigured(config))
}

fn read_system_authorities() -> Result<RootCertStore, GateError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let detail = "this system has no certificates of authorities; install the package ca-certificates, or name the \
                      authority of the server with --tls-ca";
        return Err(GateError::new(ErrorCode::BadUrl, detail));
    }
    Ok(roots)
}

fn read_authorities(path: &Path) -> Result<RootCertStore, GateError> {
    let bad = |why: &str| {
        let path = path.display();
        GateError::new(ErrorCode::BadUrl, format!("{path} has no certificate of an authority in PEM: {why}"))
    };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|why| bad(&why.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|why| bad(&why.to_string()))?;
        roots.add(certificate).map_err(|why| bad(&why.to_string()))?;
    }
    if roots.is_empty() { Err(bad("it is empty")) } else { Ok(roots) }
}

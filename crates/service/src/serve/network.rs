//! How a server is protected that other machines or web pages reach, from options and settings.

use super::args::NetworkArgs;
use countersign_console::{CliError, CommandContext, SettingKey, Settings, invalid_setting};
use countersign_server::{BoundListener, ListenAddress, ListenOptions, NetworkAccess, ServerCertificate};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
    str::FromStr,
};

/// Reads how browsers and proxies may reach the server.
pub(super) fn network_access(context: &CommandContext, args: &NetworkArgs) -> anyhow::Result<NetworkAccess> {
    let settings = &context.settings;
    Ok(NetworkAccess {
        proxies: read_list(settings, &args.behind_proxy, SettingKey::BehindProxy)?,
        public_urls: read_list(settings, &args.public_urls, SettingKey::PublicUrls)?,
        frame_by: read_list(settings, &args.frame_by, SettingKey::FrameBy)?,
        cors_origins: read_list(settings, &args.cors_origins, SettingKey::CorsOrigins)?,
    })
}

/// Reads the server's certificate; `None` if it speaks no TLS.
pub(super) fn certificate(
    context: &CommandContext,
    args: &NetworkArgs,
) -> anyhow::Result<Option<ServerCertificate>> {
    let named = match (&args.tls_certificate, &args.tls_key) {
        (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
        _ => certificate_paths(&context.settings)?,
    };
    let Some((certificate, key)) = named else { return Ok(None) };
    read_certificate(&certificate, &key).map(Some)
}

/// The certificate files that the settings name.
pub(crate) fn certificate_paths(settings: &Settings) -> anyhow::Result<Option<(PathBuf, PathBuf)>> {
    let path = |key| settings.text_with_origin(key).map(|(path, _)| PathBuf::from(path));
    match (path(SettingKey::TlsCertificate), path(SettingKey::TlsKey)) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        _ => Err(invalid_setting("tls_certificate and tls_key must be set together".to_owned())),
    }
}

/// Reads a certificate and its key.
pub(crate) fn read_certificate(certificate: &Path, key: &Path) -> anyhow::Result<ServerCertificate> {
    ServerCertificate::read(certificate, key).map_err(|why| invalid_setting(why.to_string()))
}

/// Returns how the server listens.
pub(super) fn listen_options(
    access: &NetworkAccess,
    certificate: Option<&ServerCertificate>,
    shared: bool,
) -> ListenOptions {
    let behind_proxy = !access.proxies.is_empty();
    ListenOptions { shared, certificate: certificate.cloned(), behind_proxy }
}

/// Warns if other machines reach the server, but no name under which they may.
pub(super) fn warn_about_missing_name(access: &NetworkAccess, listeners: &[BoundListener]) {
    let is_public = |listener: &BoundListener| match listener.address() {
        ListenAddress::Tcp(address) => !address.ip().is_loopback(),
        ListenAddress::Unix(_) => false,
    };
    if access.public_urls.is_empty() && listeners.iter().any(is_public) {
        tracing::warn!("requests for other names than localhost are refused; add names with --public-url");
    }
}

/// The values from the option, or else from the setting.
fn read_list<T: FromStr<Err: Display> + Clone>(
    settings: &Settings,
    given: &[T],
    key: SettingKey,
) -> anyhow::Result<Vec<T>> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    let Some((texts, origin)) = settings.texts(key) else { return Ok(Vec::new()) };
    let read = |text: &String| {
        text.parse().map_err(|why| CliError::usage(format!("{origin} is {text:?}: {why}")).into())
    };
    texts.iter().map(read).collect()
}

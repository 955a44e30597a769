//! The host that a request names, with or without a port.

use countersign_api::PAGE_HOST;
use std::net::IpAddr;

/// Returns a host's port; `None` without one.
pub(super) fn port_of(host: &str) -> Option<&str> {
    let (_, port) = host.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(port)
}

/// Returns a host without the default port of either scheme.
pub(super) fn without_default_port(authority: &str) -> &str {
    authority.strip_suffix(":80").or_else(|| authority.strip_suffix(":443")).unwrap_or(authority)
}

/// Returns a host without its port.
pub(super) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether a host, with or without a port, is a name of this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = without_port(host).trim_start_matches('[').trim_end_matches(']');
    [PAGE_HOST, "localhost"].iter().any(|own| name.eq_ignore_ascii_case(own))
        || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_own_names() {
        for host in [
            "127.0.0.1",
            "127.0.0.1:7878",
            "localhost:80",
            "[::1]:7878",
            "[::1]",
            "LOCALHOST",
            "countersign.localhost:1",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.localhost",
            "evil.example",
            "127.0.0.1.evil.example:7878",
            "localhost.evil",
            "10.0.0.1",
            "0.0.0.0",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}

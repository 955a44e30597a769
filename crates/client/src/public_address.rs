//! Addresses that a message to another service may reach. A person who may name the service, or a name server that they
//! trust, must not be able to reach services of the server's own machine or network through it (server-side request
//! forgery).

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The reason why a target is not permitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host} has the private address {address}")]
pub struct PrivateAddress {
    /// The host as it was written.
    pub host: String,
    /// The address.
    pub address: IpAddr,
}

/// Returns true for an address that is reachable from the whole internet. The sources are the special-purpose
/// registries of IANA (RFC 6890 and its updates).
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

/// Only `2000::/3` is given out, and in it some ranges carry an address of version 4 or have a special purpose.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, ..] = address.segments();
    match (a, b) {
        // The prefix of translators (RFC 6052), with the address of version 4 at the end.
        (0x64, 0xff9b) if c == 0 && d == 0 => is_public_v4(last_v4(address)),
        // 6to4, with the address of version 4 after the prefix.
        (0x2002, _) => {
            let [high, low] = b.to_be_bytes();
            let [third, fourth] = c.to_be_bytes();
            is_public_v4(Ipv4Addr::new(high, low, third, fourth))
        }
        // Protocol assignments with Teredo, documentation, and documentation again.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        (0x2000..=0x3fff, _) => true,
        _ => address.to_ipv4_mapped().is_some_and(is_public_v4),
    }
}

fn last_v4(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

/// Resolves names, and fails if one of the addresses is not public. The client then connects to the addresses that were
/// checked, so a name server cannot answer the check and the connection differently.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses = resolve_public(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Resolves a name. Fails if it has no address, or one that is not public.
pub(crate) async fn resolve_public(
    host: &str,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    // The client replaces port 0 with that of the address.
    let addresses: Vec<_> = tokio::net::lookup_host((host, 0)).await?.collect();
    check_public(host, addresses.iter().map(SocketAddr::ip))?;
    Ok(addresses)
}

/// Fails with the first address that is not public.
pub(crate) fn check_public(
    host: &str,
    addresses: impl IntoIterator<Item = IpAddr>,
) -> Result<(), PrivateAddress> {
    match addresses.into_iter().find(|address| !is_public(*address)) {
        Some(address) => Err(PrivateAddress { host: host.to_owned(), address }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_found_in_every_form() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().expect(text)), "{text}");
        }
    }

    #[test]
    fn public_addresses_are_accepted() {
        for text in [
            "1.1.1.1",
            "9.9.9.9",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "169.253.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.0.1",
            "198.20.0.1",
            "223.255.255.1",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::1",
        ] {
            assert!(is_public(text.parse().expect(text)), "{text}");
        }
    }

    #[tokio::test]
    async fn name_of_this_machine_is_refused() {
        let error = resolve_public("localhost").await.expect_err("a private address").to_string();
        assert!(error.contains("localhost has the private address"), "{error}");
    }
}

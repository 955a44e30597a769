//! Proxies in front of the server. They report the client in `X-Forwarded-For`, and the address that it used in
//! `X-Forwarded-Proto` and `X-Forwarded-Host`. The server trusts these headers only on a connection from a proxy that
//! its settings name, because every other client can send them too.

use super::host::port_of;
use crate::{PeerAddress, connection::ConnectionOrigin, problem::ProblemResponse};
use axum::http::{HeaderMap, header};
use countersign_api::ErrorCode;
use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";
const FORWARDED_HOST: &str = "x-forwarded-host";

/// A proxy that the server trusts: an IP address, a network such as `10.1.0.0/16`, or `unix`, which is every process
/// that may connect to the socket files of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedProxy {
    /// The addresses whose first `prefix` bits are those of `address`.
    Network {
        /// A network address.
        address: IpAddr,
        /// The number of bits, at least 1.
        prefix: u8,
    },
    /// Processes that connect to a socket file.
    SocketFile,
}

/// The error for a string that is not a [`TrustedProxy`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a proxy is an IP address such as 127.0.0.1, a network such as 10.1.0.0/16, or unix")]
pub struct BadProxy;

impl FromStr for TrustedProxy {
    type Err = BadProxy;

    fn from_str(text: &str) -> Result<Self, BadProxy> {
        if text == "unix" {
            return Ok(Self::SocketFile);
        }
        let (address, prefix) = text.split_once('/').map_or((text, None), |(at, bits)| (at, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| BadProxy)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(most), |bits| bits.parse().map_err(|_| BadProxy))?;
        if (1..=most).contains(&prefix) { Ok(Self::Network { address, prefix }) } else { Err(BadProxy) }
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network { address, prefix } => write!(f, "{address}/{prefix}"),
            Self::SocketFile => f.write_str("unix"),
        }
    }
}

impl TrustedProxy {
    fn includes(self, peer: PeerAddress) -> bool {
        match (self, peer) {
            (Self::SocketFile, PeerAddress::SocketFile) => true,
            (Self::Network { address, prefix }, PeerAddress::Ip(peer)) => match (address, peer) {
                (IpAddr::V4(address), IpAddr::V4(peer)) => {
                    (address.to_bits() ^ peer.to_bits()).leading_zeros() >= u32::from(prefix)
                }
                (IpAddr::V6(address), IpAddr::V6(peer)) => {
                    (address.to_bits() ^ peer.to_bits()).leading_zeros() >= u32::from(prefix)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// The origin of a request: as seen by the server, or as a trusted proxy reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestOrigin {
    pub(crate) peer: PeerAddress,
    /// Whether the client used `https`.
    pub(crate) is_https: bool,
    /// Whether the connection comes from a trusted proxy.
    pub(crate) is_from_proxy: bool,
    /// The host that the client used, if a proxy reports it.
    pub(crate) forwarded_host: Option<String>,
    /// The host that the client used, with the port if it is not the usual one.
    pub(crate) host: String,
    /// The origin of this server's page that sent the request, or that the client sees at this address.
    pub(crate) page_origin: Option<String>,
}

impl RequestOrigin {
    /// The port that the client used, if it is not the usual one.
    pub(crate) fn port(&self) -> Option<&str> {
        port_of(&self.host)
    }
}

/// Returns the origin of a request. Fails if a trusted proxy reports something other than a client address.
pub(super) fn find_request_origin(
    proxies: &[TrustedProxy],
    connection: ConnectionOrigin,
    headers: &HeaderMap,
) -> Result<RequestOrigin, ProblemResponse> {
    let ConnectionOrigin { peer, is_encrypted } = connection;
    let host = headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?").to_owned());
    let host = host.unwrap_or_default();
    let is_proxy = |peer| proxies.iter().any(|proxy| proxy.includes(peer));
    if !is_proxy(peer) {
        return Ok(RequestOrigin {
            peer,
            is_https: is_encrypted,
            is_from_proxy: false,
            forwarded_host: None,
            host,
            page_origin: None,
        });
    }
    let is_https = match last_value(headers, FORWARDED_PROTO)? {
        Some(scheme) => scheme.eq_ignore_ascii_case("https"),
        None => is_encrypted,
    };
    let forwarded_host = last_value(headers, FORWARDED_HOST)?.map(str::to_owned);
    let peer = find_client(peer, is_proxy, headers)?;
    let host = forwarded_host.clone().unwrap_or(host);
    Ok(RequestOrigin { peer, is_https, is_from_proxy: true, forwarded_host, host, page_origin: None })
}

/// Returns the last address of `X-Forwarded-For` that is not a proxy: each proxy appends the address of its own client,
/// so the addresses before it are those that the client itself may have sent.
fn find_client(
    connected: PeerAddress,
    is_proxy: impl Fn(PeerAddress) -> bool,
    headers: &HeaderMap,
) -> Result<PeerAddress, ProblemResponse> {
    let mut client = connected;
    for value in headers.get_all(FORWARDED_FOR).iter().rev() {
        let value = value.to_str().map_err(|_| bad_header(FORWARDED_FOR, "is not ASCII"))?;
        for address in value.rsplit(',').map(str::trim) {
            let why = || bad_header(FORWARDED_FOR, &format!("{address:?} is not an IP address"));
            client = PeerAddress::from_ip(parse_address(address).ok_or_else(why)?);
            if !is_proxy(client) {
                return Ok(client);
            }
        }
    }
    Ok(client)
}

/// Parses an address; some proxies append the port.
fn parse_address(text: &str) -> Option<IpAddr> {
    let without_brackets = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    without_brackets.parse().ok().or_else(with_port)
}

/// Returns the last value of a header, which the last proxy added.
fn last_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ProblemResponse> {
    let Some(value) = headers.get_all(name).iter().next_back() else { return Ok(None) };
    let text = value.to_str().map_err(|_| bad_header(name, "is not ASCII"))?;
    Ok(text.rsplit(',').next().map(str::trim))
}

fn bad_header(name: &str, why: &str) -> ProblemResponse {
    let detail = format!("the proxy sent an unusable header {name}: {why}");
    ProblemResponse::new(ErrorCode::BadForwarded, detail).with_parameter(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn find(peer: &str, headers: &[(&'static str, &'static str)]) -> Result<RequestOrigin, ProblemResponse> {
        let proxies = ["127.0.0.1", "10.1.0.0/16", "unix"].map(|text| text.parse().expect(text));
        let peer = peer.parse().map_or(PeerAddress::SocketFile, PeerAddress::from_ip);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        find_request_origin(&proxies, ConnectionOrigin { peer, is_encrypted: false }, &map)
    }

    fn client(peer: &str, forwarded: &'static str) -> String {
        find(peer, &[(FORWARDED_FOR, forwarded)]).expect("an origin").peer.to_string()
    }

    #[test]
    fn last_address_before_the_proxies_is_the_client() {
        assert_eq!(client("127.0.0.1", "203.0.113.7"), "203.0.113.7");
        assert_eq!(client("127.0.0.1", "198.51.100.1, 203.0.113.7, 10.1.2.3"), "203.0.113.7");
        assert_eq!(client("::ffff:127.0.0.1", "[2001:db8::1]:4711"), "2001:db8::1");
        assert_eq!(client("unix", "203.0.113.7:80"), "203.0.113.7");
        assert_eq!(client("127.0.0.1", "10.1.2.3"), "10.1.2.3", "a request of a proxy itself");
        let two = [(FORWARDED_FOR, "198.51.100.1"), (FORWARDED_FOR, "203.0.113.7")];
        assert_eq!(find("127.0.0.1", &two).expect("an origin").peer.to_string(), "203.0.113.7");
    }

    #[test]
    fn unknown_peer_cannot_forward() {
        let headers =
            [(FORWARDED_FOR, "127.0.0.1"), (FORWARDED_PROTO, "https"), (FORWARDED_HOST, "a.example")];
        let peer = PeerAddress::from_ip("10.2.0.1".parse().expect("an address"));
        let expected = RequestOrigin {
            peer,
            is_https: false,
            is_from_proxy: false,
            forwarded_host: None,
            host: String::new(),
            page_origin: None,
        };
        assert_eq!(find("10.2.0.1", &headers).expect("an origin"), expected);
        assert_eq!(client("10.2.0.1", "not an address"), "10.2.0.1");
    }

    #[test]
    fn last_proxy_reports_scheme_and_host() {
        let headers = [(FORWARDED_PROTO, "http, HTTPS"), (FORWARDED_HOST, "a.example")];
        let origin = find("10.1.255.255", &headers).expect("an origin");
        assert_eq!((origin.is_https, origin.forwarded_host.as_deref()), (true, Some("a.example")));
    }

    #[test]
    fn unusable_address_of_a_proxy_is_refused() {
        for value in ["", "unknown", "203.0.113.7, ", "203.0.113"] {
            let problem = find("127.0.0.1", &[(FORWARDED_FOR, value)]).expect_err(value).into_problem();
            assert_eq!((problem.code, problem.status), (ErrorCode::BadForwarded, 400), "{value:?}");
        }
    }

    #[test]
    fn text_that_names_no_proxy_is_rejected() {
        for text in ["", "proxy.example", "10.0.0.0/33", "::/129", "0.0.0.0/0", "10.0.0.0/", "10.0.0.0/x"] {
            assert_eq!(text.parse::<TrustedProxy>(), Err(BadProxy), "{text:?}");
        }
        for text in ["10.0.0.0/8", "2001:db8::/32", "127.0.0.1/32", "unix"] {
            assert_eq!(text.parse::<TrustedProxy>().expect(text).to_string(), text);
        }
    }
}

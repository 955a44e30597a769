//! URL patterns. URLs are parsed as in browsers and HTTP clients: scheme, host and port are compared first, then the
//! path is matched with a glob.

use std::net::Ipv6Addr;
use url::{Host, Url};

use super::{Glob, MatchAnswer, PatternError, invisible::is_invisible};

const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp"];
/// The maximum length of a URL, in bytes. Servers and proxies reject longer ones.
const MAX_URL_BYTES: usize = 16 * 1024;
/// The maximum length of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 4 * 1024;
/// The maximum number of digits of a port.
const MAX_PORT_DIGITS: usize = 5;

/// A pattern over URLs, such as `https://*.example.com/*`.
#[derive(Debug, Clone)]
pub struct UrlPattern {
    text: String,
    scheme: String,
    host: HostPattern,
    port: UrlPort,
    path: Glob,
    /// Whether the path glob also covers the query.
    covers_query: bool,
}

#[derive(Debug, Clone)]
enum HostPattern {
    Any,
    /// `*.example.com`, stored as `.example.com`.
    Below(String),
    Exactly(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum UrlPort {
    /// The scheme's default port (`None`), or the given port.
    Only(Option<u16>),
    Any,
}

impl UrlPattern {
    /// Compiles a pattern. The scheme is literal. The host can be `*` or start with `*.`. A port other than the
    /// scheme's default must be given (`:8443`, `:*`). A pattern without a path matches only the root path, except that
    /// `https://*` matches every URL of the scheme.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.len() > MAX_PATTERN_BYTES {
            let start: String = text.chars().take(40).chain("…".chars()).collect();
            return Err(PatternError::new(
                &start,
                format!("is longer than {MAX_PATTERN_BYTES} bytes: shorten it"),
            ));
        }
        let error = |fault: &str| PatternError::new(text, fault);
        if text.chars().any(|c| is_invisible(c) || c == ' ') {
            return Err(error("contains a space or an invisible character: remove it"));
        }
        let (scheme, rest) =
            text.split_once("://").filter(|(scheme, _)| SCHEMES.contains(scheme)).ok_or_else(|| {
                error(
                    "needs a scheme in lower case, as in `https://example.com/*` (http, https, ws, wss, ftp)",
                )
            })?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = if path.is_empty() { if authority == "*" { "*" } else { "/" } } else { path };
        if !path.is_ascii() {
            return Err(error("has non-ASCII characters in its path: percent-encode them"));
        }
        let (host, port) = split_port(authority);
        let port = UrlPort::parse(port, scheme)
            .ok_or_else(|| error("has an invalid port after `:`: write a number or `*`"))?;
        let host = HostPattern::parse(host, scheme).map_err(error)?;
        let covers_query = path.ends_with('*') && !path.ends_with("\\*") || path.contains("\\?");
        let glob = Glob::new(path).map_err(|source| error(&source.fault))?;
        Ok(Self { text: text.to_owned(), scheme: scheme.to_owned(), host, port, path: glob, covers_query })
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Matches the parsed URL. The answer is `Unclear` for a URL that programs parse differently: one with a user or a
    /// password, a backslash, spaces around it, or a host that is neither an address nor letters, digits, `-`, `_` and
    /// single dots; and for one of the host whose path has an encoded slash or dot.
    #[must_use]
    pub fn matches(&self, url: &ParsedUrl) -> MatchAnswer {
        let Some(parts) = &url.parts else { return MatchAnswer::Unclear };
        if parts.url.scheme() != self.scheme
            || !self.host.matches(&parts.host)
            || !self.port.matches(&parts.url)
        {
            return MatchAnswer::No;
        }
        if parts.ambiguous {
            return MatchAnswer::Unclear;
        }
        let with_query = if self.covers_query { parts.with_query.as_ref() } else { None };
        let is_match = self.path.is_match(with_query.unwrap_or(&parts.path));
        let hides_query = parts.with_query.is_some() && !self.covers_query;
        MatchAnswer::from_bool(is_match).unclear_if(hides_query)
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // A colon inside an IPv6 address' brackets does not start a port.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

impl UrlPort {
    fn parse(port: Option<&str>, scheme: &str) -> Option<Self> {
        match port {
            None => Some(Self::Only(None)),
            Some("*") => Some(Self::Any),
            Some(port) => {
                let port: u16 = port.parse().ok()?;
                let default = Url::parse(&format!("{scheme}://h/")).ok()?.port_or_known_default();
                Some(Self::Only(Some(port).filter(|port| Some(*port) != default)))
            }
        }
    }

    fn matches(&self, url: &Url) -> bool {
        match self {
            Self::Any => true,
            Self::Only(port) => *port == url.port(),
        }
    }
}

impl HostPattern {
    fn parse(host: &str, scheme: &str) -> Result<Self, &'static str> {
        if host == "*" {
            return Ok(Self::Any);
        }
        let name = host.strip_prefix("*.").unwrap_or(host);
        if name.contains(['*', '?', '{', '}', '@', '\\', '%']) || name.starts_with('.') || name.ends_with('.')
        {
            return Err("has an invalid host: write `*`, a name, or `*.` and a name, without a user");
        }
        let parsed = Url::parse(&format!("{scheme}://{name}/")).ok();
        match (parsed.as_ref().and_then(Url::host), name.len() < host.len()) {
            (None, _) => Err("has no host: write a host or `*`"),
            (Some(Host::Domain(domain)), _) if !is_plain_name(domain) => {
                Err("has an invalid host: write letters, digits, `-` and `_`, and single dots between them")
            }
            (Some(Host::Domain(domain)), true) => Ok(Self::Below(format!(".{domain}"))),
            (Some(_), true) => Err("has `*.` before an IP address: write `*.` only before a name"),
            (Some(host), false) => plain_host(&host)
                .map(Self::Exactly)
                .ok_or("has an IPv6 address that stands for an IPv4 address: write that address"),
        }
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(expected) => expected == host,
            Self::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix.as_str()),
        }
    }
}

/// A URL that is parsed once and then matched against many patterns.
#[derive(Debug, Clone)]
pub struct ParsedUrl {
    text: String,
    /// `None` if the URL cannot be parsed, or if programs may connect to different hosts.
    parts: Option<UrlParts>,
}

impl ParsedUrl {
    /// Parses a URL. A URL that cannot be parsed, that is longer than 16 KiB or whose host programs read differently is
    /// unclear to every pattern.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self { text: text.to_owned(), parts: UrlParts::parse(text) }
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A pattern for every path of the host: `https://host/*`. `None` if no pattern matches the URL.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        let parts = self.parts.as_ref().filter(|parts| !parts.ambiguous)?;
        let port = parts.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let pattern = format!("{}://{}{port}/*", parts.url.scheme(), parts.host);
        // The host may contain characters that a pattern cannot express, so check the result.
        let matches =
            UrlPattern::new(&pattern).is_ok_and(|pattern| pattern.matches(self) == MatchAnswer::Yes);
        matches.then_some(pattern)
    }
}

/// The URL parts that patterns compare.
#[derive(Debug, Clone)]
struct UrlParts {
    url: Url,
    host: String,
    path: String,
    /// The path and the query, if the URL has a query.
    with_query: Option<String>,
    /// Whether other programs may parse the URL differently.
    ambiguous: bool,
}

impl UrlParts {
    /// Returns `None` if the URL cannot be parsed, or if programs may connect to different hosts.
    fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_URL_BYTES || text.contains(['\\', ' ']) || text.chars().any(is_invisible) {
            return None;
        }
        let url = Url::parse(text).ok().filter(|url| SCHEMES.contains(&url.scheme()))?;
        let (authority, rest) = split_authority(text)?;
        let host = url.host()?;
        if !is_plain_authority(authority) || matches!(host, Host::Domain(name) if !is_plain_name(name)) {
            return None;
        }
        let (path, has_ambiguous_encoding) = decode_path(url.path());
        let written = rest.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
        let ambiguous = has_ambiguous_encoding
            || written.contains("%2e")
            || written.contains("..;")
            // Some programs end the host only at the first slash.
            || rest.starts_with(['?', '#']);
        let with_query = url.query().map(|query| format!("{path}?{query}"));
        Some(Self { host: plain_host(&host)?, path, with_query, ambiguous, url })
    }
}

/// The host in one spelling: `[::ffff:127.0.0.1]` is `127.0.0.1`, to which a program connects. `None` for the other addresses
/// that contain an IPv4 address, which leads there only on some networks.
fn plain_host(host: &Host<&str>) -> Option<String> {
    let Host::Ipv6(address) = host else { return Some(host.to_string()) };
    match address.to_ipv4_mapped() {
        Some(mapped) => Some(mapped.to_string()),
        None if leads_elsewhere(*address) => None,
        None => Some(host.to_string()),
    }
}

/// Whether the address is one of NAT64 (RFC 6052), 6to4 (RFC 3056) or Teredo (RFC 4380), or an IPv4-compatible one.
fn leads_elsewhere(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => false,
        [0, 0, 0, 0, 0, 0, ..] | [0x64, 0xff9b, ..] | [0x2002, ..] | [0x2001, 0, ..] => true,
        _ => false,
    }
}

/// Splits `scheme://authority/path` into the authority and the rest. `None` for `https:/host`, `https:host` and
/// `https:///host`: this parser takes `host` as the host, and other programs do not.
fn split_authority(text: &str) -> Option<(&str, &str)> {
    let (_, after) = text.split_once(':')?;
    let after = after.strip_prefix("//").filter(|after| !after.starts_with('/'))?;
    Some(after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len())))
}

/// Returns true if every program takes the same host from the authority: a name or an address, and at most a port.
/// Programs disagree about users (`a@b`), encoded characters (`%2e`), letters outside ASCII, and separators such as the
/// `;` in `evil.io;a.example.com`: `url.parse` of Node.js ends the host there, and this parser does not.
fn is_plain_authority(authority: &str) -> bool {
    let (host, port) = split_port(authority);
    let is_port = |port: &str| port.len() <= MAX_PORT_DIGITS && port.bytes().all(|b| b.is_ascii_digit());
    let is_address = |inside: &str| inside.bytes().all(|b| b.is_ascii_hexdigit() || b":.".contains(&b));
    let has_host = match host.strip_prefix('[') {
        Some(inside) => inside.strip_suffix(']').is_some_and(is_address),
        None => is_plain_name(host),
    };
    has_host && port.is_none_or(is_port)
}

/// Returns true for letters, digits, `-` and `_`, with single dots between them.
fn is_plain_name(host: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    host.split('.').all(|label| !label.is_empty() && label.bytes().all(is_plain))
}

/// Decodes letters, digits, `-`, `_` and `~`, which mean the same when encoded. The flag is true if the path encodes a
/// character that does not: a slash, a backslash, a dot, a control character, or a percent sign, which another program
/// may decode again.
fn decode_path(path: &str) -> (String, bool) {
    let mut decoded = String::new();
    let mut ambiguous = false;
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.map(char::from) {
            Some(c) if c.is_ascii_alphanumeric() || "-_~".contains(c) => decoded.push(c),
            Some(c) => {
                ambiguous |= "/\\.%".contains(c) || c.is_ascii_control();
                decoded.push_str(&rest[at..at + 3].to_ascii_uppercase());
            }
            None => {
                ambiguous = true;
                decoded.push('%');
            }
        }
        rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
    }
    decoded.push_str(rest);
    (decoded, ambiguous)
}

#[cfg(test)]
mod tests;

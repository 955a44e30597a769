//! URL patterns. URLs are parsed as in browsers and HTTP clients: scheme, host and port are compared first, then the
//! path is matched with a glob.

use url::{Host, Url};

use super::{Glob, MatchAnswer, PatternError, invisible::is_invisible};

const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp"];

/// A pattern over URLs, such as `https://*.example.com/*`.
#[derive(Debug, Clone)]
pub struct UrlPattern {
    text: String,
    scheme: String,
    host: HostPattern,
    port: UrlPort,
    path: Glob,
    /// True if the glob of the path also covers the query.
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
    /// The default port of the scheme (`None`), or the given port.
    Only(Option<u16>),
    Any,
}

impl UrlPattern {
    /// Compiles a pattern. The scheme is literal. The host can be `*` or begin with `*.`. A port other than the default
    /// of the scheme must be given (`:8443`, `:*`). A pattern without a path matches only the root path, except that
    /// `https://*` matches every URL of the scheme.
    pub fn new(text: &str) -> Result<Self, PatternError> {
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

    /// Matches the parsed URL. The answer is never `Yes` for a URL that programs parse differently: one with a user or
    /// a password, a backslash, an encoded slash or dot, or spaces around it.
    #[must_use]
    pub fn matches(&self, url: &ParsedUrl) -> MatchAnswer {
        let Some(parts) = &url.parts else { return MatchAnswer::Unclear };
        if parts.url.scheme() != self.scheme
            || !self.host.matches(&parts.host)
            || !self.port.matches(&parts.url)
        {
            return MatchAnswer::No;
        }
        let with_query = if self.covers_query { parts.with_query.as_ref() } else { None };
        let is_match = self.path.is_match(with_query.unwrap_or(&parts.path));
        let hides_query = parts.with_query.is_some() && !self.covers_query;
        MatchAnswer::from_bool(is_match).unclear_if(parts.ambiguous || hides_query)
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // A colon inside the brackets of an IPv6 address does not start a port.
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
            (Some(Host::Domain(domain)), true) => Ok(Self::Below(format!(".{domain}"))),
            (Some(_), true) => Err("has `*.` before an IP address: write `*.` only before a name"),
            (Some(host), false) => Ok(Self::Exactly(host.to_string())),
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
    /// `None` if the URL cannot be parsed, or if the parser would silently change it.
    parts: Option<UrlParts>,
}

impl ParsedUrl {
    /// Parses a URL. A URL that cannot be parsed is unclear to every pattern.
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

/// The parts of a URL that patterns compare.
#[derive(Debug, Clone)]
struct UrlParts {
    url: Url,
    host: String,
    path: String,
    /// The path and the query, if the URL has a query.
    with_query: Option<String>,
    /// True if other programs may parse the URL differently.
    ambiguous: bool,
}

impl UrlParts {
    /// Returns `None` if the URL cannot be parsed, or if the parser would silently change it.
    fn parse(text: &str) -> Option<Self> {
        if text.contains(['\\', ' ']) || text.chars().any(is_invisible) {
            return None;
        }
        let url = Url::parse(text).ok().filter(|url| SCHEMES.contains(&url.scheme()))?;
        // This parser accepts `https:/host` and `https:host` as `https://host`; other programs do not.
        let has_two_slashes =
            text.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//") && !rest.starts_with("///"));
        let host = url.host()?.to_string();
        let without_dot = host.strip_suffix('.').map(str::to_owned);
        let (path, has_ambiguous_encoding) = decode_path(url.path());
        let written = text.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
        let ambiguous = has_ambiguous_encoding
            || written.contains("%2e")
            || written.contains("..;")
            || !has_two_slashes
            || without_dot.is_some()
            || !url.username().is_empty()
            || url.password().is_some()
            || written.contains('@') && !url.path().contains('@');
        let with_query = url.query().map(|query| format!("{path}?{query}"));
        Some(Self { host: without_dot.unwrap_or(host), path, with_query, ambiguous, url })
    }
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

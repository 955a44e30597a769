//! URLs, read as browsers and HTTP clients read them: scheme, host and port first, then a glob over the path.

use url::{Host, Url};

use super::{Glob, MatchAnswer, PatternError, unseen::is_unseen};

const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp"];

/// A pattern over URLs, such as `https://*.example.com/*`.
#[derive(Debug, Clone)]
pub struct UrlPattern {
    text: String,
    scheme: String,
    host: HostPattern,
    port: UrlPort,
    path: Glob,
    /// Whether the path's glob says something about what comes after the `?`.
    shows_query: bool,
}

#[derive(Debug, Clone)]
enum HostPattern {
    Any,
    /// `*.example.com`, kept as `.example.com`.
    Below(String),
    Exactly(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum UrlPort {
    /// The scheme's own, or the one that is shown.
    Only(Option<u16>),
    Any,
}

impl UrlPattern {
    /// The scheme stands as it is; the host may be `*` or begin with `*.`; a port that is not the scheme's own
    /// must be shown (`:8443`, `:*`). Without a path it matches the root alone, except that `https://*` is
    /// everything.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let bad = |what: &str| PatternError::new(text, what);
        if text.chars().any(|c| is_unseen(c) || c == ' ') {
            return Err(bad("holds a space or a character nobody sees: leave it out"));
        }
        let (scheme, rest) = text
            .split_once("://")
            .filter(|(scheme, _)| SCHEMES.contains(scheme))
            .ok_or_else(|| bad("needs a scheme in small letters, as in `https://example.com/*` (http, https, ws, wss, ftp)"))?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = if path.is_empty() { if authority == "*" { "*" } else { "/" } } else { path };
        if !path.is_ascii() {
            return Err(bad("has letters in its path that travel percent-encoded: write them so"));
        }
        let (host, port) = host_and_port(authority);
        let port = UrlPort::parse(port, scheme)
            .ok_or_else(|| bad("has no port after its `:`: write a number, or `*`"))?;
        let host = HostPattern::parse(host, scheme).map_err(bad)?;
        let shows_query = path.ends_with('*') && !path.ends_with("\\*") || path.contains("\\?");
        let glob = Glob::new(path).map_err(|error| bad(&error.what))?;
        Ok(Self { text: text.to_owned(), scheme: scheme.to_owned(), host, port, path: glob, shows_query })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches the URL as a parser understands it. Never yes for one that readers understand
    /// differently: with a user or password, a backslash, an encoded slash or dot, or spaces around it.
    #[must_use]
    pub fn matches(&self, address: &ParsedUrl) -> MatchAnswer {
        let Some(seen) = &address.seen else { return MatchAnswer::Unclear };
        if seen.url.scheme() != self.scheme || !self.host.matches(&seen.host) || !self.port.matches(&seen.url)
        {
            return MatchAnswer::No;
        }
        let shown = if self.shows_query { seen.with_query.as_ref() } else { None };
        let whole = self.path.is_match(shown.unwrap_or(&seen.path));
        MatchAnswer::of(whole).doubted(seen.doubt || seen.with_query.is_some() && !self.shows_query)
    }
}

fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        // The colons within the brackets of an IPv6 address are its own.
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
                let own = Url::parse(&format!("{scheme}://h/")).ok()?.port_or_known_default();
                Some(Self::Only(Some(port).filter(|port| Some(*port) != own)))
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
        let named = host.strip_prefix("*.").unwrap_or(host);
        if named.contains(['*', '?', '{', '}', '@', '\\', '%'])
            || named.starts_with('.')
            || named.ends_with('.')
        {
            return Err(
                "has a host that is no host: it is `*`, a name, or `*.` and a name, and no user stands before it",
            );
        }
        let parsed = Url::parse(&format!("{scheme}://{named}/")).ok();
        match (parsed.as_ref().and_then(Url::host), named.len() < host.len()) {
            (None, _) => Err("has no host: write one, or `*`"),
            (Some(Host::Domain(domain)), true) => Ok(Self::Below(format!(".{domain}"))),
            (Some(_), true) => Err("has `*.` before an address: only names have names below them"),
            (Some(own), false) => Ok(Self::Exactly(own.to_string())),
        }
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(own) => own == host,
            Self::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
        }
    }
}

/// A URL, read once for all the patterns that are asked about it.
#[derive(Debug, Clone)]
pub struct ParsedUrl {
    text: String,
    /// None if it cannot be read, or if what is read is not what is written.
    seen: Option<ReadUrl>,
}

impl ParsedUrl {
    /// Reads it; one that cannot be read is unclear to every pattern.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { text: text.to_owned(), seen: ReadUrl::of(text) }
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A pattern for everything of its host: `https://host/*`. None for what a pattern cannot say.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        let seen = self.seen.as_ref().filter(|seen| !seen.doubt)?;
        let port = seen.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let pattern = format!("{}://{}{port}/*", seen.url.scheme(), seen.host);
        // Shown and remembered only if it says what it should.
        let matches =
            UrlPattern::new(&pattern).is_ok_and(|pattern| pattern.matches(self) == MatchAnswer::Yes);
        matches.then_some(pattern)
    }
}

/// A URL, parsed, and whether somebody may read it otherwise.
#[derive(Debug, Clone)]
struct ReadUrl {
    url: Url,
    host: String,
    path: String,
    /// The path with what is asked of it, if anything is.
    with_query: Option<String>,
    doubt: bool,
}

impl ReadUrl {
    /// None if it cannot be read, or if what is read is not what is written.
    fn of(text: &str) -> Option<Self> {
        if text.contains(['\\', ' ']) || text.chars().any(is_unseen) {
            return None;
        }
        let url = Url::parse(text).ok().filter(|url| SCHEMES.contains(&url.scheme()))?;
        // Parsers take `https:/host` and `https:host` for `https://host`; other readers do not.
        let shown =
            text.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//") && !rest.starts_with("///"));
        let host = url.host()?.to_string();
        let named = host.strip_suffix('.').map(str::to_owned);
        let (path, encoded) = decode(url.path());
        let written = text.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
        let doubt = encoded
            || written.contains("%2e")
            || written.contains("..;")
            || !shown
            || named.is_some()
            || !url.username().is_empty()
            || url.password().is_some()
            || written.contains('@') && !url.path().contains('@');
        let with_query = url.query().map(|query| format!("{path}?{query}"));
        Some(Self { host: named.unwrap_or(host), path, with_query, doubt, url })
    }
}

/// The path with its plain letters and digits decoded, which mean the same either way, and whether it encodes
/// what does not: a slash, a backslash, a dot, a NUL, or a percent sign that is decoded once more somewhere.
fn decode(path: &str) -> (String, bool) {
    let mut decoded = String::new();
    let mut doubt = false;
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.map(char::from) {
            Some(c) if c.is_ascii_alphanumeric() || "-_~".contains(c) => decoded.push(c),
            Some(c) => {
                doubt |= "/\\.%".contains(c) || c.is_ascii_control();
                decoded.push_str(&rest[at..at + 3].to_ascii_uppercase());
            }
            None => {
                doubt = true;
                decoded.push('%');
            }
        }
        rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
    }
    decoded.push_str(rest);
    (decoded, doubt)
}

#[cfg(test)]
mod tests;

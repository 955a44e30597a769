//! Browser cookies: the session, and the state of a sign-in or a sign-out at an identity provider. Over TLS their names start with
//! `__Host-`, which browsers accept only with `Secure`, without a domain, and for the whole host, so that no other host
//! can set them. Browsers send a cookie to all ports of a host: the session cookie's name contains the port, so that
//! servers on several ports do not replace each other's, and a session needs a
//! [page key](countersign_approvals::access::PageKey), too.

use crate::guard::RequestOrigin;
use axum::http::{HeaderMap, HeaderValue, header};
use countersign_events::Timestamp;
use std::time::Duration;

/// A cookie of this server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BrowserCookie {
    name: &'static str,
    secure_name: &'static str,
    /// Links from other sites send no `Strict` cookie, and send a `Lax` cookie when they open a page of this server.
    same_site: &'static str,
    /// Whether each port has its own cookie. Any server of the log can complete a sign-in.
    has_port: bool,
}

/// A browser session.
pub(crate) const SESSION_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_session",
    secure_name: "__Host-countersign_session",
    same_site: "Strict",
    has_port: true,
};

impl BrowserCookie {
    fn name(self, origin: &RequestOrigin) -> String {
        let name = if origin.is_https { self.secure_name } else { self.name };
        let port = origin.port().filter(|_| self.has_port);
        port.map_or_else(|| name.to_owned(), |port| format!("{name}_{port}"))
    }

    /// The header that sets the cookie. The value has only letters, digits, `_` and `-`, so nothing is escaped.
    pub(crate) fn set(self, value: &str, max_age: Duration, origin: &RequestOrigin) -> HeaderValue {
        let secure = if origin.is_https { "; Secure" } else { "" };
        let (name, same_site, seconds) = (self.name(origin), self.same_site, max_age.as_secs());
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
        let mut cookie = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
        cookie.set_sensitive(true);
        cookie
    }

    /// The header that makes a browser forget the cookie.
    pub(crate) fn expire(self, origin: &RequestOrigin) -> HeaderValue {
        self.set("", Duration::ZERO, origin)
    }

    /// Returns the value in a request's cookies.
    pub(crate) fn read<'a>(self, headers: &'a HeaderMap, origin: &RequestOrigin) -> Option<&'a str> {
        read_value(headers, &self.name(origin))
    }
}

fn read_value<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// Sign-in state for an identity provider, which sends the browser back from another site.
pub(crate) const SIGN_IN_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_sign_in",
    secure_name: "__Host-countersign_sign_in",
    same_site: "Lax",
    has_port: false,
};

/// Sign-out state for an identity provider, which sends the browser back from another site.
pub(crate) const SIGN_OUT_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_sign_out",
    secure_name: "__Host-countersign_sign_out",
    ..SIGN_IN_COOKIE
};

/// The account at the identity provider that has signed in, for signing out there. Only pages of this server send it.
pub(crate) const ACCOUNT_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_account",
    secure_name: "__Host-countersign_account",
    same_site: "Strict",
    has_port: true,
};

/// The cookie for a session that ends at `ends_at`.
pub(crate) fn session_cookie(
    token: &str,
    ends_at: Timestamp,
    now: Timestamp,
    origin: &RequestOrigin,
) -> HeaderValue {
    SESSION_COOKIE.set(token, ends_at.since(now), origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PeerAddress;

    fn at(host: &str, is_https: bool) -> RequestOrigin {
        RequestOrigin {
            peer: PeerAddress::SocketFile,
            is_https,
            is_from_proxy: false,
            forwarded_host: None,
            host: host.to_owned(),
            page_origin: None,
        }
    }

    #[test]
    fn cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; countersign_session_81=csgn_1; c=d"));
        assert_eq!(SESSION_COOKIE.read(&headers, &at("a.localhost:81", false)), Some("csgn_1"));
        for (origin, why) in [
            (at("a.localhost:81", true), "a cookie that was set without TLS is not read with TLS"),
            (at("a.localhost:82", false), "one of another port"),
            (at("a.localhost", false), "one of the usual port"),
        ] {
            assert_eq!(SESSION_COOKIE.read(&headers, &origin), None, "{why}");
        }
    }

    #[test]
    fn cookie_is_closed_to_scripts_and_other_sites() {
        let (now, end) = (Timestamp::from_millis(0), Timestamp::from_millis(60_000));
        let plain = session_cookie("csgn_1", end, now, &at("a.localhost:81", false));
        let text = plain.to_str().expect("ASCII");
        assert_eq!(text, "countersign_session_81=csgn_1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
        let secure = SESSION_COOKIE.expire(&at("a.example", true));
        let text = secure.to_str().expect("ASCII");
        assert_eq!(text, "__Host-countersign_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }
}

//! The cookies of browsers: the session, and the state of a sign-in at an identity provider. Over TLS their names begin with
//! `__Host-`, which browsers accept only with `Secure`, without a domain, and for the whole host, so that no other host can
//! set them.

use axum::http::{HeaderMap, HeaderValue, header};
use countersign_gate::Timestamp;
use std::time::Duration;

/// A cookie of this server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BrowserCookie {
    name: &'static str,
    secure_name: &'static str,
    /// Other sites' links send no cookie with `Strict`, and one with `Lax` when they open a page of this server.
    same_site: &'static str,
}

/// The session of a browser.
pub(crate) const SESSION_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_session",
    secure_name: "__Host-countersign_session",
    same_site: "Strict",
};

impl BrowserCookie {
    const fn name(self, is_https: bool) -> &'static str {
        if is_https { self.secure_name } else { self.name }
    }

    /// The header that sets the cookie. The value has only letters, digits and `_`, so nothing is escaped.
    pub(crate) fn set(self, value: &str, max_age: Duration, is_https: bool) -> HeaderValue {
        let secure = if is_https { "; Secure" } else { "" };
        let (name, same_site, seconds) = (self.name(is_https), self.same_site, max_age.as_secs());
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
        let mut cookie = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
        cookie.set_sensitive(true);
        cookie
    }

    /// The header that makes a browser forget the cookie.
    pub(crate) fn expire(self, is_https: bool) -> HeaderValue {
        self.set("", Duration::ZERO, is_https)
    }

    /// Returns the value in the cookies of a request.
    pub(crate) fn read(self, headers: &HeaderMap, is_https: bool) -> Option<&str> {
        read_value(headers, self.name(is_https))
    }
}

fn read_value<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The state of a sign-in at an identity provider, which sends the browser back from another site.
#[cfg(feature = "oidc")]
pub(crate) const SIGN_IN_COOKIE: BrowserCookie = BrowserCookie {
    name: "countersign_sign_in",
    secure_name: "__Host-countersign_sign_in",
    same_site: "Lax",
};

/// The cookie of a session that ends at `ends_at`.
pub(crate) fn session_cookie(token: &str, ends_at: Timestamp, now: Timestamp, is_https: bool) -> HeaderValue {
    SESSION_COOKIE.set(token, ends_at.since(now), is_https)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; countersign_session=csgn_1; c=d"));
        assert_eq!(SESSION_COOKIE.read(&headers, false), Some("csgn_1"));
        assert_eq!(
            SESSION_COOKIE.read(&headers, true),
            None,
            "a cookie that was set without TLS is not read with TLS"
        );
    }

    #[test]
    fn cookie_is_closed_to_scripts_and_other_sites() {
        let (now, end) = (Timestamp::from_millis(0), Timestamp::from_millis(60_000));
        let plain = session_cookie("csgn_1", end, now, false);
        let text = plain.to_str().expect("ASCII");
        assert_eq!(text, "countersign_session=csgn_1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
        let secure = SESSION_COOKIE.expire(true);
        let text = secure.to_str().expect("ASCII");
        assert_eq!(text, "__Host-countersign_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }
}

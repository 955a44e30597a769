//! The cookie of a browser's session. Over TLS its name begins with `__Host-`, which browsers accept only with `Secure`,
//! without a domain, and for the whole host, so that no other host can set it.

use axum::http::{HeaderMap, HeaderValue, header};
use countersign_gate::Timestamp;

const NAME: &str = "countersign_session";
const SECURE_NAME: &str = "__Host-countersign_session";

/// Returns the token in the cookie of a request.
pub(super) fn read_cookie(headers: &HeaderMap, is_https: bool) -> Option<&str> {
    let wanted = if is_https { SECURE_NAME } else { NAME };
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The cookie of a session that ends at `ends_at`. Tokens have only letters, digits and `_`, so nothing is escaped.
pub(crate) fn session_cookie(token: &str, ends_at: Timestamp, now: Timestamp, is_https: bool) -> HeaderValue {
    set_cookie(token, ends_at.since(now).as_secs(), is_https)
}

/// The cookie that makes a browser forget its session.
pub(crate) fn expired_cookie(is_https: bool) -> HeaderValue {
    set_cookie("", 0, is_https)
}

fn set_cookie(value: &str, max_age: u64, is_https: bool) -> HeaderValue {
    let (name, secure) = if is_https { (SECURE_NAME, "; Secure") } else { (NAME, "") };
    let text = format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}");
    let mut cookie = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
    cookie.set_sensitive(true);
    cookie
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; countersign_session=csgn_1; c=d"));
        assert_eq!(read_cookie(&headers, false), Some("csgn_1"));
        assert_eq!(
            read_cookie(&headers, true),
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
        let secure = expired_cookie(true);
        let text = secure.to_str().expect("ASCII");
        assert_eq!(text, "__Host-countersign_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure");
    }
}

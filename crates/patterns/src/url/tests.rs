//! Tests of URL patterns and suggested patterns.

use super::{MatchAnswer, ParsedUrl, UrlPattern};

fn suggest(url: &str) -> Option<String> {
    ParsedUrl::parse(url).suggest()
}

fn match_url(pattern: &str, url: &str) -> MatchAnswer {
    UrlPattern::new(pattern).expect(pattern).matches(&ParsedUrl::parse(url))
}

#[test]
fn host_star_matches_subdomains_only() {
    let pattern = "https://*.example.com/*";
    assert_eq!(match_url(pattern, "https://a.example.com/x"), MatchAnswer::Yes);
    assert_eq!(match_url(pattern, "https://a.b.EXAMPLE.com/x"), MatchAnswer::Yes);
    for other in [
        "https://example.com/",
        "https://evil-example.com/",
        "https://a.example.com.evil.org/",
        "http://a.example.com/",
    ] {
        assert_eq!(match_url(pattern, other), MatchAnswer::No, "{other}");
    }
}

#[test]
fn port_must_be_given_unless_default() {
    assert_eq!(match_url("https://h/*", "https://h:443/"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h:443/*", "https://h/"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h/*", "https://h:8443/"), MatchAnswer::No);
    assert_eq!(match_url("https://h:8443/*", "https://h:8443/"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h:*/*", "https://h:1/"), MatchAnswer::Yes);
    assert_eq!(match_url("http://[::1]:80/*", "http://[0:0::1]/x"), MatchAnswer::Yes);
}

#[test]
fn query_is_unclear_unless_pattern_covers_it() {
    assert_eq!(match_url("https://h/a", "https://h/a"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h/a", "https://h/a#b"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h/a", "https://h/a?b"), MatchAnswer::Unclear);
    assert_eq!(match_url("https://h/a*", "https://h/a?b"), MatchAnswer::Yes);
    assert_eq!(match_url(r"https://h/a\?x=[0-9]", "https://h/a?x=1"), MatchAnswer::Yes);
    assert_eq!(match_url(r"https://h/a\?x=[0-9]", "https://h/a?y=1"), MatchAnswer::No);
}

#[test]
fn pattern_without_path_matches_root_only() {
    assert_eq!(match_url("https://*", "https://anything.org/x?y"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h", "https://h"), MatchAnswer::Yes);
    assert_eq!(match_url("https://h", "https://h/x"), MatchAnswer::No);
}

#[test]
fn invalid_url_pattern_is_rejected() {
    for pattern in [
        "",
        "example.com",
        "HTTPS://h/*",
        "file:///etc/*",
        "https://",
        "https:///x",
        "https://a.*.com/",
        "https://*x.com/",
        "https://user@h/",
        "https://h:x/",
        "https://*.127.0.0.1/",
        "https://h./",
        "https://h/ü",
        "https://h/ x",
        "https://h/[",
        "https://a;b.example.com/*",
        "https://*.a..b/*",
        "https://*.a,b/*",
    ] {
        assert!(UrlPattern::new(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn suggested_url_pattern_covers_host() {
    assert_eq!(suggest("https://Docs.rs/url?x").as_deref(), Some("https://docs.rs/*"));
    assert_eq!(suggest("http://127.0.0.1:8080/x").as_deref(), Some("http://127.0.0.1:8080/*"));
    assert_eq!(suggest("https://[::1]/x").as_deref(), Some("https://[::1]/*"));
    for url in ["https://u@h/x", "file:///x", "https://h/%2e%2e", "nonsense", "https://h./"] {
        assert_eq!(suggest(url), None, "{url}");
    }
}

#[test]
fn overlong_url_is_unclear() {
    let of_length = |length: usize| {
        let start = "https://h/";
        format!("{start}{}", "a".repeat(length - start.len()))
    };
    assert_eq!(match_url("https://h/*", &of_length(16 * 1024)), MatchAnswer::Yes);
    assert_eq!(match_url("https://h/*", &of_length(16 * 1024 + 1)), MatchAnswer::Unclear);
}

#[test]
fn overlong_url_pattern_is_rejected() {
    let error = UrlPattern::new(&format!("https://{}.com/*", "a.".repeat(4096))).expect_err("too long");
    assert!(error.to_string().ends_with("is longer than 4096 bytes: shorten it"), "{error}");
}

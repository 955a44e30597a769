//! Which URLs a pattern matches, and what is suggested.

use super::{MatchAnswer, ParsedUrl, UrlPattern};

fn suggest(url: &str) -> Option<String> {
    ParsedUrl::read(url).suggest()
}

fn ask(pattern: &str, url: &str) -> MatchAnswer {
    UrlPattern::new(pattern).expect(pattern).matches(&ParsedUrl::read(url))
}

#[test]
fn a_host_is_matched_by_its_labels() {
    let pattern = "https://*.example.com/*";
    assert_eq!(ask(pattern, "https://a.example.com/x"), MatchAnswer::Yes);
    assert_eq!(ask(pattern, "https://a.b.EXAMPLE.com/x"), MatchAnswer::Yes);
    for other in [
        "https://example.com/",
        "https://evil-example.com/",
        "https://a.example.com.evil.org/",
        "http://a.example.com/",
    ] {
        assert_eq!(ask(pattern, other), MatchAnswer::No, "{other}");
    }
}

#[test]
fn a_port_is_shown_or_the_schemes_own() {
    assert_eq!(ask("https://h/*", "https://h:443/"), MatchAnswer::Yes);
    assert_eq!(ask("https://h:443/*", "https://h/"), MatchAnswer::Yes);
    assert_eq!(ask("https://h/*", "https://h:8443/"), MatchAnswer::No);
    assert_eq!(ask("https://h:8443/*", "https://h:8443/"), MatchAnswer::Yes);
    assert_eq!(ask("https://h:*/*", "https://h:1/"), MatchAnswer::Yes);
    assert_eq!(ask("http://[::1]:80/*", "http://[0:0::1]/x"), MatchAnswer::Yes);
}

#[test]
fn a_query_is_matched_where_the_pattern_shows_it() {
    assert_eq!(ask("https://h/a", "https://h/a"), MatchAnswer::Yes);
    assert_eq!(ask("https://h/a", "https://h/a#b"), MatchAnswer::Yes);
    assert_eq!(ask("https://h/a", "https://h/a?b"), MatchAnswer::Unclear);
    assert_eq!(ask("https://h/a*", "https://h/a?b"), MatchAnswer::Yes);
    assert_eq!(ask(r"https://h/a\?x=[0-9]", "https://h/a?x=1"), MatchAnswer::Yes);
    assert_eq!(ask(r"https://h/a\?x=[0-9]", "https://h/a?y=1"), MatchAnswer::No);
}

#[test]
fn only_the_star_alone_needs_no_path() {
    assert_eq!(ask("https://*", "https://anything.org/x?y"), MatchAnswer::Yes);
    assert_eq!(ask("https://h", "https://h"), MatchAnswer::Yes);
    assert_eq!(ask("https://h", "https://h/x"), MatchAnswer::No);
}

#[test]
fn a_pattern_that_cannot_be_meant_is_refused() {
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
    ] {
        assert!(UrlPattern::new(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn the_host_is_suggested() {
    assert_eq!(suggest("https://Docs.rs/url?x").as_deref(), Some("https://docs.rs/*"));
    assert_eq!(suggest("http://127.0.0.1:8080/x").as_deref(), Some("http://127.0.0.1:8080/*"));
    assert_eq!(suggest("https://[::1]/x").as_deref(), Some("https://[::1]/*"));
    for url in ["https://u@h/x", "file:///x", "https://h/%2e%2e", "nonsense", "https://h./"] {
        assert_eq!(suggest(url), None, "{url}");
    }
}

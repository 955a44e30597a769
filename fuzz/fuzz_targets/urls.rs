//! Fuzzes URLs: a URL that matches a host pattern has that host.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{MatchAnswer, ParsedUrl, UrlPattern};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (pattern, url) = input;
    let address = ParsedUrl::parse(url);
    if let Ok(pattern) = UrlPattern::new(pattern) {
        let _ = pattern.matches(&address);
    }
    let below = UrlPattern::new("https://*.example.com/*").expect("a pattern");
    if below.matches(&address) == MatchAnswer::Yes {
        assert!(!url.contains(['\\', ' ', '\t', '\n', '\0']));
        let rest = url.split_once("://").expect("a matching URL has a scheme").1;
        let authority = rest.split(['/', '?', '#']).next().expect("split yields at least one part");
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        assert!(authority.chars().all(plain), "programs may connect to different hosts");
    }
    if let Some(suggested) = address.suggest() {
        let pattern = UrlPattern::new(&suggested).expect("a suggestion is a valid pattern");
        assert_eq!(pattern.matches(&address), MatchAnswer::Yes);
        assert!(!url.contains('\\'));
    }
});

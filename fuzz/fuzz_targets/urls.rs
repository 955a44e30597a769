//! URLs: whoever is let through by a host has that host.
#![no_main]

use countersign_approvals::pattern::{Answer, UrlPattern, url::suggest};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (pattern, url) = input;
    if let Ok(pattern) = UrlPattern::new(pattern) {
        let _ = pattern.matches(url);
    }
    let below = UrlPattern::new("https://*.example.com/*").expect("a pattern");
    if below.matches(url) == Answer::Yes {
        assert!(!url.contains(['\\', ' ', '\t', '\n', '\0']));
        let rest = url.split_once("://").expect("it has a scheme").1;
        let authority = rest.split(['/', '?', '#']).next().expect("there is a first");
        assert!(!authority.contains('@'), "nobody stands before the host");
    }
    if let Some(suggested) = suggest(url) {
        let pattern = UrlPattern::new(&suggested).expect("what is suggested is a pattern");
        assert_eq!(pattern.matches(url), Answer::Yes);
        assert!(!url.contains('\\'));
    }
});

//! URLs: whoever is let through by a host has that host.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{Address, Answer, UrlPattern};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (pattern, url) = input;
    let address = Address::read(url);
    if let Ok(pattern) = UrlPattern::new(pattern) {
        let _ = pattern.matches(&address);
    }
    let below = UrlPattern::new("https://*.example.com/*").expect("a pattern");
    if below.matches(&address) == Answer::Yes {
        assert!(!url.contains(['\\', ' ', '\t', '\n', '\0']));
        let rest = url.split_once("://").expect("it has a scheme").1;
        let authority = rest.split(['/', '?', '#']).next().expect("there is a first");
        assert!(!authority.contains('@'), "nobody stands before the host");
    }
    if let Some(suggested) = address.suggest() {
        let pattern = UrlPattern::new(&suggested).expect("what is suggested is a pattern");
        assert_eq!(pattern.matches(&address), Answer::Yes);
        assert!(!url.contains('\\'));
    }
});

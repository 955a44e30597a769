//! Paths: what is normal stays so, and what is within a root says so in its text.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{Answer, PathPattern, Place, path::normalise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (root, path) = input;
    let place = Place::read(path);
    let is_within = |root: &str| place.is_within(&Place::read(root));
    if let Some(normal) = normalise(path) {
        assert_eq!(normalise(&normal).as_deref(), Some(normal.as_str()));
        assert!(!normal.split('/').any(|segment| segment == ".."));
        assert!(normal == "/" || !normal.ends_with('/'));
        if is_within("/scratch") == Answer::Yes {
            assert!(normal == "/scratch" || normal.starts_with("/scratch/"));
        }
    } else {
        assert_eq!(is_within(root), Answer::Unclear);
    }
    if let Some(suggested) = place.suggest() {
        let pattern = PathPattern::new(&suggested).expect("what is suggested is a pattern");
        assert_eq!(pattern.matches(&place), Answer::Yes);
    }
    if let Ok(pattern) = PathPattern::new(root) {
        assert!(normalise(path).is_some() || pattern.matches(&place) == Answer::Unclear);
    }
});

//! Fuzzes paths: normalising twice changes nothing, and a path within a root starts with it.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::{MatchAnswer, ParsedPath, PathPattern, path::normalise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (root, path) = input;
    let place = ParsedPath::parse(path);
    let is_within = |root: &str| place.is_within(&ParsedPath::parse(root));
    if let Some(normal) = normalise(path) {
        assert_eq!(normalise(&normal).as_deref(), Some(normal.as_str()));
        assert!(!normal.split('/').any(|segment| segment == ".."));
        assert!(normal == "/" || !normal.ends_with('/'));
        if is_within("/scratch") == MatchAnswer::Yes {
            assert!(normal == "/scratch" || normal.starts_with("/scratch/"));
        }
    } else {
        assert_eq!(is_within(root), MatchAnswer::Unclear);
    }
    if let Some(suggested) = place.suggest() {
        let pattern = PathPattern::new(&suggested).expect("a suggestion is a valid pattern");
        assert_eq!(pattern.matches(&place), MatchAnswer::Yes);
    }
    if let Ok(pattern) = PathPattern::new(root) {
        assert!(normalise(path).is_some() || pattern.matches(&place) == MatchAnswer::Unclear);
    }
});

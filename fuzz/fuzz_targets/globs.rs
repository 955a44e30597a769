//! Globs: they compile or say why not, and the plain ones are as simple as they look.
#![cfg_attr(fuzzing, no_main)]

use countersign_patterns::Glob;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (glob, text) = input;
    let special = |c: char| "*?[]{}\\,".contains(c);
    if let Ok(plain) = Glob::new(glob) {
        assert_eq!(plain.as_str(), glob);
        let matches = plain.is_match(text);
        if !glob.contains(special) {
            assert_eq!(matches, glob == text);
        }
        if let Some(prefix) = glob.strip_suffix('*').filter(|prefix| !prefix.contains(special)) {
            assert_eq!(matches, text.starts_with(prefix));
        }
    }
    if let Ok(path) = Glob::path(glob)
        && path.is_match(text)
        && !glob.contains("**")
    {
        // What does not cross has as many segments as its text; escapes and sets add none.
        let slashes = |text: &str| text.matches('/').count();
        assert!(slashes(text) <= slashes(glob), "{glob:?} {text:?}");
    }
});

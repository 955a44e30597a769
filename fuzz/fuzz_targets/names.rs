//! Fuzzes names: a valid name shows all of its text, and every text becomes a valid name once it is sanitized.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::{CallId, Principal, ThreadId, ToolName, id::check_name};
use libfuzzer_sys::fuzz_target;

/// Letters that look like `o` and `a` in other scripts, and invisible characters.
const MISLEADING: &[char] = &['\u{43e}', '\u{3bf}', '\u{430}', '\u{200b}', '\u{202e}', '\u{ad}', '\u{2060}'];

fuzz_target!(|input: &str| {
    let is_valid = check_name(input).is_ok();
    let is_id = is_valid && !matches!(input, "." | "..");
    assert_eq!(ThreadId::new(input).is_ok(), is_id);
    assert_eq!(CallId::new(input).is_ok(), is_id);
    assert_eq!(ToolName::new(input).is_ok(), is_id);
    if is_valid {
        assert_eq!(input.trim(), input, "a valid name has no blanks around it");
        assert!(!input.chars().any(char::is_control));
        // In a name with Latin letters, each of these looks like another name or like none.
        if input.contains(|c: char| c.is_ascii_alphabetic()) {
            assert!(!input.contains(MISLEADING), "{input:?}");
        }
        for misleading in [format!("{input} "), format!(" {input}"), format!("{input}\u{200b}")] {
            assert!(check_name(&misleading).is_err(), "{misleading:?}");
        }
    }
    let parsed = input.parse::<Principal>();
    if let Ok(principal) = &parsed {
        assert_eq!(principal.as_str(), input);
        let json = serde_json::to_string(principal).expect("a string");
        assert_eq!(serde_json::from_str::<Principal>(&json).expect("the same principal"), *principal);
    }
    for sanitized in
        [Principal::user(input), Principal::agent(input), Principal::policy(input), Principal::system(input)]
    {
        assert_eq!(sanitized.as_str().parse::<Principal>().as_ref(), Ok(&sanitized), "{input:?}");
    }
});

//! The patterns and the names in events agree on the characters that are invisible.

use countersign_events::id::{BadName, check_name};
use countersign_patterns::Glob;

/// Characters that stand for lost ones. They are visible, so a name may have them; a pattern cannot match the lost text.
const REPLACEMENTS: [char; 2] = ['\u{fffc}', '\u{fffd}'];

/// Planes 3 to 13 have no characters that either side lists.
const LAST_LISTED: u32 = 0x2_ffff;

#[test]
fn patterns_and_names_reject_the_same_characters() {
    let tags = 0xe_0000..=0xe_0fff;
    for c in (0..=LAST_LISTED).chain(tags).filter_map(char::from_u32).filter(|c| !REPLACEMENTS.contains(c)) {
        // Letters of one script follow, so that only the character itself matters.
        let name = check_name(&format!("-{c}-"));
        let is_hidden_in_name = matches!(name, Err(BadName::Control(_) | BadName::Hidden(_)));
        let pattern = Glob::new(&format!("\\{c}"));
        assert_eq!(is_hidden_in_name, pattern.is_err(), "U+{:04X}: {name:?}, {pattern:?}", u32::from(c));
    }
}

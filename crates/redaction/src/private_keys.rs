//! Finds the lines of private keys in PEM and PGP armor, and in the files of `PuTTY`. Only lines that look like Base64 are masked, so a command
//! between them stays visible, and so do the first and the last line.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The first and last lines of keys, escaped line ends, and runs of Base64.
static PARTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)(-{4,5} ?BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|Static key V1)[A-Z ]{0,10} ?-{4,5}|Private-Lines: [0-9]{1,4}|minisign encrypted secret key)|(-{4,5} ?(?:END|BEGIN) |Private-(?:MAC|Hash): )|\\+[nrt]|([A-Za-z0-9+/]{4,}={0,2})",
    )
    .expect("a constant pattern")
});

/// The shortest run that can start the key lines.
const MIN_LINE: usize = 24;

pub(crate) fn find_private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    let signs = ["PRIVATE KEY", "Static key V1", "Private-Lines: ", "minisign encrypted secret key"];
    if !signs.iter().any(|sign| text.contains(sign)) {
        return;
    }
    let (mut inside, mut after_line) = (false, false);
    for found in PARTS.captures_iter(text) {
        if found.get(1).is_some() {
            (inside, after_line) = (true, false);
        } else if found.get(2).is_some() {
            inside = false;
        } else if let Some(run) = found.get(3).filter(|_| inside) {
            // The last key line may be short, but then it does not look like a word.
            let is_line = is_base64(run.as_str()) && (after_line || run.len() >= MIN_LINE);
            if is_line {
                spans.push(run.range());
            }
            after_line = is_line;
        }
    }
}

/// Returns true if the run has the characters of Base64 in a mixture that words, options and paths do not have.
fn is_base64(run: &str) -> bool {
    let has = |class: fn(&u8) -> bool| run.bytes().any(|byte| class(&byte));
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let slashes = run.bytes().filter(|byte| *byte == b'/').count();
    // A long path would have a slash every few letters.
    (mixed || run.ends_with('=')) && slashes * 8 <= run.len()
}

//! Known hashes in a text, shown by their names. A hash is hidden only where it is exactly the expected one, so
//! a wrong hash still shows.

use crate::LS;
use std::sync::Mutex;

/// The hashes that have a name. A hash names its content, so every test of the process can share them.
static NAMES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Gives a hash a name, unless it has one.
pub fn name_hash(name: &str, hash: &str) {
    let mut names = NAMES.lock().expect("no test panics while it names a hash");
    if !names.iter().any(|(known, _)| known == hash) {
        names.push((hash.to_owned(), format!("[hash:{name}]")));
    }
}

/// The text with `[hash:ls]` for the hash of the usual arguments, and the like for the other named hashes.
pub fn name_hashes(text: &str) -> String {
    name_hash("ls", LS);
    let names = NAMES.lock().expect("no test panics while it names a hash");
    names.iter().fold(text.to_owned(), |text, (hash, name)| text.replace(hash, name))
}

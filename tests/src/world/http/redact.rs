//! Names instead of known hashes in a string. Only the exact hash is replaced, so a wrong hash fails the comparison.

use crate::LS;
use std::sync::Mutex;

/// The hashes that have a name, with `[hash:name]`. All tests of a process share them, because a hash has the same
/// meaning in each.
static NAMES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Gives a hash a name. If it already has a name, it keeps that name.
pub fn name_hash(name: &str, hash: &str) {
    let mut names = NAMES.lock().expect("no test panics while it names a hash");
    if !names.iter().any(|(known, _)| known == hash) {
        names.push((hash.to_owned(), format!("[hash:{name}]")));
    }
}

/// Replaces each named hash in a string: the default arguments hash with `[hash:ls]`, others with `[hash:name]`.
pub fn name_hashes(text: &str) -> String {
    name_hash("ls", LS);
    let names = NAMES.lock().expect("no test panics while it names a hash");
    names.iter().fold(text.to_owned(), |text, (hash, name)| text.replace(hash, name))
}

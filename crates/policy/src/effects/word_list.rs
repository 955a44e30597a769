//! Lists of words in one string.

/// Whether a list of words, separated by spaces, has the word.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// The words of a name such as `mcp__my-shell__runCommand`, in lower case: what a capital letter, or any sign, separates.
pub(super) fn split_name(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins_word = !before.is_alphanumeric() || c.is_uppercase() && before.is_lowercase();
        if c.is_alphanumeric() && begins_word {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split_name;

    #[test]
    fn names_are_split_at_signs_and_capitals() {
        for (name, words) in [
            ("mcp__my-shell__runCommand", "mcp my shell run command"),
            ("filePath", "file path"),
            ("getURL2", "get url2"),
            ("_x.y", "x y"),
            ("", ""),
        ] {
            assert_eq!(split_name(name).join(" "), words, "{name}");
        }
    }
}

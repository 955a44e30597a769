//! Strings of limited length.

/// Cuts a string to `limit` characters. A string that was cut ends with `…`.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüx", 3), "äö…");
        assert_eq!(shorten("", 0), "");
    }
}

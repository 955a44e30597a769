//! Suggestions for unknown words.

use strsim::levenshtein;

/// The number of characters that a comparison uses, which limits its time.
const LONGEST: usize = 64;

/// Returns `; did you mean …?` with the most similar known word, or the list of all known words if none is
/// similar.
pub(crate) fn did_you_mean<T: AsRef<str>>(unknown: &str, known: &[T]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let plain = |text: &str| -> String {
        let text = text.to_lowercase().replace(['-', '_'], "");
        text.chars().take(LONGEST).collect()
    };
    let near = |word: &&&str| {
        let (unknown, word) = (plain(unknown), plain(word));
        levenshtein(&unknown, &word) <= 1 + word.chars().count() / 4
    };
    let nearest = known.iter().filter(near).min_by_key(|word| levenshtein(&plain(unknown), &plain(word)));
    match nearest {
        Some(word) => format!("; did you mean `{word}`?"),
        None if known.is_empty() => String::new(),
        None => format!(
            "; expected one of {}",
            known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The last line of a regular expression error. The lines before it draw the pattern.
pub(crate) fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("the pattern is invalid");
    line.trim_start_matches("error: ").to_owned()
}

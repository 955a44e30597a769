//! Suggestions for words that are not known.

use strsim::levenshtein;

/// The letters that a comparison looks at, which bound its time.
const LONGEST: usize = 64;

/// `; did you mean …?` with the nearest of the known words, or the list of all if none is near.
pub(crate) fn did_you_mean<T: AsRef<str>>(given: &str, known: &[T]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let plain = |text: &str| -> String {
        let text = text.to_lowercase().replace(['-', '_'], "");
        text.chars().take(LONGEST).collect()
    };
    let near = |word: &&&str| {
        let (given, word) = (plain(given), plain(word));
        levenshtein(&given, &word) <= 1 + word.chars().count() / 4
    };
    let nearest = known.iter().filter(near).min_by_key(|word| levenshtein(&plain(given), &plain(word)));
    match nearest {
        Some(word) => format!("; did you mean `{word}`?"),
        None if known.is_empty() => String::new(),
        None => format!(
            "; there is {}",
            known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// What a regular expression's error comes to: its last line, without the drawing before it.
pub(crate) fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it cannot be read");
    line.trim_start_matches("error: ").to_owned()
}

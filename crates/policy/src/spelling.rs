//! What somebody may have meant by a word that is not known.

/// `; did you mean …?` with the nearest of the known words, or the list of all if none is near.
pub(crate) fn did_you_mean<T: AsRef<str>>(given: &str, known: &[T]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let near = |word: &&&str| {
        let (given, word) = (plain(given), plain(word));
        distance(&given, &word) <= 1 + word.chars().count() / 4
    };
    let nearest = known.iter().filter(near).min_by_key(|word| distance(&plain(given), &plain(word)));
    match nearest {
        Some(word) => format!("; did you mean `{word}`?"),
        None if known.is_empty() => String::new(),
        None => format!(
            "; there is {}",
            known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// How many letters must be changed, added or taken away to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// What a regular expression's error comes to: its last line, without the drawing before it.
pub(crate) fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it cannot be read");
    line.trim_start_matches("error: ").to_owned()
}

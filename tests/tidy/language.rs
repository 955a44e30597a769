//! Measures the language of the repository: the words of its texts and the names of its types, functions and tests.

use super::{files_ending, read};

/// Words and phrases that are hard to read. Each literal is split, so that this file does not contain the phrase.
const REJECTED_PHRASES: &[&str] = &[
    concat!("who", "ever"),
    concat!("some", "body"),
    concat!("no", "body"),
    concat!("a", "new"),
    concat!("of ", "late"),
    concat!("for ", "ever"),
    concat!("passed ", "over"),
    concat!("what is ", "said of"),
];

/// The maximum number of sentences per 10,000 words that open with one of [`OPENINGS`].
const MOST_OPENINGS: f64 = 10.0;
const OPENINGS: &[&str] = &["What", "Whether"];

/// Returns the prose of a file: the text of Markdown, or the comments of code, SQL and configuration.
pub(crate) fn read_prose(path: &str) -> Option<String> {
    let marker = match path.rsplit('.').next()? {
        "md" => return Some(without_code_blocks(&read(path))),
        "rs" => "//",
        "sql" => "--",
        "toml" | "sh" => "#",
        _ if path == "justfile" || path.ends_with("/run") => "#",
        _ => return None,
    };
    let text = read(path);
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix(marker));
    Some(comments.map(|line| line.trim_start_matches(['/', '!', '-', '#'])).collect::<Vec<_>>().join("\n"))
}

fn without_code_blocks(text: &str) -> String {
    let mut is_code = false;
    let kept = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code && !line.starts_with("    ")
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Figures on the language of one text or of all texts.
#[derive(Debug, Default)]
pub(crate) struct LanguageFigures {
    pub(crate) words: usize,
    /// The rejected phrases, as `path: phrase`.
    pub(crate) rejected: Vec<String>,
    /// The sentences that open with a word of [`OPENINGS`].
    pub(crate) openings: Vec<String>,
}

impl LanguageFigures {
    pub(crate) fn measure() -> Self {
        let mut figures = Self::default();
        for path in super::files() {
            if let Some(prose) = read_prose(&path) {
                figures.add(&path, &prose);
            }
        }
        figures
    }

    fn add(&mut self, path: &str, prose: &str) {
        self.words += prose.split_whitespace().count();
        // A phrase may extend over two lines.
        let flat = prose.split_whitespace().collect::<Vec<_>>().join(" ");
        let lower = format!(" {} ", flat.to_lowercase());
        for phrase in REJECTED_PHRASES {
            let count = count_words(&lower, phrase);
            self.rejected.extend((0..count).map(|_| format!("{path}: {phrase}")));
        }
        self.rejected.extend(find_is_no_noun(&lower).map(|found| format!("{path}: {found}")));
        for sentence in sentences(prose) {
            if OPENINGS.contains(&sentence.split([' ', ',', '\n']).next().unwrap_or_default())
                && !sentence.trim_end().ends_with('?')
            {
                let start: String = sentence.chars().take(40).collect();
                self.openings.push(format!("{path}: {}", start.replace('\n', " ")));
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    pub(crate) fn per_ten_thousand(&self, count: usize) -> f64 {
        count as f64 * 10_000.0 / self.words.max(1) as f64
    }
}

/// Counts the occurrences of `phrase` in `text` as whole words.
fn count_words(text: &str, phrase: &str) -> usize {
    let is_boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(phrase)
        .filter(|(at, _)| {
            is_boundary(text[..*at].chars().next_back())
                && is_boundary(text[at + phrase.len()..].chars().next())
        })
        .count()
}

/// Finds "is no <noun>", which hides a negation. "there is no X" and "is no longer" are accepted.
fn find_is_no_noun(text: &str) -> impl Iterator<Item = String> {
    let plain = [
        "longer", "more", "less", "later", "earlier", "older", "newer", "wider", "higher", "lower", "greater",
    ];
    text.match_indices(" is no ").filter_map(move |(at, found)| {
        if text[..at].ends_with("there") {
            return None;
        }
        let noun: String = text[at + found.len()..].chars().take_while(|c| c.is_alphabetic()).collect();
        (!noun.is_empty() && !plain.contains(&noun.as_str())).then(|| format!("is no {noun}"))
    })
}

/// Splits a text into sentences, which end at a full stop, a question mark, a blank line or a list item.
fn sentences(prose: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for paragraph in prose.split("\n\n").flat_map(|part| part.split("\n- ")) {
        let mut rest = paragraph;
        while let Some(end) =
            rest.find([".", "?", "!", "|"].map(|c| c.chars().next().unwrap_or('.')).as_slice())
        {
            let (sentence, after) = rest.split_at(end + 1);
            sentences.push(sentence.trim_start());
            rest = after;
        }
        sentences.push(rest.trim_start());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[test]
fn texts_use_plain_words() {
    let figures = LanguageFigures::measure();
    assert!(figures.rejected.is_empty(), "rewrite these sentences: {:#?}", figures.rejected);
}

#[test]
fn sentences_open_with_their_subject() {
    let figures = LanguageFigures::measure();
    let openings = figures.per_ten_thousand(figures.openings.len());
    assert!(openings < MOST_OPENINGS, "{openings:.1} per 10,000 words, use a noun: {:#?}", figures.openings);
}

/// `tests/tidy/figures` prints the output of this test.
#[test]
fn language_figures_are_printed() {
    let figures = LanguageFigures::measure();
    let mut lines = vec![format!("{} words of comments and documentation; per 10,000 words:", figures.words)];
    for phrase in REJECTED_PHRASES.iter().copied().chain(["is no "]) {
        let count = figures.rejected.iter().filter(|place| place.contains(&format!(": {phrase}"))).count();
        lines.push(format!(
            "  {:<28}{:>8.1}",
            format!("\"{}\"", phrase.trim()),
            figures.per_ten_thousand(count)
        ));
    }
    let openings = figures.per_ten_thousand(figures.openings.len());
    lines.push(format!("  {:<28}{openings:>8.1}", "opens with What or Whether"));
    let names = super::names::NameFigures::measure();
    lines.extend(names.lines());
    assert!(figures.words > 10_000, "the texts of the repository were found");
    super::print(&lines.join("\n"));
}

#[test]
fn rejected_phrases_are_found_in_any_line() {
    let mut figures = LanguageFigures::default();
    figures.add("a.md", &format!("It ends {}\n{}. What follows is read. This is no\ncase.", "for", "ever"));
    assert_eq!(
        figures.rejected,
        ["a.md: for ever", "a.md: is no case"].map(|s| s.replace("for ever", concat!("for ", "ever")))
    );
    assert_eq!(figures.openings.len(), 1);
    assert!(files_ending(".md").len() > 5);
}

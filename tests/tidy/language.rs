//! Measures the repository's language: how often its prose uses phrases that English technical prose writes as compound
//! nouns or with other words. Rates are per 10,000 words, because each phrase is right now and then.

use super::{files_ending, read};
use std::{fmt, sync::LazyLock};

/// A kind of prose. Each has its own limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProseKind {
    Comment,
    Document,
    Message,
}

/// A measured phrase, and the highest rate in comments, documents and string literals.
struct MeasuredPhrase {
    name: &'static str,
    find: fn(&[&str]) -> usize,
    most_in_comments: f64,
    most_in_documents: f64,
    most_in_messages: f64,
}

const PHRASES: &[MeasuredPhrase] = &[
    MeasuredPhrase {
        name: "the X of the Y",
        find: count_genitives,
        most_in_comments: 50.0,
        most_in_documents: 40.0,
        most_in_messages: 60.0,
    },
    MeasuredPhrase {
        name: "in force",
        find: |words| count_sequence(words, &["in", "force"]),
        most_in_comments: 0.1,
        most_in_documents: 0.1,
        most_in_messages: 0.2,
    },
    MeasuredPhrase {
        // A text field, and content that is a text by nature.
        name: "texts, a text",
        find: |words| count_sequence(words, &["texts"]) + count_sequence(words, &["a", "text"]),
        most_in_comments: 1.5,
        most_in_documents: 2.0,
        most_in_messages: 4.0,
    },
    MeasuredPhrase {
        name: "true if (opens a sentence)",
        find: |words| words.windows(2).filter(|pair| pair == &["True", "if"]).count(),
        most_in_comments: 3.0,
        most_in_documents: 3.0,
        most_in_messages: 3.0,
    },
];

const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Counts "<article> <word> of <article>".
fn count_genitives(words: &[&str]) -> usize {
    let is_article = |word: &str| ARTICLES.iter().any(|article| article.eq_ignore_ascii_case(word));
    words
        .windows(4)
        .filter(|window| is_article(window[0]) && window[2] == "of" && is_article(window[3]))
        .count()
}

fn count_sequence(words: &[&str], phrase: &[&str]) -> usize {
    let is_same = |window: &&[&str]| {
        window.iter().zip(phrase).all(|(word, expected)| word.eq_ignore_ascii_case(expected))
    };
    words.windows(phrase.len()).filter(is_same).count()
}

/// The words in a text, without the punctuation around them.
fn split_words(text: &str) -> Vec<&str> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '`' | '_' | '\'');
    text.split_whitespace()
        .map(|word| word.trim_matches(|c| !is_inside(c)))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns a file's prose: the text of Markdown, the comments of code, or the string literals of Rust that are phrases.
fn read_prose(path: &str) -> Vec<(ProseKind, String)> {
    let text = || read(path);
    let comments = |marker: &str| (ProseKind::Comment, line_comments(&text(), marker));
    match path.rsplit('.').next().unwrap_or_default() {
        "md" => vec![(ProseKind::Document, without_code_blocks(&text()))],
        "rs" => vec![comments("//"), (ProseKind::Message, string_literals(&text()))],
        "js" | "mjs" | "ts" => {
            vec![comments("//"), (ProseKind::Comment, between(&text(), "/*", "*/").replace('*', ""))]
        }
        "py" => vec![comments("#"), (ProseKind::Comment, between(&text(), "\"\"\"", "\"\"\""))],
        "sql" => vec![comments("--")],
        "toml" | "sh" => vec![comments("#")],
        _ if path == "justfile" || path.ends_with("/run") => vec![comments("#")],
        _ => Vec::new(),
    }
}

fn line_comments(text: &str, marker: &str) -> String {
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix(marker));
    comments.map(|line| line.trim_start_matches(['/', '!', '-', '#'])).collect::<Vec<_>>().join("\n")
}

fn between(text: &str, start: &str, end: &str) -> String {
    let parts = text.split(start).skip(1);
    if start == end {
        return parts.step_by(2).collect::<Vec<_>>().join("\n");
    }
    parts.filter_map(|part| part.split_once(end)).map(|(inside, _)| inside).collect::<Vec<_>>().join("\n")
}

/// The string literals of Rust code that have several words.
fn string_literals(code: &str) -> String {
    static LITERAL: LazyLock<regex::Regex> =
        LazyLock::new(|| regex::Regex::new(r#""((?:[^"\\\n]|\\.|\\\n)*)""#).expect("valid"));
    let lines: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = lines.join("\n");
    let literals = LITERAL.captures_iter(&code).filter_map(|found| found.get(1)).map(|found| found.as_str());
    literals.filter(|literal| literal.contains(' ')).collect::<Vec<_>>().join("\n")
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

/// How often one kind of prose contains the measured phrases.
pub(crate) struct LanguageFigures {
    kind: ProseKind,
    words: usize,
    /// The number of hits of each phrase of [`PHRASES`].
    hits: Vec<usize>,
    /// The files with most genitives, for people who rewrite them.
    worst: Vec<(usize, String)>,
}

impl LanguageFigures {
    pub(crate) fn measure(kind: ProseKind) -> Self {
        let mut figures = Self { kind, words: 0, hits: vec![0; PHRASES.len()], worst: Vec::new() };
        for path in super::files().iter().filter(|path| !path.starts_with("tests/fixtures/")) {
            for (_, prose) in read_prose(path).into_iter().filter(|(found, _)| *found == kind) {
                figures.add(path, &prose);
            }
        }
        figures.worst.sort_by(|one, other| other.cmp(one));
        figures.worst.truncate(8);
        figures
    }

    fn add(&mut self, path: &str, prose: &str) {
        let words = split_words(prose);
        self.words += words.len();
        for (hits, phrase) in self.hits.iter_mut().zip(PHRASES) {
            *hits += (phrase.find)(&words);
        }
        self.worst.push((count_genitives(&words), path.to_owned()));
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words are far below 2^52")]
    fn rates(&self) -> impl Iterator<Item = (&'static MeasuredPhrase, f64)> {
        let per_ten_thousand = |hits: &usize| *hits as f64 * 10_000.0 / self.words.max(1) as f64;
        PHRASES.iter().zip(self.hits.iter().map(per_ten_thousand))
    }

    fn limit(&self, phrase: &MeasuredPhrase) -> f64 {
        match self.kind {
            ProseKind::Comment => phrase.most_in_comments,
            ProseKind::Document => phrase.most_in_documents,
            ProseKind::Message => phrase.most_in_messages,
        }
    }
}

impl fmt::Display for LanguageFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}: {} words; per 10,000 words (limit):", self.kind, self.words)?;
        for (phrase, rate) in self.rates() {
            writeln!(f, "  {:<28}{rate:>8.1} ({:.0})", phrase.name, self.limit(phrase))?;
        }
        Ok(())
    }
}

const KINDS: [ProseKind; 3] = [ProseKind::Comment, ProseKind::Document, ProseKind::Message];

#[test]
fn prose_uses_compound_nouns() {
    for kind in KINDS {
        let figures = LanguageFigures::measure(kind);
        let is_fine = figures.rates().all(|(phrase, rate)| rate <= figures.limit(phrase));
        assert!(is_fine, "{figures}the most are in {:#?}", figures.worst);
    }
}

/// `tests/tidy/figures` prints the output of this test.
#[test]
fn language_figures_are_printed() {
    let mut lines: Vec<_> = KINDS.map(|kind| LanguageFigures::measure(kind).to_string()).to_vec();
    lines.extend(super::names::NameFigures::measure().lines());
    assert!(files_ending(".md").len() > 5, "the prose of the repository was found");
    super::print(&lines.join("\n"));
}

#[test]
fn phrases_are_counted_across_lines() {
    let mut figures =
        LanguageFigures { kind: ProseKind::Comment, words: 0, hits: vec![0; 4], worst: Vec::new() };
    figures.add(
        "a.rs",
        "The name\nof the file, and what a page has. True if the policy in\nforce is a \"text\".",
    );
    assert_eq!(figures.hits, [1, 1, 1, 1]);
    assert_eq!(string_literals("f(\"one two\", \"three\") // \"four five\""), "one two\nfour five");
    assert_eq!(between("a \"\"\"b\"\"\" c", "\"\"\"", "\"\"\""), "b");
}

//! Finds secrets by their shape: tokens from known providers, and other strings that are secret without a name.

use super::tables;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::{ops::Range, sync::LazyLock};

/// The limits for the combined expression, in bytes. The first bounds the program, the second the search cache.
const SIZE_LIMIT: usize = 16 * 1024 * 1024;
const CACHE_LIMIT: usize = 16 * 1024 * 1024;

/// The expression in a row of `data/shapes.toml` or `data/gitleaks.toml`. The other columns are for readers and tests.
#[derive(Debug, Clone, Deserialize)]
struct ShapePattern {
    pattern: String,
}

/// All shapes in one expression, so that the input is read once.
static SHAPES: LazyLock<Regex> = LazyLock::new(|| build(&combine_shapes()).expect("each pattern is tested"));

fn combine_shapes() -> String {
    let shapes: Vec<ShapePattern> = tables::read_shapes();
    anchor(&shapes.iter().map(|shape| shape.pattern.as_str()).collect::<Vec<_>>())
}

/// A shape that starts with a letter or digit must start a word. In escaped text or in a URL, a word may follow `\n` or
/// `%3D`.
fn anchor(patterns: &[&str]) -> String {
    let (signs, words): (Vec<_>, Vec<_>) = patterns.iter().partition(|pattern| pattern.starts_with(r"\$"));
    let group =
        |patterns: Vec<&str>| patterns.iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|");
    if words.is_empty() {
        return group(signs);
    }
    let words = format!(r"(?:\b|\\[nrt]|%[0-9A-Fa-f]{{2}})(?:{})", group(words));
    if signs.is_empty() { words } else { format!("{words}|{}", group(signs)) }
}

/// How long the escape is that may precede the token in a match.
fn escape_length(found: &str) -> usize {
    match found.as_bytes()[0] {
        b'\\' => 2,
        b'%' => 3,
        _ => 0,
    }
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).size_limit(SIZE_LIMIT).dfa_size_limit(CACHE_LIMIT).build()
}

/// The shapes with each repetition shortened to one, which match wherever a shape does. This expression builds six
/// times as fast, and few inputs match it, so most processes that live for one call never build [`SHAPES`].
static HINTS: LazyLock<Regex> =
    LazyLock::new(|| build(include_str!("../data/shape_hints.txt").trim_end()).expect("a test builds it"));

/// Adds the spans of all secrets with a known shape to `spans`.
pub(crate) fn find_shapes(text: &str, spans: &mut Vec<Range<usize>>) {
    if !HINTS.is_match(text) {
        return;
    }
    let mut locations = SHAPES.capture_locations();
    let mut at = 0;
    while let Some(found) = SHAPES.captures_read_at(&mut locations, text, at) {
        let group = (1..locations.len()).find_map(|group| locations.get(group));
        let whole = || (found.start() + escape_length(found.as_str()), found.end());
        let (start, end) = group.unwrap_or_else(whole);
        spans.push(start..end);
        at = found.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list_cases::fill;
    use proptest::prelude::*;
    use regex_syntax::{
        ParserBuilder,
        hir::{Hir, HirKind, Repetition},
    };
    use std::{collections::HashSet, path::Path};

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ShapeRow {
        name: String,
        pattern: String,
        example: String,
        counterexample: String,
    }

    /// All shapes in one expression, with each repetition shortened to one.
    fn shorten_shapes() -> String {
        shorten_repetitions(&parse(&combine_shapes())).to_string()
    }

    fn parse(pattern: &str) -> Hir {
        ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).expect("valid")
    }

    fn shorten_repetitions(hir: &Hir) -> Hir {
        match hir.kind() {
            HirKind::Repetition(repetition) => {
                let sub = Box::new(shorten_repetitions(&repetition.sub));
                let short = if repetition.min > 1 || repetition.max.is_some_and(|max| max > 1) {
                    Repetition { min: repetition.min.min(1), max: None, greedy: repetition.greedy, sub }
                } else {
                    Repetition { sub, ..repetition.clone() }
                };
                Hir::repetition(short)
            }
            HirKind::Capture(group) => shorten_repetitions(&group.sub),
            HirKind::Concat(parts) => Hir::concat(parts.iter().map(shorten_repetitions).collect()),
            HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(shorten_repetitions).collect()),
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
        }
    }

    /// `COUNTERSIGN_ACCEPT=1` writes the file again.
    #[test]
    fn hints_are_the_shortened_shapes() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/shape_hints.txt");
        let hints = shorten_shapes() + "\n";
        if std::env::var_os("COUNTERSIGN_ACCEPT").is_some() {
            std::fs::write(&file, &hints).expect("writable");
        }
        assert!(
            std::fs::read_to_string(&file).expect("readable") == hints,
            "run the test with COUNTERSIGN_ACCEPT=1"
        );
    }

    proptest! {
        #[test]
        fn hints_match_every_text_of_a_shape(
            text in prop::sample::select(tables::read_shapes::<ShapePattern>())
                .prop_flat_map(|shape| proptest::string::string_regex(&shape.pattern.replace(r"\b", "")).expect("valid"))
        ) {
            // The generator also folds case beyond ASCII, which no shape matches.
            let text = format!("x {text}");
            prop_assert!(HINTS.is_match(&text) || !SHAPES.is_match(&text), "{text}");
        }
    }

    #[test]
    fn shape_matches_example_and_not_counterexample() {
        let shapes: Vec<ShapeRow> = tables::read_shapes();
        assert!(shapes.len() >= 100, "{} shapes", shapes.len());
        let names: HashSet<_> = shapes.iter().map(|shape| &shape.name).collect();
        assert_eq!(names.len(), shapes.len(), "names are unique");
        for shape in &shapes {
            let pattern = build(&anchor(&[&shape.pattern])).expect(&shape.name);
            let example = fill(&shape.example);
            assert!(pattern.is_match(&format!("a \"{example}\" b")), "{}: {example}", shape.name);
            assert!(!pattern.is_match(&shape.counterexample), "{}: {}", shape.name, shape.counterexample);
            let mut spans = Vec::new();
            find_shapes(&example, &mut spans);
            assert!(!spans.is_empty(), "{}", shape.name);
        }
    }
}

//! Finds secrets by their shape: the tokens of known providers, and other texts that are secret without a name.

use super::tables;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::{ops::Range, sync::LazyLock};

/// The limits of the combined expression, in bytes. The first bounds the program, the second the cache of a search.
const SIZE_LIMIT: usize = 16 * 1024 * 1024;
const CACHE_LIMIT: usize = 16 * 1024 * 1024;

/// The expression of a row of `data/shapes.toml`. The other columns are for readers and tests.
#[derive(Deserialize)]
struct ShapePattern {
    pattern: String,
}

/// All shapes in one expression, so that a text is read once.
static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
    let shapes: Vec<ShapePattern> = tables::read_shapes();
    let patterns: Vec<_> = shapes.iter().map(|shape| anchor(&shape.pattern)).collect();
    build(&patterns.join("|")).expect("each pattern is tested")
});

/// A shape that begins with a letter or digit must begin a word.
fn anchor(pattern: &str) -> String {
    if pattern.starts_with(r"\$") { format!("(?:{pattern})") } else { format!(r"\b(?:{pattern})") }
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).unicode(false).size_limit(SIZE_LIMIT).dfa_size_limit(CACHE_LIMIT).build()
}

/// Adds the spans of all secrets with a known shape to `spans`.
pub(crate) fn find_shapes(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut locations = SHAPES.capture_locations();
    let mut at = 0;
    while let Some(found) = SHAPES.captures_read_at(&mut locations, text, at) {
        let group = (1..locations.len()).find_map(|group| locations.get(group));
        let (start, end) = group.unwrap_or((found.start(), found.end()));
        spans.push(start..end);
        at = found.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list_cases::fill;
    use std::collections::HashSet;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ShapeRow {
        name: String,
        pattern: String,
        example: String,
        counterexample: String,
    }

    #[test]
    fn shape_matches_example_and_not_counterexample() {
        let shapes: Vec<ShapeRow> = tables::read_shapes();
        assert!(shapes.len() >= 100, "{} shapes", shapes.len());
        let names: HashSet<_> = shapes.iter().map(|shape| &shape.name).collect();
        assert_eq!(names.len(), shapes.len(), "names are unique");
        for shape in &shapes {
            let pattern = build(&anchor(&shape.pattern)).expect(&shape.name);
            let example = fill(&shape.example);
            assert!(pattern.is_match(&format!("a \"{example}\" b")), "{}: {example}", shape.name);
            assert!(!pattern.is_match(&shape.counterexample), "{}: {}", shape.name, shape.counterexample);
            let mut spans = Vec::new();
            find_shapes(&example, &mut spans);
            assert!(!spans.is_empty(), "{}", shape.name);
        }
    }
}

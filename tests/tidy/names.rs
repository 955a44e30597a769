//! Names: type names are unique compound nouns, no function has a rejected name, and names of tests are short.

use super::{files_ending, read};
use std::collections::BTreeMap;

/// The maximum share of single-word type names, in per cent.
const MOST_SINGLE_WORDS: usize = 40;
/// The maximum number of words in a test's name.
const MOST_TEST_WORDS: usize = 8;

/// Names that a function may not have, because a reader understands them only with the caller's code.
const REJECTED_FUNCTIONS: &[&str] = &["of", "take", "place", "carry_out", "said", "look"];

/// Names that the prelude of Rust brings into every file.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Eq",
    "Err",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// A type that is defined in the source.
struct TypeName {
    name: String,
    path: String,
}

/// Returns every struct, enum, trait and type alias of the crates and the tests. Associated types are excluded, because
/// the trait determines their names.
fn type_names() -> Vec<TypeName> {
    let mut names = Vec::new();
    for path in files_ending(".rs") {
        for line in read(&path).lines() {
            let item = without_visibility(line.trim_start());
            let Some((keyword, rest)) = item.split_once(' ') else { continue };
            let is_alias = keyword == "type" && !line.starts_with(' ');
            if is_alias || ["struct", "enum", "trait", "union"].contains(&keyword) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if name.starts_with(char::is_uppercase) {
                    names.push(TypeName { name, path: path.clone() });
                }
            }
        }
    }
    names
}

fn without_visibility(item: &str) -> &str {
    let Some(rest) = item.strip_prefix("pub") else { return item };
    match rest.strip_prefix('(') {
        Some(scoped) => scoped.split_once(") ").map_or(item, |(_, item)| item),
        None => rest.trim_start(),
    }
}

/// Returns every function with its file and line, and true if it is a test.
fn functions() -> Vec<(String, String, bool)> {
    let mut functions = Vec::new();
    for path in files_ending(".rs") {
        let text = read(&path);
        let mut is_test = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                is_test = true;
            }
            let head = line.split('(').next().unwrap_or_default();
            if !line.starts_with("//")
                && let Some((_, name)) = head.rsplit_once("fn ")
                && head
                    .split_whitespace()
                    .all(|word| word.chars().all(|c| c.is_alphanumeric() || "_<>',:\"".contains(c)))
            {
                let name = name.split('<').next().unwrap_or_default().to_owned();
                functions.push((name, format!("{path}:{}", number + 1), is_test));
                is_test = false;
            }
        }
    }
    functions
}

/// Returns true for a name of one capitalised word, such as `Page`.
fn is_single_word(name: &str) -> bool {
    name.chars().skip(1).all(|c| !c.is_uppercase())
}

/// Figures on all names.
pub(crate) struct NameFigures {
    types: usize,
    single_words: usize,
    repeated: Vec<String>,
    shadowing: Vec<String>,
    rejected_functions: Vec<String>,
    long_tests: Vec<String>,
}

impl NameFigures {
    pub(crate) fn measure() -> Self {
        let types = type_names();
        let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for TypeName { name, path } in &types {
            places.entry(name).or_default().push(path);
        }
        let repeated = places.iter().filter(|(_, paths)| !is_wire_pair(paths));
        let functions = functions();
        let rejected = functions.iter().filter(|(name, ..)| REJECTED_FUNCTIONS.contains(&name.as_str()));
        let long = functions
            .iter()
            .filter(|(name, _, is_test)| *is_test && name.split('_').count() > MOST_TEST_WORDS);
        let located = |(name, place, _): &(String, String, bool)| format!("{place}: {name}");
        Self {
            types: places.len(),
            single_words: places.keys().filter(|name| is_single_word(name)).count(),
            repeated: repeated.map(|(name, paths)| format!("{name}: {}", paths.join(", "))).collect(),
            shadowing: places
                .keys()
                .filter(|name| PRELUDE.contains(name))
                .map(|name| (*name).to_owned())
                .collect(),
            rejected_functions: rejected.map(located).collect(),
            long_tests: long.map(located).collect(),
        }
    }

    fn single_word_share(&self) -> usize {
        self.single_words * 100 / self.types.max(1)
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        vec![
            format!(
                "{} type names, of one word: {} ({} %)",
                self.types,
                self.single_words,
                self.single_word_share()
            ),
            format!("  used for more than one type: {}", self.repeated.len()),
            format!("  in the prelude of Rust: {}", self.shadowing.len()),
            format!("functions with a rejected name: {}", self.rejected_functions.len()),
            format!("names of tests with more than {MOST_TEST_WORDS} words: {}", self.long_tests.len()),
        ]
    }
}

/// Returns true for a domain type and its wire form, which may share a name. The wire form is in `api`.
fn is_wire_pair(paths: &[&str]) -> bool {
    let in_api = paths.iter().filter(|path| path.starts_with("crates/api/")).count();
    paths.len() == 1 || paths.len() == 2 && in_api == 1
}

#[test]
fn type_names_are_compound_nouns() {
    let figures = NameFigures::measure();
    let share = figures.single_word_share();
    assert!(share < MOST_SINGLE_WORDS, "{share} % of the type names are a single word");
    assert!(figures.shadowing.is_empty(), "these names are in the prelude: {:?}", figures.shadowing);
}

#[test]
fn type_names_are_unique() {
    let repeated = NameFigures::measure().repeated;
    assert!(repeated.is_empty(), "one name for several types: {repeated:#?}");
}

#[test]
fn function_names_have_a_verb() {
    let rejected = NameFigures::measure().rejected_functions;
    assert!(rejected.is_empty(), "rename these: {rejected:#?}");
}

#[test]
fn test_names_are_short() {
    let long = NameFigures::measure().long_tests;
    assert!(long.is_empty(), "shorten these to subject_condition_outcome: {long:#?}");
}

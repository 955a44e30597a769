//! Event types: few production files name each of them, so that a new type changes few files.

use super::{files_ending, read};
use std::collections::HashSet;

/// The maximum number of production files outside of `crates/events` that name a type or its body.
const MOST_FILES: usize = 13;

/// The types that most of the program is about, or whose name has another meaning, too, with their own maximum.
const FREQUENT_TYPES: &[(&str, usize)] = &[
    ("ToolCall", 24),
    ("ApprovalRequest", 31),
    ("ApprovalResponse", 46),
    ("ApprovalVote", 23),
    ("ApprovalAdvice", 14),
    ("ExecutionStarted", 15),
    // Results of tools have this name in other formats, too.
    ("ToolResult", 24),
    // A refusal has this name.
    ("ThreadClosed", 23),
    ("PolicySet", 19),
    // The six types of messages have one body.
    ("UserMessage", 25),
    ("AgentMessage", 26),
    ("SystemPrompt", 20),
];

/// A row of the tables in `crates/events/src/event`.
#[derive(Debug)]
struct TypeRow {
    name: String,
    body: String,
    is_about_a_call: bool,
}

impl TypeRow {
    fn parse(path: &str, line: &str) -> Option<Self> {
        let (name, rest) = line.trim().split_once('(')?;
        let (body, text) = rest.split_once(") = \"")?;
        let is_name = |text: &str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
        let is_row =
            is_name(name) && is_name(body) && text.starts_with(|first: char| first.is_ascii_uppercase());
        let is_about_a_call = path.contains("/event/call/");
        is_row.then(|| Self { name: name.to_owned(), body: body.to_owned(), is_about_a_call })
    }

    fn read_all() -> Vec<Self> {
        let files =
            files_ending(".rs").into_iter().filter(|path| path.starts_with("crates/events/src/event/"));
        let rows: Vec<_> = files
            .flat_map(|path| {
                read(&path).lines().filter_map(|line| Self::parse(&path, line)).collect::<Vec<_>>()
            })
            .collect();
        assert!(rows.len() > 40, "the tables have the form that this test reads: {rows:?}");
        rows
    }

    fn is_named_in(&self, file: &ProductionFile) -> bool {
        let names = [format!("EventType::{}", self.name), format!("Body::{}", self.name)];
        file.words.contains(&self.body) || names.iter().any(|name| file.paths.contains(name))
    }
}

/// The names in a production file, outside of comments and inline tests.
struct ProductionFile {
    path: String,
    words: HashSet<String>,
    /// The last two parts of each path.
    paths: HashSet<String>,
}

impl ProductionFile {
    fn read_all() -> Vec<Self> {
        let is_production = |path: &String| {
            path.starts_with("crates/")
                && path.contains("/src/")
                && !path.split('/').any(|part| part == "tests" || part == "tests.rs")
        };
        files_ending(".rs").into_iter().filter(is_production).map(Self::read).collect()
    }

    fn read(path: String) -> Self {
        let text = read(&path);
        let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        let code: Vec<_> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
        let mut file = Self { path, words: HashSet::new(), paths: HashSet::new() };
        let is_separator = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
        for path in code.join("\n").split(is_separator) {
            let parts: Vec<_> = path.split("::").collect();
            file.words.extend(parts.iter().map(|part| (*part).to_owned()));
            file.paths.extend(parts.windows(2).map(|pair| pair.join("::")));
        }
        file
    }
}

#[test]
fn few_files_name_each_event_type() {
    let files: Vec<_> = ProductionFile::read_all()
        .into_iter()
        .filter(|file| !file.path.starts_with("crates/events/"))
        .collect();
    for row in TypeRow::read_all() {
        let own = FREQUENT_TYPES.iter().find(|(name, _)| *name == row.name);
        let most = own.map_or(MOST_FILES, |(_, most)| *most);
        let naming: Vec<_> =
            files.iter().filter(|file| row.is_named_in(file)).map(|file| &file.path).collect();
        assert!(naming.len() <= most, "{} files name {}: {naming:#?}", naming.len(), row.name);
    }
}

/// The compiler does not find a type that the state of calls ignores: it refuses the events of such a type.
#[test]
fn state_of_calls_applies_each_call_event() {
    let files: Vec<_> = ProductionFile::read_all()
        .into_iter()
        .filter(|file| file.path.starts_with("crates/approvals/src/call/"))
        .collect();
    for row in TypeRow::read_all().into_iter().filter(|row| row.is_about_a_call) {
        assert!(
            files.iter().any(|file| row.is_named_in(file)),
            "no file of approvals/src/call applies {}",
            row.name
        );
    }
}

//! Rules for the file itself: its names, and the clients that do not play a story.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The test name for these rules.
pub(crate) const TEST: &str = "stories_follow_their_rules";
const STORIES: &str = include_str!("stories.json");
const README: &str = include_str!("README.md");
const CLIENTS: [&str; 3] = ["rust", "python", "typescript"];

/// The contract.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoryFile {
    #[serde(rename = "about")]
    _about: String,
    pub(crate) stories: Vec<ContractStory>,
    /// Stories with one mistake each, which a player must find.
    pub(crate) mistakes: Vec<ContractStory>,
}

/// A contract story.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractStory {
    pub(crate) name: String,
    /// The policy lines.
    #[serde(default)]
    pub(crate) policy: Vec<String>,
    /// The maximum request size in bytes, if not the default.
    pub(crate) max_body: Option<u64>,
    /// The clients that do not play the story, each with the reason.
    #[serde(default)]
    without: BTreeMap<String, String>,
    pub(crate) steps: Vec<Map<String, Value>>,
}

impl ContractStory {
    pub(crate) fn excludes_rust(&self) -> bool {
        self.without.contains_key("rust")
    }
}

pub(crate) fn read_stories() -> StoryFile {
    serde_json::from_str(STORIES).expect("stories.json has the form that README.md describes")
}

/// Checks the names, and that the README lists each exclusion.
pub(crate) fn check(file: &StoryFile) {
    let stories = &file.stories;
    assert!(stories.len() >= 30, "the file has {} stories", stories.len());
    let mut names = BTreeSet::new();
    let mut exclusions = BTreeSet::new();
    for story in stories.iter().chain(&file.mistakes) {
        let name = &story.name;
        assert!(names.insert(name), "two stories are named {name}");
        let is_plain = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        assert!(name.split('_').all(is_plain), "{name}: use lower case words");
        assert!((3..=8).contains(&name.split('_').count()), "{name}: use 3 to 8 words");
        assert!(!story.steps.is_empty(), "{name} has no steps");
        for (client, reason) in &story.without {
            assert!(CLIENTS.contains(&client.as_str()), "{name}: {client} is not a client");
            exclusions.insert(format!("| `{name}` | {client} | {reason} |"));
        }
    }
    let listed: BTreeSet<String> = README
        .lines()
        .filter(|line| line.starts_with("| `") && line.matches('|').count() == 4)
        .filter(|line| CLIENTS.iter().any(|client| line.contains(&format!("| {client} |"))))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, exclusions, "README.md must list the stories that a client does not play");
}

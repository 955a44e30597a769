//! The contract of all clients, played by the Rust client. `README.md` explains the stories. Each story is one test: this
//! harness answers the options of cargo and nextest, because the stories are data.

mod agent;
mod clients;
mod fields;
mod network;
mod operations;
mod outcome;
mod player;
mod rules;
mod tasks;

use countersign_tests::{Programs, programs, within_the_limit};
use player::StoryPlayer;
use rules::{ContractStory, StoryFile};
use std::{env, io::Write, panic, process::ExitCode};

const PROGRAMS: Programs = programs!();

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [agent::OPTION, part] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        within_the_limit(agent::run(part));
        return ExitCode::SUCCESS;
    }
    let has = |option: &str| words.iter().any(|word| word == option);
    let named = words.iter().find(|word| !word.starts_with('-') && *word != "terse");
    let is_chosen = |name: &str| match named {
        Some(named) if has("--exact") => name == named,
        Some(named) => name.contains(named.as_str()),
        None => true,
    };
    let file = rules::read_stories();
    let stories = file.stories.iter().chain(&file.mistakes).map(|story| story.name.as_str());
    for name in stories.chain([rules::TEST]).filter(|name| is_chosen(name) && !has("--ignored")) {
        if has("--list") {
            print(&format!("{name}: test"));
        } else {
            run_test(&file, name);
            print(&format!("test {name} ... ok"));
        }
    }
    ExitCode::SUCCESS
}

/// Runs one test. Panics if it fails.
fn run_test(file: &StoryFile, name: &str) {
    let find = |stories: &[ContractStory]| stories.iter().position(|story| story.name == name);
    if let Some(at) = find(&file.mistakes) {
        let played = panic::catch_unwind(|| within_the_limit(StoryPlayer::play(&file.mistakes[at])));
        assert!(played.is_err(), "the player does not find the mistake");
    } else if let Some(at) = find(&file.stories) {
        let story = &file.stories[at];
        if !story.excludes_rust() {
            within_the_limit(StoryPlayer::play(story));
        }
    } else {
        rules::check(file);
    }
}

/// Prints a line to standard output, where the harness reads it.
fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the standard output is open");
}

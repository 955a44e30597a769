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
use std::{env, io::Write, process::ExitCode};

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
    let stories = rules::read_stories();
    let names =
        stories.iter().map(|story| story.name.as_str()).chain([rules::TEST]).filter(|name| is_chosen(name));
    for name in names.filter(|_| !has("--ignored")) {
        if has("--list") {
            print(&format!("{name}: test"));
            continue;
        }
        match stories.iter().find(|story| story.name == name) {
            None => rules::check(&stories),
            Some(story) if story.excludes_rust() => {}
            Some(story) => within_the_limit(StoryPlayer::play(story)),
        }
        print(&format!("test {name} ... ok"));
    }
    ExitCode::SUCCESS
}

/// Prints a line to the standard output, for the reader of the harness.
fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the standard output is open");
}

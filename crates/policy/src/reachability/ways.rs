//! The table of ways to reach a thing.

use super::{candidate::Candidate, fill::GoalWords, goal::ReachGoal, report::ReachForm};
use serde_json::Value;
use std::sync::LazyLock;

const FILES: &str = include_str!("ways_to_files.tsv");
const THINGS: &str = include_str!("ways_to_things.tsv");

/// The mark of a template in which `{}` is no gap.
const RAW: &str = ",\"raw\":true";
/// Stands for braces that are no gap, while gaps are filled.
const BRACES: &str = "\u{e000}";

static WAYS: LazyLock<Vec<Way>> = LazyLock::new(read_ways);

/// A way to reach a thing: a tool and a template for its arguments.
struct Way {
    /// What the call does, as [`ReachGoal::way`] names it.
    does: &'static str,
    tool: &'static str,
    arguments: Value,
    is_raw: bool,
}

fn read_ways() -> Vec<Way> {
    let rows = |table: &'static str| {
        table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>())
    };
    let files = rows(FILES).filter_map(|row| match row[..] {
        [tool, arguments, does] => Some((does, tool, arguments)),
        // A way that a protection must not allow, although it is not certain what it does.
        _ => None,
    });
    let things = rows(THINGS).filter_map(|row| match row[..] {
        [does, tool, arguments] => Some((does, tool, arguments)),
        _ => None,
    });
    let read = |(does, tool, arguments): (&'static str, &'static str, &'static str)| {
        let is_raw = arguments.contains(RAW);
        let arguments = serde_json::from_str(&arguments.replace(RAW, "")).ok()?;
        Some(Way { does, tool, arguments, is_raw })
    };
    files.chain(things).filter_map(read).collect()
}

/// The calls of the table that certainly do what the question is about.
pub(crate) fn calls_of_table(goal: &ReachGoal, words: &GoalWords) -> Vec<Candidate> {
    ways_of(goal).filter_map(|way| way.fill(words)).collect()
}

/// The names of the tools in these rows of the table.
pub(crate) fn tools_of_table(goal: &ReachGoal) -> impl Iterator<Item = &'static str> {
    ways_of(goal).map(|way| way.tool)
}

fn ways_of(goal: &ReachGoal) -> impl Iterator<Item = &'static Way> {
    let does = goal.way();
    WAYS.iter().filter(move |way| way.does.split(',').any(|one| one == does))
}

impl Way {
    fn fill(&self, words: &GoalWords) -> Option<Candidate> {
        // With `raw`, the braces are a word of the command itself.
        let (template, hidden) = (self.arguments.to_string(), BRACES);
        let template = if self.is_raw { template.replace("{}", hidden) } else { template };
        let arguments = words.fill_arguments(&serde_json::from_str(&template).ok()?)?;
        let arguments = serde_json::from_str(&arguments.to_string().replace(hidden, "{}")).ok()?;
        let tool = words.fill(self.tool, false)?;
        let candidate = Candidate::new(&tool, arguments).certain();
        let is_command = ["command", "cmd"]
            .iter()
            .any(|key| self.arguments.get(key).is_some_and(|value| value.is_array() || is_line(value)));
        Some(if is_command { Candidate { form: ReachForm::Command, ..candidate } } else { candidate })
    }
}

/// Whether the value is a command line, and no name of an action such as `view`.
fn is_line(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains([' ', '{']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_the_tables_is_read() {
        let with_use =
            FILES.lines().filter(|line| !line.starts_with('#') && line.split('\t').count() == 3).count();
        let things = THINGS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(WAYS.len(), with_use + things);
    }
}

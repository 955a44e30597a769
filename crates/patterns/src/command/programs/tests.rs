//! Tests of the table: each entry by its lines, and the reading of options.

use super::{
    options::OptionSource,
    table::{ProgramRow, ProgramTable},
};
use crate::{CommandPattern, MatchAnswer, ParsedScript, command::match_every};

fn allowed(pattern: &str, line: &str) -> bool {
    match_every(&[CommandPattern::new(pattern).expect(pattern)], &ParsedScript::parse(line))
        == MatchAnswer::Yes
}

/// The pattern that seems to allow the line: the program, the entry's subcommands if they follow it, and any arguments.
fn open_pattern(line: &str, row: &ProgramRow) -> String {
    let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
    let follows = |path: &&String| rest == *path || rest.starts_with(&format!("{path} "));
    if let (Some(module), true) = (rest.strip_prefix("-m "), row.names[0].starts_with("-m ")) {
        return format!("{program} -m {} **", module.split(' ').next().unwrap_or_default());
    }
    let longest = row.subcommands.iter().filter(follows).max_by_key(|path| path.len());
    longest.map_or(format!("{program} **"), |path| format!("{program} {path} **"))
}

#[test]
fn each_line_of_the_table_has_its_answer() {
    let (mut wrong, mut lines) = (Vec::new(), 0);
    for entry in ProgramTable::shared().all() {
        let row = &entry.row;
        for (line, right) in
            row.innocent.iter().map(|line| (line, true)).chain(row.caught.iter().map(|line| (line, false)))
        {
            let pattern = open_pattern(line, row);
            lines += 1;
            if allowed(&pattern, line) != right {
                wrong.push(format!(
                    "{:?} {:?}: `{pattern}` must{} allow `{line}`",
                    row.names,
                    row.subcommands,
                    if right { "" } else { " not" }
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {lines} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines >= 1000, "{lines} lines");
}

#[test]
fn each_effect_is_caught_by_a_line() {
    let mut missing = Vec::new();
    for entry in ProgramTable::shared().all() {
        let uses: Vec<_> = entry
            .row
            .caught
            .iter()
            .flat_map(|line| ParsedScript::parse(line).commands)
            .flat_map(|command| command.reading.uses)
            .collect();
        let rows = entry.options.iter().filter(|option| matches!(option.source, OptionSource::Effect(_)));
        missing
            .extend(rows.filter(|row| !uses.iter().any(|used| std::ptr::eq(used.option, *row))).map(|row| {
                format!("{:?} {:?}: {:?}", entry.row.names, entry.row.subcommands, row.spellings)
            }));
    }
    assert!(missing.is_empty(), "{} rows without a line:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn table_lists_enough_programs() {
    let mut names: Vec<_> = ProgramTable::shared().all().flat_map(|entry| &entry.row.names).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() >= 120, "{} programs", names.len());
}

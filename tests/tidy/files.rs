//! Files and functions are short, files start with a description, and queries are used.

use super::{files_ending, read};

#[test]
fn files_stay_short() {
    for path in files_ending(".rs") {
        let lines = read(&path).lines().count();
        assert!(lines <= 500, "{path} has {lines} lines: split it");
    }
}

#[test]
fn functions_stay_short() {
    for path in files_ending(".rs") {
        let text = read(&path);
        let lines: Vec<_> = text.lines().collect();
        for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
            let indent = line.len() - line.trim_start().len();
            let closes = |line: &str| line.starts_with(&format!("{}}}", " ".repeat(indent)));
            let length = lines[start..].iter().position(|line| closes(line)).unwrap_or(0);
            assert!(length <= 70, "{path}:{} has {length} lines: split the function", start + 1);
        }
    }
}

fn begins_function(line: &str) -> bool {
    let line = line.trim_start();
    let words = line.split_whitespace().take(4);
    !line.starts_with("//") && words.clone().any(|word| word == "fn") && !line.ends_with(';')
}

#[test]
fn each_file_begins_with_a_description() {
    for path in files_ending(".rs") {
        assert!(read(&path).starts_with("//!"), "{path}: begin with a //! sentence");
    }
}

#[test]
fn each_query_is_used_and_described() {
    let queries = read("crates/store/src/queries.rs");
    for path in files_ending(".sql").iter().filter(|path| path.starts_with("sql/")) {
        let name = path.trim_start_matches("sql/");
        // A pair of files, one for each database, is listed once, without its folder.
        let file = name.rsplit('/').next().unwrap_or(name);
        let is_listed = [name, file].iter().any(|listed| queries.contains(&format!("\"{listed}\"")));
        assert!(is_listed, "{path} is not used in queries.rs");
        assert!(read(path).starts_with("--"), "{path}: begin with a -- comment");
    }
}

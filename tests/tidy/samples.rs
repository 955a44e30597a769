//! The samples and the names of code in the documentation: programs in Rust are files, and routes, variables, types and functions
//! exist. Client tests run the samples in Python and TypeScript.

use super::{files_ending, read};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// Routes of other products, which a page says are not served.
const OTHER_ROUTES: &[&str] = &["POST /stream/{thread}/stop"];

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// Pages about this version. The changelog and the decisions name what no longer exists.
fn pages() -> Vec<(String, String)> {
    let is_old = |path: &str| path.starts_with("docs/decisions/") || path == "CHANGELOG.md";
    let paths = files_ending(".md").into_iter().filter(|path| !is_old(path));
    paths.map(|path| (path.clone(), read(&path))).collect()
}

/// The first group of each match in each page, with the page.
fn names_in_pages(pattern: &Regex) -> Vec<(String, String)> {
    let in_page = |(path, text): (String, String)| {
        let found = pattern.captures_iter(&text).map(|found| found[1].to_owned()).collect::<Vec<_>>();
        found.into_iter().map(move |name| (path.clone(), name))
    };
    pages().into_iter().flat_map(in_page).collect()
}

/// The code of the program, the clients and their tests.
fn code() -> String {
    let is_code =
        |path: &String| ["crates/", "clients/", "tests/"].iter().any(|folder| path.starts_with(folder));
    let paths = [".rs", ".py", ".ts", ".js", "/run"].into_iter().flat_map(files_ending).filter(is_code);
    paths.map(|path| read(&path)).collect()
}

#[test]
fn rust_samples_are_files() {
    let programs: Vec<_> =
        files_ending(".rs").into_iter().filter(|path| path.contains("/examples/")).collect();
    let samples = names_in_pages(&regex(r"(?s)\n```rust\n(.*?)```"));
    for (page, sample) in &samples {
        let is_file = programs.iter().any(|path| read(path) == *sample);
        assert!(
            is_file,
            "{page}: a sample in Rust is the whole text of a file in an examples folder\n{sample}"
        );
    }
    assert!(!samples.is_empty());
}

#[test]
fn rust_names_in_pages_exist() {
    let code = code();
    let names = names_in_pages(&regex(r"`([A-Z]\w+::\w+)"));
    for (page, name) in &names {
        let (owner, member) = name.split_once("::").expect("the pattern has it");
        for pattern in [format!(r"\b(struct|enum|trait|type) {owner}\b"), format!(r"\b(fn )?{member}\b")] {
            assert!(regex(&pattern).is_match(&code), "{page}: {name} does not exist");
        }
    }
    assert!(names.len() > 10, "{} names were found", names.len());
}

#[test]
fn variables_in_pages_exist() {
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(COUNTERSIGN_[A-Z][A-Z_]*[A-Z])\b"));
    let code = code();
    let known: BTreeSet<_> = VARIABLE.find_iter(&code).map(|found| found.as_str()).collect();
    let named = names_in_pages(&VARIABLE);
    let unknown: Vec<_> = named.iter().filter(|(_, name)| !known.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "nothing reads these variables: {unknown:#?}");
    assert!(named.len() > 100, "{} variables were found", named.len());
}

/// Returns true if a page means this path by a name: with values or names for its parameters, or only its end after `…`.
fn is_named(path: &str, name: &str) -> bool {
    let (name, is_end) = name.strip_prefix("…/").map_or((name, false), |end| (end, true));
    let (path, name): (Vec<_>, Vec<_>) = (path.split('/').collect(), name.split('/').collect());
    let compared = path.len().checked_sub(name.len()).filter(|before| is_end || *before == 0);
    compared.is_some_and(|before| {
        path[before..].iter().zip(&name).all(|(part, named)| part == named || part.starts_with('{'))
    })
}

#[test]
fn routes_in_pages_exist() {
    let document: serde_json::Value = serde_json::from_str(&read("docs/openapi.json")).expect("JSON");
    let paths = document["paths"].as_object().expect("an object");
    let named = names_in_pages(&regex(r"`((?:GET|POST|PUT|PATCH|DELETE) [^`\s]+)"));
    for (page, route) in named.iter().filter(|(_, route)| !OTHER_ROUTES.contains(&route.as_str())) {
        let (method, name) = route.split_once(' ').expect("the pattern has it");
        let (method, name) = (method.to_lowercase(), name.split('?').next().unwrap_or_default());
        let is_route =
            paths.iter().any(|(path, methods)| is_named(path, name) && methods.get(&method).is_some());
        assert!(is_route, "{page}: {route} does not exist");
    }
    assert!(named.len() > 100, "{} routes were found", named.len());
}

/// `git push **` is the spelling that Countersign writes. `git push*` also means programs and subcommands with longer names.
#[test]
fn commands_with_any_operands_have_one_spelling() {
    let fence = regex(r"(?s)\n```toml\n(.*?)```");
    let in_pages = names_in_pages(&fence);
    let shipped = files_ending(".toml").into_iter().map(|path| (path.clone(), read(&path)));
    let commands = regex(r#"(?ms)^\s*command = (\[.*?\]|"[^"\n]*")"#);
    let longer_names = regex(r#""([\w ,{}/.-]*\w\*)""#);
    let mut count = 0;
    for (page, policy) in in_pages.into_iter().chain(shipped) {
        for command in commands.captures_iter(&policy) {
            count += 1;
            let found = longer_names.captures(&command[1]).map(|found| found[1].to_owned());
            assert!(found.is_none(), "{page}: write ` **` in place of `*`: {found:?}");
        }
    }
    assert!(count > 30, "{count} patterns were found");
}

//! Protections: what they guard, whatever tool is used.

use super::*;

const FILES: &str = include_str!("data/protected_files.tsv");
const WAYS: &str = include_str!("data/ways_to_files.tsv");
const HARMLESS: &str = include_str!("data/harmless_calls.tsv");

fn rows(data: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("two columns"))
}

fn in_shop(call: TestCall) -> TestCall {
    let folder = Some("/srv/shop".to_owned());
    TestCall { place: Some(Place { project: folder.clone(), folder, ..Place::default() }), ..call }
}

/// A policy that allows everything but what the protection guards.
fn protecting(things: &str) -> Policy {
    let text = format!(
        "[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"\n[[protect]]\nname = \"guard\"\nverdict = \"block\"\n{things}\n"
    );
    Policy::read(&text).unwrap_or_else(|e| panic!("{things}: {e}"))
}

fn path_protection(pattern: &str) -> Policy {
    protecting(&format!("path = {pattern:?}"))
}

#[test]
fn no_way_to_a_protected_file_is_allowed() {
    let mut missed = Vec::new();
    for (pattern, path) in rows(FILES) {
        let policy = path_protection(pattern);
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        for (tool, way) in rows(WAYS) {
            let is_raw = way.contains("\"raw\":true");
            let way = way.replace(",\"raw\":true", "").replace("{dir}", folder).replace("{name}", name);
            let arguments = if is_raw { way } else { way.replace("{}", path) };
            let call = in_shop(call(tool, &arguments));
            if call.verdict(&policy) == Verdict::Allow {
                missed.push(format!("{pattern}\t{tool}\t{arguments}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} allowed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn harmless_calls_stay_free_beside_protections() {
    let policy = protecting("package = \"secrets\"\nfolders = \"ignore\"");
    let asked: Vec<_> = rows(HARMLESS)
        .map(|(tool, arguments)| (tool, arguments, in_shop(call(tool, arguments)).judge(&policy)))
        .filter(|(.., judgement)| judgement.verdict != Verdict::Allow)
        .map(|(tool, arguments, judgement)| format!("{tool}\t{arguments}\t{}", judgement.reason))
        .collect();
    assert!(asked.is_empty(), "{}:\n{}", asked.len(), asked.join("\n"));
}

/// The verdicts of the commands and calls of a data file, whose first column is the protection.
#[test]
fn things_other_than_files_are_guarded() {
    let mut wrong = Vec::new();
    for line in include_str!("data/protected_things.tsv").lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<_> = line.split('\t').collect();
        let [things, expected, tool, arguments] = columns[..] else { panic!("four columns: {line}") };
        let call = if arguments.starts_with('{') { call(tool, arguments) } else { bash(arguments) };
        let judgement = in_shop(call).judge(&protecting(things));
        if judgement.verdict.as_str() != expected {
            wrong.push(format!("{line}\n    {}: {}", judgement.verdict.as_str(), judgement.reason));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

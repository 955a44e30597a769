//! Protections of hosts, branches, clusters and databases.

use super::{
    protections::{in_shop, protecting, rows},
    *,
};

/// The verdicts of the commands and calls of a data file, whose first column is the protection.
#[test]
fn things_other_than_files_are_guarded() {
    let mut wrong = Vec::new();
    let data = [include_str!("data/protected_things.tsv"), include_str!("data/protected_operations.tsv")];
    for line in data.iter().flat_map(|data| data.lines()).filter(|line| !line.starts_with('#')) {
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

/// The protections of the guide.
const PRODUCTION: &str = r#"
kubernetes = { context = "prod*", except = ["get", "list", "describe", "logs", "watch"] }
sql = { database = "prod*", statements = ["write", "schema"] }
host = "*.prod.example.com"
git = { branch = ["main", "release/*"], change = ["force", "delete"] }
"#;

#[test]
fn innocent_calls_stay_free_beside_production() {
    let policy = protecting(PRODUCTION);
    let asked: Vec<_> = rows(include_str!("data/innocent_things.tsv"))
        .map(|(tool, arguments)| {
            let call = if arguments.starts_with('{') { call(tool, arguments) } else { bash(arguments) };
            (tool, arguments, in_shop(call).judge(&policy))
        })
        .filter(|(.., judgement)| judgement.verdict != Verdict::Allow)
        .map(|(tool, arguments, judgement)| format!("{tool}\t{arguments}\t{}", judgement.reason))
        .collect();
    assert!(asked.is_empty(), "{}:\n{}", asked.len(), asked.join("\n"));
}

#[test]
fn branches_of_the_place_are_meant() {
    const DEFAULT: &str = "package = \"default branch\"";
    const ANY_CHANGE: &str = "git = { default = true }";
    let verdict = |things: &str, line: &str, branch: Option<&str>| {
        let branches = Place {
            branch: branch.map(str::to_owned),
            default_branch: Some("stable".to_owned()),
            ..Place::folder("/srv/shop")
        };
        TestCall { place: Some(branches), ..bash(line) }.verdict(&protecting(things))
    };
    for (things, line, branch, expected) in [
        (DEFAULT, "git push --force origin stable", None, Verdict::Block),
        (DEFAULT, "git push --force origin main", None, Verdict::Block),
        (DEFAULT, "git push --force origin feature", None, Verdict::Allow),
        (DEFAULT, "git push --force", None, Verdict::Ask),
        (DEFAULT, "git push --force", Some("feature"), Verdict::Allow),
        (DEFAULT, "git push --force", Some("stable"), Verdict::Block),
        (DEFAULT, "git commit -qm x && git push -f", Some("feature"), Verdict::Allow),
        (DEFAULT, "git checkout stable && git push -f", Some("feature"), Verdict::Ask),
        (DEFAULT, "cd ../other && git push -f", Some("feature"), Verdict::Ask),
        (DEFAULT, "git -C ../other push -f", Some("feature"), Verdict::Ask),
        (DEFAULT, "git -c push.default=matching push -f", Some("feature"), Verdict::Ask),
        (DEFAULT, "git push -f origin HEAD", Some("feature"), Verdict::Allow),
        (DEFAULT, "git push -f --all", Some("feature"), Verdict::Ask),
        (DEFAULT, "git reset --hard origin/x", None, Verdict::Ask),
        (DEFAULT, "git reset --hard origin/x", Some("feature"), Verdict::Allow),
        (DEFAULT, "git reset --hard origin/x", Some("stable"), Verdict::Block),
        (DEFAULT, "git reset --hard origin/x && gh pr list", Some("feature"), Verdict::Ask),
        (ANY_CHANGE, "git push", Some("feature"), Verdict::Allow),
        (ANY_CHANGE, "git push", Some("stable"), Verdict::Block),
        (ANY_CHANGE, "git push origin main", None, Verdict::Allow),
    ] {
        assert_eq!(verdict(things, line, branch), expected, "{things} {line} {branch:?}");
    }
}

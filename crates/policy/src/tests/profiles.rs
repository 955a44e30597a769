//! The profiles for coding agents.

use super::*;
use countersign_events::AdvisorMode;

const DANGEROUS: &str = include_str!("data/dangerous_calls.tsv");
const HARMLESS: &str = include_str!("data/harmless_calls.tsv");

/// The calls of a data file, in the project `/srv/shop`.
fn calls(data: &str) -> impl Iterator<Item = TestCall> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let (tool, arguments) = line.split_once('\t').expect("a tool and its arguments");
        in_shop(call(tool, arguments))
    })
}

fn in_shop(call: TestCall) -> TestCall {
    let folder = Some("/srv/shop".to_owned());
    TestCall { place: Some(Place { project: folder.clone(), folder, ..Place::default() }), ..call }
}

#[test]
fn each_profile_can_be_read() {
    for profile in PolicyProfile::ALL {
        let policy = Policy::read(&profile.text()).expect("a policy");
        assert_eq!(policy.hash(), profile.policy().hash());
        assert_eq!(PolicyProfile::find(&policy.text().text), Some(profile));
        assert_eq!(profile.as_str().parse(), Ok(profile));
    }
    assert!("reckless".parse::<PolicyProfile>().is_err());
}

#[test]
fn profiles_that_ask_measure_the_facts() {
    let advisors = |profile: PolicyProfile| profile.policy().advisors().to_vec();
    for profile in [PolicyProfile::Coding, PolicyProfile::Careful] {
        let [facts] = &advisors(profile)[..] else { panic!("{profile} has one advisor") };
        assert_eq!((facts.mode, facts.cache), (AdvisorMode::Shadow, Duration::ZERO));
    }
    assert!(advisors(PolicyProfile::Observe).is_empty(), "nothing is asked");
}

#[test]
fn dangerous_calls_are_never_allowed() {
    let policies = [PolicyProfile::Coding.policy(), PolicyProfile::Careful.policy()];
    let mut count = 0;
    for call in calls(DANGEROUS) {
        for policy in &policies {
            assert_ne!(call.verdict(policy), Verdict::Allow, "{call:?}");
        }
        count += 1;
    }
    assert!(count >= 300, "{count}");
}

#[test]
fn harmless_calls_are_free() {
    let coding = PolicyProfile::Coding.policy();
    for call in calls(HARMLESS) {
        assert_eq!(call.verdict(&coding), Verdict::Allow, "{call:?}");
    }
}

#[test]
fn nothing_is_free_without_a_project() {
    let coding = PolicyProfile::Coding.policy();
    for line in ["ls", "cat a", "npm test", "git status"] {
        assert_eq!(bash(line).verdict(&coding), Verdict::Ask, "{line}");
        let elsewhere = TestCall { place: Some(Place::folder("/srv/shop")), ..bash(line) };
        assert_eq!(elsewhere.verdict(&coding), Verdict::Ask, "{line}");
        let mut outside = in_shop(bash(line));
        outside.place = outside.place.map(|place| Place { folder: Some("/srv/other".to_owned()), ..place });
        assert_eq!(outside.verdict(&coding), Verdict::Ask, "{line}");
    }
}

#[test]
fn careful_asks_about_each_change_of_a_file() {
    let careful = PolicyProfile::Careful.policy();
    let edit = call("Edit", r#"{"file_path":"/srv/shop/a","old_string":"a","new_string":"b"}"#);
    assert_eq!(in_shop(edit).verdict(&careful), Verdict::Ask);
    for line in
        ["echo x > a", "cat > a <<'E'\nx\nE", "cp a b", "sed -i s/a/b/ x", "npm test > log", "mkdir x"]
    {
        assert_eq!(in_shop(bash(line)).verdict(&careful), Verdict::Ask, "{line}");
    }
    for line in ["cat a | head", "npm test 2>&1", "git commit -m x", "cargo build"] {
        assert_eq!(in_shop(bash(line)).verdict(&careful), Verdict::Allow, "{line}");
    }
}

#[test]
fn observe_allows_and_records_the_verdict() {
    let observe = PolicyProfile::Observe.policy();
    let push = in_shop(bash("git push")).judge(&observe);
    assert_eq!((push.verdict, push.rule.as_deref()), (Verdict::Allow, Some("observe")));
    let shadow: Vec<_> = push.shadow.iter().map(|shadow| (shadow.rule.as_str(), shadow.verdict)).collect();
    assert_eq!(shadow, [("default", Verdict::Ask)]);
    assert!(push.reason.starts_with("only observed; otherwise asked: "), "{}", push.reason);
    let tests = in_shop(bash("npm test")).judge(&observe);
    assert_eq!((tests.verdict, tests.shadow.len()), (Verdict::Allow, 0));
    let deciding = in_shop(bash("countersign allow call_1")).judge(&observe);
    assert_eq!(deciding.verdict, Verdict::Block, "an agent never decides");
}

#[test]
fn path_rules_look_into_commands_and_patches() {
    let policy = policy(
        r#"
        [[rule]]
        name = "envs"
        path = ["**/.env", "**/.env.*", "**/.aws/**"]
        verdict = "block"

        [[rule]]
        name = "commands"
        command = ["cat **", "grep **", "echo **", "ls **"]
        verdict = "allow"

        [[rule]]
        name = "patches"
        tool = "apply_patch"
        path = "src/**"
        verdict = "allow"
        "#,
    );
    for (line, verdict) in [
        ("cat .env", Verdict::Block),
        ("grep -r '' ~/.aws/", Verdict::Block),
        ("cat config/.env.local", Verdict::Block),
        ("cat .e*", Verdict::Ask),
        ("cat $FILE", Verdict::Ask),
        ("cat env.md", Verdict::Allow),
        ("ls *.rs", Verdict::Allow),
    ] {
        assert_eq!(bash(line).verdict(&policy), verdict, "{line}");
    }
    let patch = |file: &str| {
        let patch = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
        call("apply_patch", &serde_json::json!({"input": patch}).to_string()).verdict(&policy)
    };
    assert_eq!([patch("src/a"), patch(".env"), patch("x")], [Verdict::Allow, Verdict::Block, Verdict::Ask]);
}

#[test]
fn unusable_inside_and_access_are_errors() {
    for (rule, why) in [
        ("inside = \"/\"", "is no folder"),
        ("inside = \"work\"", "is no folder"),
        ("inside = \"/srv/../etc\"", "is no folder"),
        ("tool = \"x\"\naccess = \"write\"", "`access` says which paths"),
        ("path = \"/a\"\naccess = \"read\"", "`access` says which paths"),
        ("inside = \"project\"\naccess = \"write\"", "`access` says which paths"),
    ] {
        let text = format!("[[rule]]\nname = \"r\"\nverdict = \"allow\"\n{rule}\n");
        let error = Policy::read(&text).expect_err(rule).to_string();
        assert!(error.contains(why), "{rule}: {error}");
    }
    let text = "[[rule]]\nname = \"r\"\nverdict = \"ask\"\npath = \"/a\"\naccess = \"delete\"\n";
    let error = Policy::read(text).expect_err("an unknown access").to_string();
    assert!(error.contains("unknown access \"delete\""), "{error}");
}

#[test]
fn project_folders_belong_to_each_project() {
    let rules = "[[rule]]\nname = \"r\"\nkind = \"read\"\ninside = \"project\"\nverdict = \"allow\"\n";
    let policy = policy(&format!("projectFolders = \"/srv/common\"\n{rules}"));
    let reads = |path: &str| in_shop(call("Read", &format!(r#"{{"file_path":"{path}"}}"#))).verdict(&policy);
    assert_eq!([reads("/srv/common/a"), reads("/srv/shop/a"), reads("a")], [Verdict::Allow; 3]);
    assert_eq!(
        [reads("/srv/other/a"), reads("../common/a"), reads("~/a")],
        [Verdict::Ask, Verdict::Allow, Verdict::Ask]
    );
}

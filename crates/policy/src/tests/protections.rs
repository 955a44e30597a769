//! Protections: what they guard, whatever tool is used.

use super::*;

const FILES: &str = include_str!("data/protected_files.tsv");
const WAYS: &str = include_str!("../reachability/ways_to_files.tsv");
const HARMLESS: &str = include_str!("data/harmless_calls.tsv");

pub(super) fn rows(data: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("two columns"))
}

pub(super) fn in_shop(call: TestCall) -> TestCall {
    let folder = Some("/srv/shop".to_owned());
    TestCall { place: Some(Place { project: folder.clone(), folder, ..Place::default() }), ..call }
}

/// A policy that allows everything but what the protection guards.
pub(super) fn protecting(things: &str) -> Policy {
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
            let way = way.split('\t').next().unwrap_or_default();
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
fn ways_without_the_name_are_seen() {
    let mut missed = Vec::new();
    for (pattern, command) in rows(include_str!("data/ways_without_names.tsv")) {
        let folder = Some("/home/ada/shop".to_owned());
        let place = Place { project: folder.clone(), folder, ..Place::default() };
        let call = TestCall { place: Some(place), ..bash(command) };
        if call.verdict(&path_protection(pattern)) == Verdict::Allow {
            missed.push(format!("{pattern}\t{command}"));
        }
    }
    assert!(missed.is_empty(), "{} allowed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn words_for_people_name_no_file() {
    let policy = path_protection("**/.env");
    for (tool, arguments) in [
        ("WebSearch", r#"{"query":".env not loaded"}"#),
        ("TodoWrite", r#"{"todos":[{"content":"Load .env","status":"pending"}]}"#),
        ("Task", r#"{"description":"x","prompt":"Find how .env is loaded","subagent_type":"Explore"}"#),
        ("mcp__github__create_issue", r#"{"owner":"o","repo":"r","title":"Ignore .env"}"#),
        ("Edit", r#"{"file_path":"/srv/shop/a.ts","old_string":"a","new_string":".env"}"#),
        ("create_file", r#"{"path":"/srv/shop/a.ts","file_text":".env"}"#),
        ("Bash", r#"{"command":"echo load .env first"}"#),
        ("Bash", r#"{"command":"find src -name '*.py' -exec grep -l import {} +"}"#),
        ("mcp__kubernetes__kubectl_get", r#"{"resourceType":"pods"}"#),
    ] {
        assert_eq!(in_shop(call(tool, arguments)).verdict(&policy), Verdict::Allow, "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("mcp__slack__post_message", r#"{"text":"see .env"}"#),
        ("Bash", r#"{"command":"ls","mounts":{"/srv/shop/.env":"/x"}}"#),
        ("Bash", r#"{"command":"ls",".env":true}"#),
        ("Read", r#"{"file_path":"$PROJECT/.env"}"#),
        ("web_fetch", r#"{"prompt":"fetch file:///srv/shop/.env"}"#),
    ] {
        assert_ne!(in_shop(call(tool, arguments)).verdict(&policy), Verdict::Allow, "{tool} {arguments}");
    }
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

#[test]
fn conditions_read_effects() {
    let rule = |when: &str| {
        format!("default = \"allow\"\n[[rule]]\nname = \"r\"\nwhen = {when:?}\nverdict = \"block\"\n")
    };
    let verdict =
        |when: &str, line: &str| in_shop(bash(line)).verdict(&Policy::read(&rule(when)).expect("a policy"));
    let etc = "effects.writes.exists(p, p.startsWith('/etc/'))";
    assert_eq!(verdict(etc, "echo x > /etc/hosts"), Verdict::Block);
    assert_eq!(verdict(etc, "cd /etc && echo x > hosts"), Verdict::Block);
    assert_eq!(verdict(etc, "echo x > hosts"), Verdict::Allow);
    assert_eq!(verdict(etc, "python3 -c 'x'"), Verdict::Ask);
    assert_eq!(verdict("'example.com' in effects.hosts", "curl https://example.com/x"), Verdict::Block);
    assert_eq!(verdict("effects.deletes.size() > 0", "rm a"), Verdict::Block);
    assert_eq!(verdict(etc, "ls *.rs"), Verdict::Allow);
    let installs = "'npm:left-pad' in effects.installs";
    assert_eq!(verdict(installs, "npm i left-pad"), Verdict::Block);
    assert_eq!(verdict(installs, "npm ci"), Verdict::Ask);
    assert_eq!(verdict(installs, "npm i right-pad"), Verdict::Allow);
    assert_eq!(verdict("effects.publishes.size() > 0", "docker push shop"), Verdict::Block);
    assert_eq!(verdict("'node' in effects.processes", "killall node"), Verdict::Block);
    assert_eq!(verdict("'node' in effects.processes", "kill 12"), Verdict::Ask);
    let bucket = "effects.cloud.exists(c, c.startsWith('aws s3 rb'))";
    assert_eq!(verdict(bucket, "aws s3 rb s3://x"), Verdict::Block);
    assert_eq!(verdict(etc, "echo x > $F"), Verdict::Ask);
    let unknown = Policy::read(&rule("effects.write.size() > 0")).expect_err("no such list").to_string();
    assert!(unknown.contains("writes"), "{unknown}");
    let allowing = rule(etc).replace("\"block\"", "\"allow\"");
    let error = Policy::read(&allowing).expect_err("it would allow").to_string();
    assert!(error.contains("cannot allow"), "{error}");
}

#[test]
fn effects_are_described_in_words() {
    let policy = Policy::shipped();
    for (line, words) in [
        ("cat .env", vec!["reads .env"]),
        ("git push -f origin main", vec!["moves main by force"]),
        ("psql -d prod -c 'drop table customers'", vec!["changes the schema of table customers in prod"]),
        ("curl https://example.com -o x.html", vec!["uses x.html", "connects to example.com"]),
        ("rm -rf build/out", vec!["deletes files in build/out"]),
        ("kubectl delete pod x", vec!["runs in Kubernetes: delete pod x in a cluster that it does not name"]),
        ("echo a.txt", vec![]),
        ("git status src", vec!["reads src"]),
        ("cp a.txt b.txt", vec!["reads a.txt", "writes b.txt"]),
        ("npm i left-pad@1", vec!["installs left-pad from npm"]),
        ("npx left-pad", vec!["may install left-pad from npm"]),
        ("docker push shop:1", vec!["publishes shop to docker"]),
        ("killall node", vec!["stops process node"]),
        ("kill 12", vec!["stops process 12"]),
        ("pkill node", vec!["stops each process with node in its name"]),
        ("reboot", vec!["stops the machine"]),
        ("aws s3 rb s3://x", vec!["deletes s3://x in aws s3 (rb)"]),
        ("terraform apply", vec!["changes something in terraform (apply)"]),
    ] {
        assert_eq!(in_shop(bash(line)).effects(&policy), words, "{line}");
    }
}

#[test]
fn mistakes_in_protections_name_the_remedy() {
    for (things, part) in [
        ("", "names nothing"),
        ("access = \"read\"", "says more about `path`"),
        ("path = \"a/../b\"", "cannot match"),
        ("path = \"x\"\naccess = \"reads\"", "did you mean `read`"),
        ("package = \"secret\"", "did you mean `secrets`"),
        ("package = \"secrets\"\npath = \"x\"", "a `package` says what"),
        ("git = { branch = \"main\", change = [\"forced\"] }", "did you mean `force`"),
        ("git = {}", "branch"),
        ("kubernetes = { verb = [\"get\"] }", "needs `context`"),
        ("sql = { statements = [\"read\"] }", "needs `database`"),
        ("paths = \"x\"", "did you mean `path`"),
        ("packages = {}", "needs `ecosystem`"),
        ("packages = { ecosystem = \"pip\" }", "can never match"),
        ("packages = { ecosystem = \"npm\", name = \"left-pad@1\" }", "without its version"),
        ("process = { kind = \"program\" }", "can never match"),
        ("process = { change = \"kill\" }", "write one of start, stop"),
        ("cloud = { change = \"delete\" }", "needs `provider`"),
        ("cloud = { provider = \"gcp\" }", "can never match"),
        ("cloud = { provider = \"*\", verb = \"rb\", except = \"r*\" }", "`except` has every `verb`"),
    ] {
        let text = format!("[[protect]]\nname = \"guard\"\nverdict = \"block\"\n{things}\n");
        let error = Policy::read(&text).expect_err(things).to_string();
        assert!(error.contains(part), "{things}: {error}");
    }
    let allowing = "[[protect]]\nname = \"guard\"\nverdict = \"allow\"\npath = \"x\"\n";
    assert!(Policy::read(allowing).expect_err("it allows").to_string().contains("asks or blocks"));
}

#[test]
fn patch_content_is_no_use_of_files() {
    let patch = |file: &str| {
        let text = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+cat .env\n*** End Patch");
        call("apply_patch", &serde_json::json!({ "input": text }).to_string())
    };
    let policy = path_protection("**/.env");
    assert_eq!(in_shop(patch("README.md")).verdict(&policy), Verdict::Allow);
    assert_eq!(in_shop(patch(".env")).verdict(&policy), Verdict::Block);
}

#[test]
fn home_is_guarded_without_the_project() {
    let policy = protecting("package = \"home\"");
    let project = Some("/home/ada/shop".to_owned());
    let verdict = |line: &str| {
        let place = Place { project: project.clone(), folder: project.clone(), ..Place::default() };
        TestCall { place: Some(place), ..bash(line) }.verdict(&policy)
    };
    for line in ["cat src/*.rs", "cat src/main.rs", "npm test", "cat /home/ada/shop/a"] {
        assert_eq!(verdict(line), Verdict::Allow, "{line}");
    }
    for line in ["cat ../notes", "cat ~/notes", "cat /home/eve/x"] {
        assert_eq!(verdict(line), Verdict::Block, "{line}");
    }
    assert_eq!(verdict("cat ../*"), Verdict::Ask);
}

#[test]
fn git_takes_up_files_without_their_names() {
    let asks = protecting("path = \"**/.env\"");
    let ignores = protecting("path = \"**/.env\"\nfolders = \"ignore\"");
    for line in [
        "git add .",
        "git add -A",
        "git add --all",
        "git add src",
        "cd api && git add .",
        "git stash -u",
        "git clean -fdx",
        "git rm -rq .",
        "git rm -r src",
        "git reset --hard",
        "git reset --hard HEAD~1",
        "git checkout .",
        "git checkout HEAD -- src/",
        "git checkout -f main",
        "git switch --discard-changes main",
        "git restore .",
        "git restore --source HEAD~1 :/",
        "git restore -SW src",
    ] {
        assert_eq!(in_shop(bash(line)).verdict(&asks), Verdict::Ask, "{line}");
        assert_eq!(in_shop(bash(line)).verdict(&ignores), Verdict::Allow, "{line}");
    }
    assert_eq!(in_shop(bash("git add .env")).verdict(&ignores), Verdict::Block);
    for line in [
        "git add -u",
        "git add a.rs src/b.rs",
        "git add -n .",
        "git stash",
        "git diff",
        "git commit -qam x",
        "git clean -n",
        "git rm --cached -r src",
        "git rm a.rs",
        "git reset",
        "git checkout main",
        "git checkout -b feature",
        "git switch main",
        "git restore --staged .",
        "git restore src/a.rs",
    ] {
        assert_eq!(in_shop(bash(line)).verdict(&asks), Verdict::Allow, "{line}");
    }
}

#[test]
fn recorded_effects_are_masked_and_bounded() {
    let policy = Policy::shipped();
    let records = |call: TestCall| {
        let records = CallReading::new(&policy, &in_shop(call).subject()).record_effects();
        let shown = |effect: &countersign_events::RecordedEffect| {
            let access = effect.access.as_deref().unwrap_or("-");
            format!("{} {access} {}{}", effect.kind, effect.target, if effect.certain { "" } else { " ?" })
        };
        records.iter().map(shown).collect::<Vec<_>>()
    };
    for (line, expected) in [
        ("cat .env", vec!["file read /srv/shop/.env"]),
        ("npm i left-pad", vec!["package install npm:left-pad"]),
        ("git push -f origin main", vec!["branch force main"]),
        ("kill 12", vec!["process stop 12"]),
        ("aws s3 ls", vec!["cloud read aws/s3"]),
        ("psql -d prod -c 'drop table x'", vec!["database schema prod/x"]),
        ("ls", vec![]),
        ("make", vec![]),
    ] {
        assert_eq!(records(bash(line)), expected, "{line}");
    }
    let many: Vec<_> = (0..100).map(|number| format!("dir/file{number}.txt")).collect();
    assert_eq!(records(bash(&format!("cat {}", many.join(" ")))).len(), 32);
    let long = "x/".repeat(3000);
    let total: usize = records(bash(&format!("cat {long} {long}y {long}z"))).iter().map(String::len).sum();
    assert!(total < 1000, "{total}");
    let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let secret = records(bash(&format!("cat dir/{token}/x")));
    assert!(!secret.is_empty() && secret.iter().all(|text| !text.contains(token)), "{secret:?}");
}

#[test]
fn links_lead_to_protected_files() {
    let policy = path_protection("~/.ssh/**");
    let mut linked = in_shop(bash("cat notes"));
    assert_eq!(linked.verdict(&policy), Verdict::Allow);
    let targets = vec!["/home/ada/.ssh/id_rsa".to_owned()];
    linked.place = linked.place.map(|place| Place { link_targets: targets, ..place });
    assert_eq!(linked.verdict(&policy), Verdict::Block);
}

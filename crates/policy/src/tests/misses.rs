//! Why a call is asked that no rule allows: in one line, which leads to the rule that comes closest.

use super::*;

fn in_project(call: TestCall) -> TestCall {
    let place = Place {
        folder: Some("/srv/shop/api".to_owned()),
        project: Some("/srv/shop".to_owned()),
        ..Place::default()
    };
    TestCall { place: Some(place), ..call }
}

fn reasons(calls: impl IntoIterator<Item = TestCall>) -> String {
    let policy = PolicyProfile::Coding.policy();
    let lines = calls.into_iter().map(|call| in_project(call).judge(&policy).reason);
    lines.collect::<Vec<_>>().join("\n")
}

fn shell(command: &str) -> TestCall {
    TestCall { tool: ToolName::new("Bash").expect("a name"), ..bash(command) }
}

#[test]
fn path_outside_of_the_project_is_named() {
    insta::assert_snapshot!(reasons([
        call("Read", r#"{"file_path":"/srv/other/x"}"#),
        call("Edit", r#"{"file_path":"../../x","old_string":"a","new_string":"b"}"#),
        call("Grep", r#"{"pattern":"x","path":"~/notes"}"#),
        shell("cat ../../other/x"),
        shell("cat x | grep y > /etc/motd"),
        shell("cd && ls"),
        shell("cat $HOME/x"),
        shell("cat x | xargs cat"),
        shell("git fetch https://example.com/x"),
        call("Bash", r#"{"command":"ls","workdir":"/etc"}"#),
    ]), @r#"
    no rule allows it: `/srv/other/x` is outside the project (rule "reading in the project is free")
    path `../../x` cannot be read with certainty; a block rule then asks: rule "agents do not open the log" might block it
    path `~/notes` cannot be read with certainty; a block rule then asks: rule "agents do not open the log" might block it
    no rule allows it: `../../other/x` is outside the project (rule "reading commands in the project are free")
    no rule allows it: `/etc/motd` is outside the project (rule "reading commands in the project are free")
    no rule allows it: `cd` goes to a folder that the line does not show (rule "reading commands in the project are free")
    no rule allows it: the value of `$HOME/x` is unknown, and may lead out of the project (rule "reading commands in the project are free")
    no rule allows it: `xargs cat` gets paths that the line does not show (rule "reading commands in the project are free")
    no rule allows `git fetch https://example.com/x`
    no rule allows it: `/etc` is outside the project (rule "reading commands in the project are free")
    "#);
}

#[test]
fn uncovered_command_and_word_are_named() {
    insta::assert_snapshot!(reasons([
        shell("cargo publish"),
        shell("ls && npm install left-pad && ls"),
        shell("find . -name x -delete"),
        shell("git log --output=x"),
        shell("ls --unheard-of"),
        shell("cat $(ls)"),
        shell("cat $(npm root)/x"),
        shell("python3 - <<'E'\nprint(1)\nE"),
        shell("diff <(ls) <(ls ..)"),
        shell("cat 'x"),
        shell("curl https://example.com"),
    ]), @r#"
    no rule allows `cargo publish`
    no rule allows `npm install left-pad` in this line
    no rule allows `find . -name x -delete`: `-delete` deletes, which rule "reading commands in the project are free" does not cover
    no rule allows `git log --output=x`: `--output=x` writes, which rule "reading with Git is free" does not cover
    no rule allows `ls --unheard-of`: rule "reading commands in the project are free" does not cover `--unheard-of`
    a path in command `cat $(ls)` may match `**/countersign.db{,-wal,-shm}` or `**/countersign/credentials.toml`; a block rule then asks: rule "agents do not open the log" might block it
    no rule allows `cat $(npm root)/x` in this line: only the shell knows what `$(npm root)/x` is
    no rule allows `python3 -`: it reads a here-document
    command `diff <(ls) <(ls ..)` cannot be read with certainty (a process substitution); a block rule then asks: rule "agents do not decide" might block it
    command `cat 'x` cannot be read with certainty (a quote is not closed); a block rule then asks: rule "agents do not decide" might block it
    no rule allows `curl https://example.com`
    "#);
}

#[test]
fn other_selector_that_hinders_is_named() {
    let policy = policy(
        &[
            one("allow", "tool = \"pay\"\nargs = { \"/amount\" = { lt = 100 } }"),
            one("allow", "tool = \"get\"\nurl = \"https://a.example/*\"").replace("\"r\"", "\"gets\""),
            one("allow", "tool = \"put\"\npath = [\"/a/*\", \"/b/*\", \"/c/*\"]")
                .replace("\"r\"", "\"puts\""),
            one("allow", "tool = \"run\"\nwhen = \"args.n > 5\"").replace("\"r\"", "\"runs\""),
            one("allow", "tool = \"no\"\nthread = \"other\"").replace("\"r\"", "\"no\""),
        ]
        .concat(),
    );
    let reason = |tool: &str, arguments: &str| call(tool, arguments).judge(&policy).reason;
    insta::assert_snapshot!([
        reason("pay", r#"{"amount":100}"#),
        reason("pay", "{}"),
        reason("get", r#"{"url":"https://b.example/"}"#),
        reason("put", r#"{"path":"/d/x"}"#),
        reason("run", r#"{"n":5}"#),
        reason("run", "{}"),
        reason("no", "{}"),
        reason("other", "{}"),
    ].join("\n"), @r#"
    no rule allows it: `/amount` is not < 100 (rule "r")
    no rule allows it: there is no /amount (rule "r")
    no rule allows it: its URL is not `https://a.example/*` (rule "gets")
    no rule allows it: its path is not `/a/*` or `/b/*` or another that it names (rule "puts")
    no rule allows it: its `when` is not true (rule "runs")
    no rule allows it: condition failed: no such key: n (rule "runs")
    no rule matches this call
    no rule matches this call
    "#);
}

#[test]
fn link_that_leads_outside_is_named() {
    let linked = |target: &str| {
        let call = in_project(shell("cat docs/x"));
        let place = call.place.clone().map(|place| Place { link_targets: vec![target.to_owned()], ..place });
        TestCall { place, ..call }
    };
    let coding = PolicyProfile::Coding.policy();
    insta::assert_snapshot!(linked("/srv/other/x").judge(&coding).reason, @r#"no rule allows it: a symbolic link leads to `/srv/other/x`, which is outside the project (rule "reading commands in the project are free")"#);
    assert_eq!(linked("/srv/shop/x").verdict(&coding), Verdict::Allow);
    let wide = policy(&format!(
        "projectFolders = [\"/srv/other\"]\n{}",
        one("allow", "kind = \"shell\"\ninside = \"project\"\ncommand = \"cat **\"")
    ));
    assert_eq!(linked("/srv/other/x").verdict(&wide), Verdict::Allow);
    assert_eq!(linked("/srv/others/x").verdict(&wide), Verdict::Ask);
}

//! Policies of several files.

use super::*;
use countersign_events::PolicyLayer;

const MAIN: &str = r#"
[groups]
tasks = ["task-list"]

[[rule]]
name = "tasks"
tool = "@tasks"
verdict = "allow"

[[rule]]
name = "no force pushes"
tool = "bash"
command = "git push*--force*"
verdict = "block"
reason = "history is shared"

[zones.scratch]
root = "/scratch"
write = "allow"

[tools.file-write]
operation = "write"
"#;

fn texts(main: &str, layers: &[(&str, &str)]) -> PolicyText {
    let layer = |(name, text): &(&str, &str)| PolicyLayer {
        name: format!("policy.d/{name}.toml"),
        text: (*text).to_owned(),
    };
    PolicyText { text: main.to_owned(), layers: layers.iter().map(layer).collect() }
}

fn layered(main: &str, layer: &str) -> Policy {
    Policy::read_text(texts(main, &[("10-team", layer)])).unwrap_or_else(|error| panic!("{error}\n{layer}"))
}

fn layer_error(main: &str, layers: &[(&str, &str)]) -> String {
    match Policy::read_text(texts(main, layers)) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn layer_blocks_call_that_main_file_allows() {
    let stricter =
        "[[rule]]\nname = \"tasks\"\ntool = \"@tasks\"\nverdict = \"block\"\nreason = \"frozen\"\n";
    let judgement = call("task-list", "{}").judge(&layered(MAIN, stricter));
    assert_eq!(judgement.verdict, Verdict::Block);
    assert_eq!(judgement.rule.as_deref(), Some("policy.d/10-team.toml: tasks"));
    assert_eq!(judgement.reason, "frozen (policy.d/10-team.toml)");
    assert_eq!(judgement.principal().as_str(), "policy:policy.d/10-team.toml: tasks");
    assert_eq!(plain_rule_name("policy.d/10-team.toml: tasks"), "tasks");
}

#[test]
fn layer_never_lifts_a_block() {
    let looser = "default = \"allow\"\n[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"\n";
    let policy = layered(MAIN, looser);
    let judgement = bash("git push --force").judge(&policy);
    assert_eq!(judgement.verdict, Verdict::Block);
    assert_eq!(judgement.rule.as_deref(), Some("no force pushes"), "rules of the main file keep their names");
    assert_eq!(judgement.reason, "history is shared (the main file)");
    assert_eq!(bash("ls").verdict(&policy), Verdict::Allow, "an ask may be answered");
}

#[test]
fn layer_pointers_hide_no_operand() {
    let main =
        "default = \"allow\"\n[[rule]]\nname = \"no dropping\"\ncommand = \"drop *\"\nverdict = \"block\"\n";
    let policy = layered(main, "[tools.db]\ncommand = \"/run/line\"\n");
    assert_eq!(call("db", r#"{"command":"drop x"}"#).verdict(&policy), Verdict::Block);
    assert_eq!(call("db", r#"{"run":{"line":"drop x"}}"#).verdict(&policy), Verdict::Block);
}

#[test]
fn strictest_default_of_all_files_applies() {
    for (main, layer, expected) in [
        ("default = \"allow\"", "default = \"block\"", Verdict::Block),
        ("default = \"block\"", "default = \"allow\"", Verdict::Block),
        ("", "default = \"allow\"", Verdict::Allow),
    ] {
        assert_eq!(call("other", "{}").verdict(&layered(main, layer)), expected, "{main} {layer}");
    }
}

#[test]
fn zone_takes_stricter_verdict_of_each_operation() {
    let layer = "[zones.scratch]\nroot = \"/scratch\"\nwrite = \"ask\"\n";
    let judgement = call("file-write", r#"{"path":"/scratch/a"}"#).judge(&layered(MAIN, layer));
    assert_eq!(judgement.verdict, Verdict::Ask);
    assert_eq!(judgement.rule.as_deref(), Some("policy.d/10-team.toml: zone-scratch"));
    let layer = "[zones.scratch]\nroot = \"/scratch\"\nwrite = \"allow\"\ndelete = \"block\"\n";
    let judgement = call("file-write", r#"{"path":"/scratch/a"}"#).judge(&layered(MAIN, layer));
    assert_eq!((judgement.verdict, judgement.rule.as_deref()), (Verdict::Allow, Some("zone-scratch")));
}

#[test]
fn shorter_times_of_all_files_apply() {
    let policy = layered("expires = \"1d\"\nlapses = \"1h\"", "expires = \"2h\"\nlapses = \"2d\"");
    let judgement = call("other", "{}").judge(&policy);
    assert_eq!(judgement.terms.expires, Some(Duration::from_hours(2)));
    assert_eq!(policy.lapses(), Some(Duration::from_hours(1)));
}

#[test]
fn dangerous_words_and_secrets_add_up() {
    let main = "default = \"allow\"\n[dangerous]\nwords = [\"launch\"]\n[redact]\nkeys = \"x_one\"\n";
    let policy = layered(main, "[dangerous]\nwords = [\"ignite\"]\n[redact]\nkeys = [\"x_two\"]\n");
    for tool in ["launch-it", "ignite-it"] {
        assert_eq!(call(tool, "{}").verdict(&policy), Verdict::Ask, "{tool}");
    }
    for key in ["x_one", "x_two"] {
        let json = Json::parse(&format!("{{\"{key}\":\"topsecret\"}}")).expect("JSON");
        assert!(!policy.redactor().redact_json(&json).expect("redacted").json.as_str().contains("topsecret"));
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let conflict = |main: &str, layer: &str| layer_error(main, &[("10-team", layer)]);
    let on_expiry = one("ask", "tool = \"x\"\nonExpiry = \"allow\"");
    insta::assert_snapshot!([
        layer_error(MAIN, &[("10-a", "default = \"ask\"\n"), ("20-b", "# b\ndefualt = \"ask\"\n")]),
        layer_error("default = 1", &[("10-a", "")]),
        conflict("", "= 1"),
        conflict(MAIN, "[groups]\ntasks = [\"task-list\", \"bash\"]\n"),
        conflict(MAIN, "[zones.scratch]\nroot = \"/tmp\"\nwrite = \"ask\"\n"),
        conflict("remember = \"5m\"\n", "\nremember = \"1m\"\n"),
        conflict("[trust]\ntools = []\n", "[trust]\ntools = \"x\"\n"),
        conflict("[approvers]\n\"user:ada\" = { level = \"user\" }", "[approvers]\n\"user:ada\" = { level = \"admin\" }"),
        conflict("", "rule = 1"),
        conflict(&one("ask", "tool = \"x\""), "rule = 1"),
        conflict(&format!("expires = \"1d\"\n{on_expiry}"), "expires = \"1m\""),
        conflict("", "[[rule]]\nname = \"policy.d/a.toml: b\"\ntool = \"x\"\nverdict = \"ask\"\n"),
        conflict("", &format!("[[rule]]\nname = \"{}\"\ntool = \"x\"\nverdict = \"ask\"\n", "n".repeat(500))),
    ].join("\n"), @r#"
    policy.d/20-b.toml: the policy is invalid at line 2, column 1: a policy has no key `defualt`; did you mean `default`?
    the main file: the policy is invalid at line 1, column 11: a verdict must be a string, not a number
    policy.d/10-team.toml: the policy cannot be read: TOML parse error at line 1, column 1
      |
    1 | = 1
      | ^
    unquoted keys cannot be empty, expected letters, numbers, `-`, `_`

    policy.d/10-team.toml: the policy is invalid at line 2, column 1: `tasks` has another value in the main file, line 3; define it in one of the two files
    policy.d/10-team.toml: the policy is invalid at line 2, column 1: `root` has another value in the main file, line 18; define it in one of the two files
    policy.d/10-team.toml: the policy is invalid at line 2, column 1: `remember` has another value in the main file, line 1; define it in one of the two files
    policy.d/10-team.toml: the policy is invalid at line 1, column 2: `trust` has another value in the main file, line 1; define it in one of the two files
    policy.d/10-team.toml: the policy is invalid at line 2, column 1: `user:ada` has another value in the main file, line 2; define it in one of the two files
    policy.d/10-team.toml: the policy is invalid at line 1, column 8: write rules as [[rule]], with two brackets
    policy.d/10-team.toml: the policy is invalid at line 1, column 8: write rules as [[rule]], with two brackets
    the main file: the policy is invalid at line 6, column 12: a file in policy.d sets `expires`, so a rule with `onExpiry = "allow"` needs an `expires` of its own
    policy.d/10-team.toml: the policy is invalid at line 2, column 8: "policy.d/a.toml: b" is a reserved name; give the rule another name
    policy.d/10-team.toml: the policy is invalid at line 2, column 8: the name of the rule is too long together with the name of its file; shorten one of them
    "#);
}

#[test]
fn layer_names_and_sizes_are_limited() {
    let named = |name: &str| {
        let layers = vec![PolicyLayer { name: name.to_owned(), text: String::new() }];
        Policy::read_text(PolicyText { text: String::new(), layers }).is_ok()
    };
    assert!(named("policy.d/10-team.toml"));
    for name in [
        "10-team.toml",
        "policy.d/.toml",
        "policy.d/a",
        "policy.d/../a.toml",
        "policy.d/a b.toml",
        "policy.d/ä.toml",
    ] {
        assert!(!named(name), "{name}");
    }
    assert!(!named(&format!("policy.d/{}.toml", "n".repeat(200))));
    let unsorted = layer_error("", &[("b", ""), ("a", "")]);
    assert_eq!(unsorted, "the policy cannot be read: its layers are not in the order of their names");
    assert_eq!(layer_error("", &[("a", ""), ("a", "")]), unsorted);
    let half = format!("#{}", " ".repeat(MAX_POLICY_BYTES / 2));
    assert!(layer_error(&half, &[("a", &half)]).contains("the limit is"));
    let numbers: Vec<_> = (0..=MAX_LAYERS).map(|number| format!("{number:03}")).collect();
    let many: Vec<_> = numbers.iter().map(|number| (number.as_str(), "")).collect();
    assert!(layer_error("", &many).contains("the limit is 64"));
    assert_eq!(layer_error("", &many[1..]), "no error");
}

#[test]
fn rule_limit_applies_to_all_files() {
    let rules = |from: usize| -> String {
        let rule = |n: usize| format!("[[rule]]\nname = \"{n}\"\ntool = \"t{n}\"\nverdict = \"allow\"\n");
        (from..from + 1_001).map(rule).collect::<Vec<_>>().concat()
    };
    let error = layer_error(&rules(0), &[("a", &rules(2_000))]);
    assert!(error.contains("policy.d/a.toml") && error.contains("at most 2000 rules"), "{error}");
}

#[test]
fn hash_covers_all_files() {
    let plain = policy(MAIN);
    assert_eq!(plain.hash(), Sha256::digest(MAIN.as_bytes()), "one file has the hash of its text");
    let one = layered(MAIN, "");
    let manifest =
        format!("{}  -\n{}  policy.d/10-team.toml\n", Sha256::digest(MAIN.as_bytes()), Sha256::digest(b""));
    assert_eq!(one.hash(), Sha256::digest(manifest.as_bytes()), "sha256sum can compute it");
    let renamed = Policy::read_text(texts(MAIN, &[("20-team", "")])).expect("valid");
    let hashes = [plain.hash(), one.hash(), renamed.hash(), layered(MAIN, "#").hash()];
    let different: std::collections::HashSet<_> = hashes.iter().map(ToString::to_string).collect();
    assert_eq!(different.len(), hashes.len());
    assert_eq!(Policy::read_text(one.text().clone()).expect("valid").hash(), one.hash());
}

#[test]
fn warning_names_its_layer() {
    let layer = "\n[[rule]]\nname = \"narrow\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n";
    let main = "[patterns]\nbash = \"block\"\n";
    let warnings: Vec<_> = layered(main, layer).find_warnings().iter().map(ToString::to_string).collect();
    assert!(
        warnings.iter().any(|text| text.starts_with("policy.d/10-team.toml, line 3, column 8: ")),
        "{warnings:?}"
    );
}

#[test]
fn format_accepts_layer_with_foreign_group() {
    let layer = "[[rule]]\nverdict = \"allow\"\ntool = \"@tasks\"\nname = \"a\"\n";
    assert!(format(layer).is_err());
    let formatted = format_layer(layer).expect("formatted");
    assert!(formatted.starts_with("[[rule]]\nname = \"a\"\n"), "{formatted}");
    assert_eq!(format_layer(&formatted), Ok(formatted.clone()));
}

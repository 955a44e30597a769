//! The patterns of grants and remembered denials.

use super::*;

fn pattern(json: &str) -> ScopePattern {
    ScopePattern::read(&Json::parse(json).expect("JSON")).expect(json)
}

#[test]
fn grant_matches_like_allow_and_denial_like_block() {
    let policy = Policy::ask_always();
    let status = pattern(r#"{"command":"git status*"}"#);
    let matches = |call: &TestCall| {
        [RuleEffect::Widen, RuleEffect::Restrict]
            .map(|effect| status.matches(&CallReading::new(&policy, &call.subject()), effect))
    };
    assert_eq!(matches(&bash("git status -s")), [true, true]);
    assert_eq!(matches(&bash("git status; rm x")), [false, true]);
    assert_eq!(matches(&bash("rm x")), [false, false]);
    assert_eq!(matches(&bash("$x -r")), [false, true]);
    assert_eq!(matches(&bash("git status").masked("/command")), [false, true]);
}

#[test]
fn all_parts_of_a_pattern_must_hold() {
    let policy = Policy::ask_always();
    let both = pattern(r#"{"path":["/a/**","/b/**"],"args":{"/n":{"lt":5},"/mode":"r"}}"#);
    assert_eq!(both.to_string(), "path `/a/**` or `/b/**`, /n < 5, /mode = \"r\"");
    let widens = |arguments: &str| {
        both.matches(&CallReading::new(&policy, &call("x", arguments).subject()), RuleEffect::Widen)
    };
    assert!(widens(r#"{"path":"/a/x","n":4,"mode":"r"}"#));
    assert!(!widens(r#"{"path":"/a/x","n":5,"mode":"r"}"#));
    assert!(!widens(r#"{"path":"/c/x","n":4,"mode":"r"}"#));
    assert!(!widens(r#"{"path":"/a/x","n":4}"#));
}

#[test]
fn pattern_keeps_its_original_json() {
    let json = Json::parse(r#"{ "command" : "ls" }"#).expect("JSON");
    assert_eq!(ScopePattern::read(&json).expect("a pattern").json(), json);
}

#[test]
fn invalid_pattern_is_refused() {
    let refused = |json: &str| ScopePattern::read(&Json::parse(json).expect("JSON")).expect_err(json);
    insta::assert_snapshot!(refused("{}"), @"a pattern needs `command`, `url`, `path` or `args`");
    insta::assert_snapshot!(refused("[]"), @"a pattern must be a table, not a list");
    insta::assert_snapshot!(refused(r#"{"tool":"x"}"#), @"a pattern has no key `tool`; expected one of `args`, `command`, `url`, `path`");
    insta::assert_snapshot!(refused(r#"{"command":7}"#), @"commands must be a string, not a number");
    insta::assert_snapshot!(refused(r#"{"args":{"n":1}}"#), @r#""n" is not a JSON pointer; write "/n""#);
    insta::assert_snapshot!(refused(&format!("{{\"command\":\"{}\"}}", "x".repeat(5000))), @"a pattern may have at most 4096 bytes");
}

#[test]
fn suggested_pattern_matches_its_call() {
    let policy = Policy::ask_always();
    for call in [
        bash("git status -s"),
        call("x", r#"{"path":"/srv/data/a.txt"}"#),
        call("x", r#"{"url":"https://example.com/a/b"}"#),
        call("x", r#"{"paths":["/srv/data/a.txt","/srv/data/b.txt"]}"#),
    ] {
        let subject = call.subject();
        let reading = CallReading::new(&policy, &subject);
        let suggested = ScopePattern::suggest(&reading);
        assert_eq!(suggested.len(), 1, "{}", call.arguments.as_str());
        assert!(suggested[0].matches(&reading, RuleEffect::Widen));
        assert_eq!(ScopePattern::read(&suggested[0].json()).as_ref(), Ok(&suggested[0]));
    }
    for call in [bash("rm $(x)"), call("x", "{}"), call("x", r#"{"path":"/a"}"#)] {
        assert_eq!(
            ScopePattern::suggest(&CallReading::new(&policy, &call.subject())),
            [],
            "{}",
            call.arguments.as_str()
        );
    }
}

#[test]
fn grant_answers_only_arguments_that_it_shows() {
    let policy = Policy::ask_always();
    let widens = |pattern: &ScopePattern, call: &TestCall| {
        pattern.matches(&CallReading::new(&policy, &call.subject()), RuleEffect::Widen)
    };
    let status = pattern(r#"{"command":"git status **"}"#);
    assert!(widens(&status, &call("Bash", r#"{"command":"git status","timeout":5}"#)));
    let outside = call("Bash", r#"{"command":"git status","dangerouslyDisableSandbox":true}"#);
    assert!(!widens(&status, &outside));
    let shown = pattern(r#"{"command":"git status **","args":{"/dangerouslyDisableSandbox":true}}"#);
    assert!(widens(&shown, &outside));
    let denial = status.matches(&CallReading::new(&policy, &outside.subject()), RuleEffect::Restrict);
    assert!(denial, "a denial holds whatever stands beside the command");
}

#[test]
fn suggested_pattern_shows_arguments_beside_command() {
    let policy = Policy::ask_always();
    let suggested = |arguments: &str| {
        let call = call("Bash", arguments);
        let subject = call.subject();
        let found = ScopePattern::suggest(&CallReading::new(&policy, &subject));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let staging = r#"{"command":"git status -s","cwd":"/srv/staging","description":"go"}"#;
    assert_eq!(suggested(staging), ["command `git status **`, /cwd = \"/srv/staging\""]);
    assert_eq!(suggested(r#"{"command":"git status -s","env":{"A":"1"}}"#), [""; 0], "too much to show");
}

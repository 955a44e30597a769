//! Tools, threads, principals, hints, impact, arguments and conditions.

use super::*;

#[test]
fn tools_threads_and_principals_are_globs() {
    let selectors = "tool = [\"file-*\", \"@web\"]\nthread = \"prod-*\"\nprincipal = \"agent:{a,b}\"";
    let grouped = format!("{}\n[groups]\nweb = [\"fetch\"]\n", one("allow", selectors));
    let policy = policy(&grouped);
    let mut call = call("fetch", "{}");
    assert_eq!(call.verdict(&policy), Verdict::Ask);
    call.thread = ThreadId::new("prod-1").expect("a name");
    call.principal = Principal::agent("a");
    assert_eq!(call.verdict(&policy), Verdict::Allow);
    call.principal = Principal::agent("ab");
    assert_eq!(call.verdict(&policy), Verdict::Ask);
}

#[test]
fn only_trusted_hints_allow() {
    let reads = |policy: &Policy| call("get", "{}").annotated("{\"readOnlyHint\":true}").verdict(policy);
    let free = one("allow", "annotations = { readOnlyHint = true }");
    assert_eq!(reads(&policy(&free)), Verdict::Ask);
    assert_eq!(reads(&policy(&format!("{free}[trust]\ntools = \"get\"\n"))), Verdict::Allow);
    let elsewhere = format!("{free}[trust]\ntools = \"get\"\nprincipals = \"agent:other\"\n");
    assert_eq!(reads(&policy(&elsewhere)), Verdict::Ask);
    assert_eq!(reads(&policy(&format!("{free}[trust]\nprincipals = \"*\"\n"))), Verdict::Ask);
}

#[test]
fn untrusted_hint_does_not_escape_a_rule() {
    let plain = call("get", "{}");
    let harmless = call("get", "{}").annotated("{\"destructiveHint\":false,\"readOnlyHint\":true}");
    let harmful = call("get", "{}").annotated("{\"destructiveHint\":true}");
    for call in [&plain, &harmless, &harmful] {
        let destructive = "annotations = { destructiveHint = true }";
        assert_eq!(outcome(destructive, call), YES, "MCP assumes that a tool without hints is destructive");
    }
    let trusted = |call: &TestCall| {
        let rule = one("block", "annotations = { destructiveHint = true }");
        call.verdict(&policy(&format!("{rule}[trust]\ntools = \"*\"\n")))
    };
    assert_eq!([trusted(&plain), trusted(&harmless)], [Verdict::Block, Verdict::Ask]);
    let only_reads = call("get", "{}").annotated("{\"readOnlyHint\":true}");
    assert_eq!(trusted(&only_reads), Verdict::Ask, "a read-only tool is not destructive");
}

#[test]
fn impact_only_makes_verdicts_stricter() {
    let policy = rule("block", "impact = { riskLevel = [\"high\", \"critical\"], reversible = false }");
    for (impact, verdict) in [
        (r#"{"riskLevel":"high","reversible":false}"#, Verdict::Block),
        (r#"{"riskLevel":"low","reversible":false}"#, Verdict::Ask),
        (r#"{"riskLevel":"high","reversible":true}"#, Verdict::Ask),
        (r#"{"riskLevel":"high"}"#, Verdict::Ask),
        (r#"{"riskLevel":"extreme","reversible":false}"#, Verdict::Block),
        (r#"{"riskLevel":7,"reversible":false}"#, Verdict::Block),
        (r#"{"riskLevel":"high","reversible":"no"}"#, Verdict::Block),
    ] {
        assert_eq!(call("x", "{}").with_impact(impact).verdict(&policy), verdict, "{impact}");
    }
    assert_eq!(call("x", "{}").verdict(&policy), Verdict::Ask);
}

#[test]
fn predicates_compare_exactly() {
    let cases = [
        ("10001", "{ gt = 10000 }", YES),
        ("10000", "{ gt = 10000 }", NO),
        ("9007199254740993", "{ gt = 9007199254740992 }", YES),
        ("1e400", "{ gt = 10000 }", YES),
        ("-0.5", "{ gt = -1, lt = 0 }", YES),
        ("\"10001\"", "{ gt = 10000 }", FAILED),
        ("1.0", "1", YES),
        ("0.1", "0.1", YES),
        ("\"a\"", "\"a\"", YES),
        ("\"A\"", "\"a\"", NO),
        ("1", "\"1\"", FAILED),
        ("null", "\"a\"", FAILED),
        ("{\"b\":2,\"a\":1}", "{ eq = { a = 1, b = 2 } }", YES),
        ("{\"a\":1}", "{ eq = { a = 1, b = 2 } }", NO),
        ("[1,2]", "[1, 2]", YES),
        ("\"ada\"", "{ in = [\"ada\", \"bob\"] }", YES),
        ("\"eve\"", "{ in = [\"ada\", \"bob\"] }", NO),
        ("7", "{ in = [\"ada\", \"bob\"] }", FAILED),
        ("\"a/b.txt\"", "{ glob = \"*.txt\" }", YES),
        ("\"a.txt.exe\"", "{ glob = \"*.txt\" }", NO),
        ("\"main\"", "{ prefix = \"ma\" }", YES),
        ("\"v1.2\"", "{ regex = \"^v[0-9.]+$\" }", YES),
        ("7", "{ regex = \"^v\" }", FAILED),
        ("\"día\"", "{ size = 3 }", YES),
        ("[1,2,3]", "{ size = { gt = 3 } }", NO),
        ("{\"a\":1}", "{ size = { lt = 2 } }", YES),
        ("7", "{ size = { lt = 2 } }", FAILED),
        ("null", "{ exists = true }", YES),
        ("1", "{ exists = false }", NO),
    ];
    for (value, predicate, wanted) in cases {
        let call = call("x", &format!("{{\"a\":{value}}}"));
        let selectors = format!("tool = \"x\"\nargs = {{ \"/a\" = {predicate} }}");
        assert_eq!(outcome(&selectors, &call), wanted, "{value} against {predicate}");
    }
}

#[test]
fn absent_argument_fails_without_an_exists_predicate() {
    let absent = call("x", "{\"b\":[{\"c\":1}]}");
    for (args, wanted) in [
        ("{ \"/a\" = 1 }", FAILED),
        ("{ \"/b/1/c\" = 1 }", FAILED),
        ("{ \"/b/00/c\" = 1 }", FAILED),
        ("{ \"/b/0/c\" = 1 }", YES),
        ("{ \"/a\" = { exists = false } }", YES),
        ("{ \"/a\" = { exists = true } }", NO),
        ("{ \"/a\" = { exists = true, gt = 5 } }", NO),
        ("{ \"/a~1b\" = { exists = false } }", YES),
    ] {
        assert_eq!(outcome(&format!("tool = \"x\"\nargs = {args}"), &absent), wanted, "{args}");
    }
}

#[test]
fn masked_argument_is_unclear() {
    let masked = call("x", r#"{"a":{"token":"[redacted]"},"b":1}"#).masked("/a/token");
    for (args, wanted) in [
        ("{ \"/a/token\" = \"x\" }", UNCLEAR),
        ("{ \"/a\" = { size = 1 } }", UNCLEAR),
        ("{ \"/a/token/0\" = \"x\" }", UNCLEAR),
        ("{ \"/b\" = 1 }", YES),
    ] {
        assert_eq!(outcome(&format!("tool = \"x\"\nargs = {args}"), &masked), wanted, "{args}");
    }
    for (when, wanted) in [
        ("args.b == 1", YES),
        ("args.a.token == 'x'", UNCLEAR),
        ("args['a']['token'] == 'x'", UNCLEAR),
        ("args.exists(k, k == 'b')", UNCLEAR),
        ("size(args.a) == 1", UNCLEAR),
    ] {
        assert_eq!(outcome(&format!("when = {when:?}"), &masked), wanted, "{when}");
    }
}

#[test]
fn condition_reads_the_call() {
    let mut call = call("pay", r#"{"amount":10001,"rate":0.5,"to":["ada"],"n":1.0}"#);
    call.impact = Some(Json::parse(r#"{"riskLevel":"high"}"#).expect("JSON"));
    for (when, wanted) in [
        ("args.amount > 10000", YES),
        ("args.amount > 10000.5", YES),
        ("args.rate < 1", YES),
        ("args.n == 1", YES),
        ("args.to.exists(who, who == 'ada') && tool == 'pay'", YES),
        ("thread == 't' && principal.startsWith('agent:')", YES),
        ("has(args.nothing)", NO),
        ("!annotations.readOnlyHint && annotations.destructiveHint", YES),
        ("args.to[0].matches('^a')", YES),
        ("args.nothing == 1", FAILED),
        ("args.amount", FAILED),
        ("args.amount / 0 == 1", FAILED),
        ("args.to + 1 == 2", FAILED),
        ("args.to[7] == 'x'", FAILED),
    ] {
        assert_eq!(outcome(&format!("when = {when:?}"), &call), wanted, "{when}");
    }
    let policy = rule("block", "when = \"impact.riskLevel == 'high'\"");
    assert_eq!(call.verdict(&policy), Verdict::Block);
    assert!(policy.has_conditions());
    assert!(!rule("block", "tool = \"x\"").has_conditions());
}

#[test]
fn condition_visits_object_keys_in_order() {
    let call = call("x", r#"{"b":2,"e":5,"a":1,"f":{"y":1,"x":2},"d":4,"c":3}"#);
    for when in [
        "args.map(key, key)[0] == 'a'",
        "args.map(key, key) == ['a', 'b', 'c', 'd', 'e', 'f']",
        "args.filter(key, key != 'f').map(key, args[key]) == [1, 2, 3, 4, 5]",
        "args.map(key, args.f.map(inner, inner))[1] == ['x', 'y']",
        "{3: 'c', 1: 'a', 2: 'b'}.map(key, key) == [1, 2, 3]",
    ] {
        for _ in 0..20 {
            assert_eq!(outcome(&format!("when = {when:?}"), &call), YES, "{when}");
        }
    }
}

#[test]
fn failed_condition_gives_a_reason_without_secrets() {
    let policy = rule("ask", "when = \"args.amount > 10000\"");
    let reason = |arguments: &str| call("pay", arguments).judge(&policy).matched[0].why.clone();
    assert_eq!(reason("{}"), "condition failed: no such key: amount; an ask rule then matches");
    let strange = reason("{\"amount\":\"hunter2\"}");
    assert!(strange.contains("condition failed") && !strange.contains("hunter2"), "{strange}");
}

#[test]
fn condition_with_large_input_or_timeout_fails() {
    let big = call("x", &format!("{{\"a\":1,\"b\":\"{}\"}}", "x".repeat(70_000)));
    let long = call("x", &format!("{{\"a\":1,\"b\":[{}0]}}", "0,".repeat(1_000)));
    let large = call("x", "{\"a\":1,\"b\":123456789012345678901234567890}");
    for call in [big, long, large] {
        assert_eq!(outcome("when = \"args.a == 1\"", &call), FAILED);
    }
    let policy = rule("block", "when = \"args.a == 2\"");
    let call = call("x", "{\"a\":1}");
    assert_eq!(policy.judge(&call.subject(), &|| false).verdict, Verdict::Ask);
    let late = policy.judge(&call.subject(), &|| true);
    assert_eq!(late.verdict, Verdict::Block);
    assert_eq!(late.matched[0].why, "the condition ran out of time; a block rule then matches");
}

#[test]
fn unless_excludes_only_certain_matches() {
    let transfers =
        |verdict: &str| rule(verdict, "tool = \"pay\"\nunless = { args = { \"/to\" = \"ada\" } }");
    let pay = |arguments: &str| call("pay", arguments);
    for (arguments, allow, block) in [
        (r#"{"to":"ada"}"#, Verdict::Ask, Verdict::Ask),
        (r#"{"to":"eve"}"#, Verdict::Allow, Verdict::Block),
        (r#"{"to":7}"#, Verdict::Ask, Verdict::Block),
        ("{}", Verdict::Ask, Verdict::Block),
    ] {
        assert_eq!(pay(arguments).verdict(&transfers("allow")), allow, "allow {arguments}");
        assert_eq!(pay(arguments).verdict(&transfers("block")), block, "block {arguments}");
    }
    let pushes = rule(
        "block",
        "tool = \"bash\"\ncommand = \"git push*\"\nunless = { command = \"git push --dry-run*\" }",
    );
    assert_eq!(bash("git push --dry-run").verdict(&pushes), Verdict::Ask);
    assert_eq!(bash("git push --dry-run; git push -f").verdict(&pushes), Verdict::Block);
}

#[test]
fn restricting_rule_matches_other_spellings_of_principal() {
    let of =
        |principal: &str| TestCall { principal: principal.parse().expect("valid"), ..call("bash", "{}") };
    for (selectors, principal, expected) in [
        ("principal = \"agent:deploy-*\"", "agent:Deploy-1", "bqb"),
        ("principal = \"agent:bot\"", "agent:\u{ff42}ot", "bqb"),
        ("principal = \"agent:bot\"", "agent:bot", YES),
        ("principal = \"agent:bot\"", "agent:bots", NO),
        ("tool = \"*\"\nunless = { principal = \"agent:bot\" }", "agent:Bot", "bqb"),
    ] {
        assert_eq!(outcome(selectors, &of(principal)), expected, "{selectors} {principal}");
    }
}

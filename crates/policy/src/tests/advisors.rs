//! Advisors: their settings, the rules that name them, and the calls that they may answer.

use super::*;
use countersign_events::{AdviceVerdict, AdvisorMode, AdvisorProtocol, AdvisorReported, ReportSource};

/// The TOML for an advisor named `judge`.
fn advisor(rest: &str) -> String {
    format!("[[advisor]]\nname = \"judge\"\nurl = \"http://127.0.0.1:8181/a\"\n{rest}\n")
}

/// The TOML for a rule that `judge` may answer.
fn advised(name: &str, rest: &str) -> String {
    format!(
        "[[rule]]\nname = \"{name}\"\ntool = \"bash\"\nverdict = \"advised\"\nadvisor = \"judge\"\n{rest}\n"
    )
}

fn asker(rest: &str) -> String {
    format!("[[rule]]\nname = \"people\"\nverdict = \"ask\"\n{rest}\n")
}

/// The verdict, and the advisor that may answer it.
fn answer(call: &TestCall, text: &str) -> (Verdict, Option<String>) {
    let judgement = call.judge(&policy(text));
    (judgement.verdict, judgement.terms.advisor)
}

fn asked_by_judge() -> (Verdict, Option<String>) {
    (Verdict::Ask, Some("judge".to_owned()))
}

const PEOPLE: (Verdict, Option<String>) = (Verdict::Ask, None);

fn read_errors(texts: &[String]) -> String {
    let error = |text: &String| match Policy::read(text) {
        Ok(_) => format!("no error: {text}"),
        Err(error) => error.to_string().replace("the policy is invalid at ", ""),
    };
    texts.iter().map(error).collect::<Vec<_>>().join("\n")
}

#[test]
fn advisor_has_strict_defaults() {
    let policy = policy(&advisor(""));
    let found = policy.advisor("judge").expect("an advisor");
    assert_eq!((found.protocol, found.mode), (AdvisorProtocol::Countersign, AdvisorMode::Shadow));
    assert_eq!(found.outcomes, [AdviceVerdict::Deny]);
    assert_eq!((found.timeout, found.concurrency), (Duration::from_secs(5), 4));
    assert_eq!(found.cache, Duration::from_mins(10));
    assert_eq!(
        found.thresholds,
        AdvisorThresholds { min_cases: 200, max_false_allows: 0, max_overruled_ppm: 50_000 }
    );
    assert!(found.may_answer(AdviceVerdict::Deny));
    assert!(!found.may_answer(AdviceVerdict::Allow) && !found.may_answer(AdviceVerdict::Ask));
}

#[test]
fn advisor_of_facts_has_no_target() {
    let facts = |rest: &str| format!("[[advisor]]\nname = \"f\"\nprotocol = \"facts\"\n{rest}\n");
    let policy = policy(&facts("mode = \"decide\"\noutcomes = [\"allow\"]"));
    let found = policy.advisor("f").expect("an advisor");
    assert_eq!((&found.target, found.cache), (&AdvisorTarget::Facts, Duration::ZERO));
    let errors = [facts("url = \"https://a\""), facts("cache = \"1m\""), facts("prompt = \"p\"")];
    insta::assert_snapshot!(read_errors(&errors), @r#"
    line 4, column 7: an advisor with "facts" has no `url`; remove it
    line 4, column 9: an advisor with "facts" has no `cache`; remove it
    line 4, column 10: an advisor with "facts" has no `prompt`; remove it
    "#);
}

#[test]
fn every_key_of_an_advisor_is_read() {
    let policy = policy(
        "[[advisor]]\nname = \"a\"\nprotocol = \"chat\"\nurl = \"https://models.example.com/v1\"\nmodel = \"small\"\n\
         prompt = \"Judge.\"\nallowPrivate = true\nkey = \"models\"\nmode = \"decide\"\noutcomes = [\"allow\", \"deny\"]\ntimeout = \"30s\"\n\
         concurrency = 1\ncache = \"0s\"\nminCases = 50\nmaxFalseAllows = 1\nmaxOverruled = 0.000001\n",
    );
    let [found] = policy.advisors() else { panic!("one advisor") };
    let AdvisorTarget::Chat { model, prompt, key, allow_private: true, .. } = &found.target else {
        panic!("{:?}", found.target)
    };
    assert_eq!((model.as_str(), prompt.as_str(), key.as_deref()), ("small", "Judge.", Some("models")));
    assert_eq!((found.concurrency, found.cache), (1, Duration::ZERO));
    assert!(found.may_answer(AdviceVerdict::Allow));
    assert_eq!(
        found.thresholds,
        AdvisorThresholds { min_cases: 50, max_false_allows: 1, max_overruled_ppm: 1 }
    );
}

#[test]
fn invalid_advisors_are_rejected() {
    let with = |rest: &str| advisor(rest);
    insta::assert_snapshot!(read_errors(&[
        "[advisor]\nname = \"a\"".to_owned(),
        "[[advisor]]\nurl = \"http://a\"".to_owned(),
        "[[advisor]]\nname = \"a b\"\nurl = \"http://a\"".to_owned(),
        "[[advisor]]\nname = \"a\"".to_owned(),
        "[[advisor]]\nname = \"a\"\nurl = \"ftp://a\"".to_owned(),
        "[[advisor]]\nname = \"a\"\nurl = \"https://u:p@a\"".to_owned(),
        "[[advisor]]\nname = \"a\"\ncommand = \"judge --json\"".to_owned(),
        "[[advisor]]\nname = \"a\"\ncommand = [\"judge\"]".to_owned(),
        "[[advisor]]\nname = \"a\"\nprotocol = \"cedar\"".to_owned(),
        "[[advisor]]\nname = \"a\"\nprotocol = \"cedar\"\npoliciesFile = \"x.cedar\"".to_owned(),
        "[[advisor]]\nname = \"a\"\nprotocol = \"chat\"\nurl = \"http://a\"\nprompt = \"p\"".to_owned(),
        with("command = [\"/a\"]"),
        with("protocol = \"opq\""),
        with("mode = \"decides\""),
        with("outcomes = [\"ask\"]"),
        with("outcomes = []"),
        with("timeout = \"1h\""),
        with("concurrency = 0"),
        with("cache = \"2d\""),
        with("min_cases = 5"),
        with("maxFalseAllows = -1"),
        with("maxOverruled = 1.1"),
        with("maxOverruled = 0.0000001"),
        with("key = \"sk-ABC\""),
        with("applies = {}"),
        with("applies = { impact = { reversible = true } }"),
        [advisor(""), advisor("")].concat(),
    ]), @r#"
    line 1, column 1: write advisors as [[advisor]], with two brackets
    line 1, column 1: an advisor needs a `name`
    line 2, column 8: the name of an advisor has 1 to 64 letters, digits, `-`, `_` and `.`, and begins with a letter or a digit
    line 1, column 1: an advisor needs a `url`
    line 3, column 7: url must begin with http:// or https:// and name a host
    line 3, column 7: the policy is stored in the log, so a url must not contain a name and a password; use `key`
    line 3, column 11: command must be a list of words, the program first, such as ["/usr/lib/judge", "--json"]; no shell reads it
    line 3, column 11: the program of command must be a full path, such as "/usr/lib/judge"
    line 1, column 1: an advisor needs `policies` or `policiesFile`
    line 4, column 16: the folder policy.d/ has no file "x.cedar" that ends in .prompt or .cedar
    line 1, column 1: an advisor needs a `model`
    line 3, column 7: an advisor with `command` has no `url`; remove it
    line 4, column 12: protocol: unknown value "opq"; use one of countersign, opa, cedar, chat, facts
    line 4, column 8: mode: unknown value "decides"; use one of shadow, advise, decide
    line 4, column 13: an outcome is "deny" or "allow", not "ask"
    line 4, column 12: the list of outcomes is empty, so it can never match
    line 4, column 11: timeout must be at most a minute ("1m")
    line 4, column 15: concurrency must be a whole number from 1 to 64
    line 4, column 9: cache must be at most a day ("1d"), or "0s" to turn it off
    line 4, column 1: an advisor has no key `min_cases`; did you mean `minCases`?
    line 4, column 18: maxFalseAllows must be a whole number, at least 0
    line 4, column 16: maxOverruled must be a number from 0 to 1 with at most six digits, such as 0.05
    line 4, column 16: maxOverruled must be a number from 0 to 1 with at most six digits, such as 0.05
    line 4, column 7: key is the name of a key that the operator of the server defines, with at most 64 small letters, digits, `-` and `_`; never the key itself
    line 4, column 11: `applies` is empty; add a selector, or remove it to ask about every call
    line 4, column 22: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 6, column 8: two advisors are named "judge"; give each a unique name
    "#);
}

#[test]
fn invalid_advised_rules_are_rejected() {
    let rule = |rest: &str| {
        [advisor("mode = \"decide\""), format!("[[rule]]\nname = \"r\"\ntool = \"x\"\n{rest}\n")].concat()
    };
    let advised = |rest: &str| rule(&format!("verdict = \"advised\"\nadvisor = \"judge\"\n{rest}"));
    insta::assert_snapshot!(read_errors(&[
        rule("verdict = \"advised\""),
        rule("verdict = \"advized\"\nadvisor = \"judge\""),
        rule("verdict = \"ask\"\nadvisor = \"judge\""),
        rule("verdict = \"advised\"\nadvisor = \"jugde\""),
        advised("quorum = 2"),
        advised("level = \"admin\""),
        advised("proof = \"any\""),
        advised("approvers = \"user:ada\""),
        advised("denials = 2"),
        advised("impact = { reversible = true }"),
        advised("unless = { impact = { reversible = false } }"),
        "default = \"advised\"".to_owned(),
        "[patterns]\n\"bash:ls\" = \"advised\"".to_owned(),
        "[zones.a]\nroot = \"/a\"\nread = \"advised\"".to_owned(),
    ]), @r#"
    line 5, column 1: a rule with `verdict = "advised"` needs an `advisor`
    line 8, column 11: unknown verdict "advized"; did you mean `advised`?
    line 9, column 11: `advisor` needs `verdict = "advised"`; change the verdict, or remove it
    line 9, column 11: unknown advisor "jugde" in [[advisor]]; did you mean `judge`?
    line 10, column 10: an advisor cannot meet `quorum`; remove it, or write `verdict = "ask"`
    line 10, column 9: an advisor cannot meet `level`; remove it, or write `verdict = "ask"`
    line 10, column 9: an advisor cannot meet `proof`; remove it, or write `verdict = "ask"`
    line 10, column 13: an advisor cannot meet `approvers`; remove it, or write `verdict = "ask"`
    line 10, column 11: an advisor cannot meet `denials`; remove it, or write `verdict = "ask"`
    line 10, column 10: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 10, column 21: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 1, column 11: only a [[rule]] can have the verdict "advised", because it needs an `advisor`
    line 2, column 13: only a [[rule]] can have the verdict "advised", because it needs an `advisor`
    line 3, column 8: only a [[rule]] can have the verdict "advised", because it needs an `advisor`
    "#);
}

#[test]
fn advised_rule_asks_and_names_its_advisor() {
    let text = [advisor(""), advised("a", "command = \"git **\"")].concat();
    assert_eq!(answer(&bash("git status"), &text), asked_by_judge());
    assert_eq!(answer(&bash("ls"), &text), PEOPLE);
}

#[test]
fn advised_is_less_strict_than_ask() {
    let text = [advisor(""), advised("a", ""), asker("tool = \"bash\"\ncommand = \"rm *\"")].concat();
    assert_eq!(answer(&bash("ls"), &text), asked_by_judge());
    assert_eq!(answer(&bash("rm x"), &text), PEOPLE, "people are asked by another rule");
    let blocked = [text.as_str(), "[[rule]]\nname = \"b\"\ntool = \"bash\"\nverdict = \"block\"\n"].concat();
    assert_eq!(answer(&bash("ls"), &blocked), (Verdict::Block, None));
    let allowed = [text.as_str(), "[[rule]]\nname = \"b\"\ntool = \"bash\"\nverdict = \"allow\"\n"].concat();
    assert_eq!(answer(&bash("ls"), &allowed), asked_by_judge(), "advised is stricter than allow");
}

#[test]
fn uncertain_advised_rule_asks_people() {
    let text = [advisor(""), advised("a", "command = \"git **\"")].concat();
    for line in ["git status; rm -rf /", "git $(x)", "$x"] {
        assert_eq!(answer(&bash(line), &text), PEOPLE, "{line}");
    }
    assert_eq!(answer(&bash("git push").masked("/command"), &text), PEOPLE);
    let excepted = [advisor(""), advised("a", "unless = { command = \"rm *\" }")].concat();
    assert_eq!(answer(&bash("ls"), &excepted), asked_by_judge());
    assert_eq!(answer(&bash("ls; rm x"), &excepted), PEOPLE, "a part of the line is excepted");
}

#[test]
fn possible_block_asks_people() {
    let block = "[[rule]]\nname = \"b\"\ntool = \"bash\"\ncommand = \"rm *\"\nverdict = \"block\"\n";
    let text = [advisor("").as_str(), &advised("a", ""), block].concat();
    assert_eq!(answer(&bash("ls"), &text), asked_by_judge());
    assert_eq!(answer(&bash("$x"), &text), PEOPLE);
}

#[test]
fn rules_with_different_advisors_ask_people() {
    let other = "[[advisor]]\nname = \"other\"\ncommand = [\"/bin/judge\"]\n\
        [[rule]]\nname = \"o\"\ntool = \"*\"\nverdict = \"advised\"\nadvisor = \"other\"\n";
    let text = [advisor("").as_str(), other, &advised("a", "")].concat();
    assert_eq!(answer(&bash("ls"), &text), PEOPLE);
    assert_eq!(answer(&call("read", "{}"), &text), (Verdict::Ask, Some("other".to_owned())));
}

#[test]
fn tool_that_needs_approval_asks_people() {
    let definition = ToolDefinition { needs_approval: Some(true), ..ToolDefinition::default() };
    let text = [advisor(""), advised("a", "")].concat();
    assert_eq!(answer(&bash("ls").defined(definition), &text), PEOPLE);
}

#[test]
fn shadow_rule_with_an_advisor_decides_nothing() {
    let text = [advisor(""), advised("a", "shadow = true")].concat();
    assert_eq!(answer(&bash("ls"), &text), PEOPLE);
}

#[test]
fn examples_of_advised_rule_need_its_advisor() {
    policy(
        &[
            advisor(""),
            advised(
                "a",
                "command = \"git **\"\nexamples = { match = \"git status\", noMatch = \"git status; rm x\" }",
            ),
        ]
        .concat(),
    );
}

#[test]
fn advisor_is_asked_about_covered_calls() {
    let text = [
        advisor("applies = { tool = \"bash\", command = \"git **\" }").as_str(),
        "[[advisor]]\nname = \"all\"\ncommand = [\"/bin/judge\"]\n",
    ]
    .concat();
    let policy = policy(&text);
    let asked = |call: &TestCall| {
        policy
            .advisors_of(&call.subject())
            .into_iter()
            .map(|advisor| advisor.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(asked(&bash("git status")), ["judge", "all"]);
    for other in [bash("git status; ls"), bash("$x"), call("read", "{}")] {
        assert_eq!(asked(&other), ["all"]);
    }
}

#[test]
fn configuration_hash_covers_what_the_answers_depend_on() {
    let hash = |text: &str| policy(text).advisors().first().expect("an advisor").configuration;
    let plain = hash(&advisor(""));
    for same in [
        "mode = \"decide\"\noutcomes = [\"allow\"]",
        "timeout = \"1s\"\ncache = \"0s\"\nconcurrency = 9",
        "minCases = 1",
        "key = \"k\"",
        "protocol = \"countersign\"",
    ] {
        assert_eq!(hash(&advisor(same)), plain, "{same}");
    }
    assert_eq!(hash("[[advisor]]\nname = \"other\"\nurl = \"http://127.0.0.1:8181/a\"\n"), plain);
    for other in ["protocol = \"opa\"", "applies = { tool = \"x\" }"] {
        assert_ne!(hash(&advisor(other)), plain, "{other}");
    }
    let chat = |rest: &str| {
        hash(&format!("[[advisor]]\nname = \"a\"\nprotocol = \"chat\"\nurl = \"http://a\"\n{rest}\n"))
    };
    assert_ne!(chat("model = \"m\"\nprompt = \"p\""), chat("model = \"m\"\nprompt = \"q\""));
    assert_ne!(chat("model = \"m\"\nprompt = \"p\""), chat("model = \"n\"\nprompt = \"p\""));
}

#[test]
fn policy_hash_covers_advisors() {
    assert_ne!(policy(&advisor("")).hash(), policy(&advisor("mode = \"decide\"")).hash());
}

#[test]
fn probable_mistakes_with_advisors_are_warnings() {
    let warnings = |text: &str| {
        policy(text).find_warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let texts = [
        advisor("mode = \"decide\""),
        [advisor(""), advised("a", "command = \"ls\""), asker("tool = \"*\"")].concat(),
        [
            advisor(""),
            advised("a", "command = \"ls\""),
            "[[rule]]\nname = \"b\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"ask\"\n".to_owned(),
        ]
        .concat(),
        [advisor("mode = \"decide\""), advised("a", "")].concat(),
    ];
    insta::assert_snapshot!(texts.iter().map(|text| warnings(text)).collect::<Vec<_>>().join("\n--\n"), @r#"
    line 2, column 8: advisor "judge" decides nothing: no rule has `verdict = "advised"` with `advisor = "judge"`
    --
    line 6, column 8: rule "a" never decides: rule "people" asks about every call that it matches, and the strictest wins; narrow "people", or exclude calls from it with `unless`
    --
    line 12, column 8: rules "a" and "b" match the same calls with different verdicts; the stricter applies
    --
    "#);
}

fn layered(text: &str, layers: &[(&str, &str)]) -> Result<Policy, BadPolicy> {
    let layer = |(name, text): &(&str, &str)| countersign_events::PolicyLayer {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
    };
    Policy::read_text(PolicyText { text: text.to_owned(), layers: layers.iter().map(layer).collect() })
}

#[test]
fn prompt_and_policies_are_files_beside_the_policy() {
    let text = "[[advisor]]\nname = \"a\"\nprotocol = \"chat\"\nurl = \"http://a\"\nmodel = \"m\"\npromptFile = \"judge.prompt\"\n\
        [[advisor]]\nname = \"c\"\nprotocol = \"cedar\"\npoliciesFile = \"policy.d/rules.cedar\"\n";
    let files = [
        ("policy.d/judge.prompt", "Not = TOML ["),
        ("policy.d/rules.cedar", "permit(principal, action, resource);"),
    ];
    let policy = layered(text, &files).expect("valid");
    let [chat, cedar] = policy.advisors() else { panic!("two advisors") };
    assert!(matches!(&chat.target, AdvisorTarget::Chat { prompt, .. } if prompt == "Not = TOML ["));
    assert!(matches!(&cedar.target, AdvisorTarget::Cedar { policies } if policies.starts_with("permit")));
    assert!(policy.find_warnings().is_empty());
    let changed = layered(text, &[("policy.d/judge.prompt", "Other"), files[1]]).expect("valid");
    assert_ne!(changed.advisors()[0].configuration, chat.configuration);
    assert_ne!(changed.hash(), policy.hash());
    let unused = layered("default = \"ask\"", &files[..1]).expect("valid");
    insta::assert_snapshot!(unused.find_warnings()[0].to_string(), @r#"policy.d/judge.prompt, line 1, column 1: no advisor uses the file "policy.d/judge.prompt""#);
    let missing = layered(text, &[("policy.d/jugde.prompt", "x"), files[1]]).expect_err("no such file");
    insta::assert_snapshot!(missing.to_string(), @r#"the main file: the policy is invalid at line 6, column 14: the folder policy.d/ has no file "judge.prompt" that ends in .prompt or .cedar; did you mean `jugde.prompt`?"#);
}

#[test]
fn layers_add_advisors_with_other_names() {
    let policy =
        layered(&advisor(""), &[("policy.d/a.toml", "[[advisor]]\nname = \"b\"\nurl = \"http://b\"\n")]);
    assert_eq!(policy.expect("valid").advisors().len(), 2);
    let twice = layered(&advisor(""), &[("policy.d/a.toml", &advisor(""))]).expect_err("the same name");
    insta::assert_snapshot!(twice.to_string(), @r#"policy.d/a.toml: the policy is invalid at line 2, column 8: two advisors are named "judge"; give each a unique name"#);
    let asking = layered(
        &[advisor(""), advised("a", "")].concat(),
        &[("policy.d/a.toml", "[[rule]]\nname = \"people\"\ntool = \"bash\"\nverdict = \"ask\"\n")],
    );
    assert_eq!(bash("ls").judge(&asking.expect("valid")).terms.advisor, None, "a layer can ask people again");
}

#[test]
fn managed_layer_has_no_advised_rules() {
    let rule = advised("a", "");
    let error = PolicyText::from(advisor("").as_str()).add_managed_rule(&rule).expect_err("only allow");
    assert!(error.to_string().contains("only rules with verdict"), "{error}");
}

#[test]
fn formatted_advisor_keeps_its_meaning() {
    insta::assert_snapshot!(
        format("[[advisor]]\nmaxOverruled=0.1 # share\noutcomes=['deny','allow']\nmode='decide'\nurl='http://a'\nname='judge'\n[[rule]]\nadvisor='judge'\nverdict='advised'\ntool='x'\nname='r'\n")
            .expect("valid"), @"
    [[advisor]]
    name = 'judge'
    url = 'http://a'
    mode = 'decide'
    outcomes = ['deny', 'allow']
    maxOverruled = 0.1  # share

    [[rule]]
    name = 'r'
    tool = 'x'
    verdict = 'advised'
    advisor = 'judge'
    ");
}

#[test]
fn report_must_meet_every_threshold() {
    let thresholds = AdvisorThresholds { min_cases: 100, max_false_allows: 1, max_overruled_ppm: 50_000 };
    let report = |agreed, false_allows, false_denials, asked| AdvisorReported {
        advisor: "judge".to_owned(),
        configuration: Sha256::digest(b""),
        source: ReportSource::Replay,
        cases: agreed + false_allows + false_denials + asked,
        agreed,
        false_allows,
        false_denials,
        asked,
        failed: 0,
        elapsed_millis: None,
        tokens: None,
        after: None,
        up_to: 1,
    };
    let unmet = |report: AdvisorReported| thresholds.check_report(&report).map_err(|why| why.to_string());
    assert_eq!(unmet(report(95, 1, 4, 1_000)), Ok(()), "five of a hundred are at the limit");
    insta::assert_snapshot!(
        [report(99, 0, 0, 1_000), report(200, 2, 0, 0), report(95, 1, 5, 0)]
            .map(|report| unmet(report).expect_err("unmet"))
            .join("\n"), @"
    the report has 99 answered cases; the policy needs 100
    the advisor would have allowed 2 calls that people denied; the policy accepts 1
    the advisor contradicted people in 6 of 101 cases; the policy accepts 5 %
    ");
}

//! Reach questions: what a policy would allow.

use super::*;

/// The answer for an agent in the project `/home/ada/shop`, and the calls that were judged.
fn ask_with(policy: &Policy, question: &str, limits: ReachLimits) -> ReachReport {
    let folder = Some("/home/ada/shop".to_owned());
    let place = Place { project: folder.clone(), folder, ..Place::default() };
    let (thread, principal) = (ThreadId::new("t").expect("a name"), Principal::agent("bot"));
    let caller =
        ReachCaller { thread: &thread, principal: &principal, place: &place, home: Some("/home/ada") };
    let question = question.parse().unwrap_or_else(|e| panic!("{question}: {e}"));
    let report = policy.search_reach(&question, caller, limits);
    for witness in &report.witnesses {
        assert_witness_is_allowed(policy, witness, &place);
    }
    report
}

fn ask(policy: &Policy, question: &str) -> ReachReport {
    ask_with(policy, question, ReachLimits { all_programs: false, ..ReachLimits::QUESTION })
}

/// The law of the search: whatever it shows as allowed is judged so.
fn assert_witness_is_allowed(policy: &Policy, witness: &ReachWitness, place: &Place) {
    let mut judged = call(&witness.call.tool, witness.call.arguments.as_str());
    judged.place = Some(Place { server: witness.call.server.clone(), ..place.clone() });
    if let Some(thread) = &witness.call.thread {
        judged.thread = ThreadId::new(thread).expect("a name");
    }
    assert_eq!(judged.verdict(policy), Verdict::Allow, "{witness:?}");
}

/// The tools and arguments of all calls that certainly do it.
fn witnesses(policy: &Policy, question: &str) -> Vec<String> {
    let report = ask(policy, question);
    let certain = report.witnesses.iter().filter(|witness| witness.strength == WitnessStrength::Does);
    certain.map(|witness| format!("{} {}", witness.call.tool, witness.call.arguments.as_str())).collect()
}

fn allowing(rest: &str) -> Policy {
    rule("allow", rest)
}

#[test]
fn rule_that_allows_is_found_with_a_call() {
    for (rule, question, call) in [
        (
            "tool = \"Bash\"\ncommand = \"cat **\"",
            "read ~/.aws/credentials",
            r#"Bash {"command":"cat ~/.aws/credentials"}"#,
        ),
        (
            "tool = \"Bash\"\ncommand = \"cat /home/ada/.aws/*\"",
            "read ~/.aws/credentials",
            r#"Bash {"command":"cat /home/ada/.aws/credentials"}"#,
        ),
        ("tool = \"Bash\"\ncommand = \"nl *\"", "read a.txt", r#"Bash {"command":"nl a.txt"}"#),
        (
            "tool = \"Bash\"\ncommand = \"echo *\"\ninside = \"project\"",
            "write src/a.rs",
            r#"Bash {"command":"echo x > src/a.rs"}"#,
        ),
        (
            "tool = \"Bash\"\ncommand = \"rm -f *\"",
            "delete /etc/hosts",
            r#"Bash {"command":"rm -f /etc/hosts"}"#,
        ),
        ("tool = \"Bash\"\ncommand = \"./*\"", "run tools/x", r#"Bash {"command":"./tools/x"}"#),
        (
            "tool = \"Bash\"\ncommand = \"git push **\"",
            "push main",
            r#"Bash {"command":"git push origin main"}"#,
        ),
        (
            "tool = \"mcp__files__*\"",
            "read /etc/hosts",
            r#"mcp__files__read_text_file {"file_path":"/etc/hosts"}"#,
        ),
        ("tool = \"mcp__github__*\"", "delete branch main", "mcp__github__delete_branch "),
        ("tool = \"Edit\"\npath = \"/home/ada/shop/**\"", "write /home/ada/shop/a", "Edit "),
        ("kind = \"edit\"\ninside = \"project\"", "write .claude/settings.json", "Write "),
        ("kind = \"fetch\"\nurl = \"https://*.example.com/*\"", "connect db.example.com", "WebFetch "),
        (
            "tool = \"Bash\"\ncommand = \"kubectl --context prod delete **\"",
            "kubernetes delete pod/web of prod",
            r#"Bash {"command":"kubectl --context prod delete pod web"}"#,
        ),
        (
            "tool = \"mcp__db__query\"\nargs = { \"/database\" = { eq = \"prod\" } }",
            "sql read users of prod",
            r#"mcp__db__query {"database":"prod","sql":"select * from users"}"#,
        ),
    ] {
        let found = witnesses(&allowing(rule), question);
        assert!(found.iter().any(|found| found.starts_with(call)), "{rule}: {question}: {found:?}");
    }
}

#[test]
fn what_no_rule_allows_has_no_witness() {
    for (rule, question) in [
        ("tool = \"Bash\"\ncommand = \"cat src/*\"", "read ~/.aws/credentials"),
        ("tool = \"Bash\"\ncommand = \"cat **\"", "write ~/.aws/credentials"),
        ("tool = \"Bash\"\ncommand = \"cat **\"\ninside = \"project\"", "read ~/.aws/credentials"),
        ("tool = \"Read\"\npath = \"/home/ada/shop/**\"", "read /etc/hosts"),
        ("tool = \"Bash\"\ncommand = \"git status **\"", "connect db.example.com"),
        ("tool = \"Bash\"\ncommand = \"git push origin *\"", "force main"),
        ("tool = \"TodoWrite\"", "write a.txt"),
        ("tool = \"WebFetch\"\nurl = \"https://docs.rs/*\"", "connect db.example.com"),
    ] {
        let report = ask(&allowing(rule), question);
        let found: Vec<_> = report.witnesses.iter().map(|found| found.call.arguments.as_str()).collect();
        assert!(found.is_empty(), "{rule}: {question}: {found:?}");
        assert!(report.tried > 0 && report.is_complete, "{rule}: {question}");
    }
}

#[test]
fn answers_to_other_calls_name_their_rules() {
    let guarded = policy(
        "default = \"allow\"\n[[protect]]\nname = \"secrets\"\npackage = \"secrets\"\nverdict = \"block\"\nreason = \"no\"\n",
    );
    let report = ask(&guarded, "read ~/.ssh/id_rsa");
    assert!(report.witnesses.is_empty(), "{:?}", report.witnesses);
    let first = report.others.first().expect("an answer");
    assert_eq!((first.verdict, first.rule.as_deref()), (Verdict::Block, Some("secrets")));
    assert!(first.calls > 30, "{first:?}");
    let asked = ask(&policy("default = \"ask\"\n"), "read ~/.ssh/id_rsa");
    let answers: Vec<_> = asked.others.iter().map(|other| (other.verdict, other.rule.clone())).collect();
    assert!(asked.witnesses.is_empty() && answers.contains(&(Verdict::Ask, None)), "{answers:?}");
}

#[test]
fn rules_that_cannot_be_tried_are_named() {
    let conditional = allowing("tool = \"Read\"\nwhen = \"args.reason == 'x7'\"");
    let report = ask(&conditional, "read a.txt");
    assert_eq!((report.witnesses.len(), &*report.unmet_rules), (0, &["r".to_owned()][..]));
    let met = ask(&allowing("tool = \"Read\"\nwhen = \"args.file_path == 'a.txt'\""), "read a.txt");
    assert!(!met.witnesses.is_empty() && met.unmet_rules.is_empty(), "{met:?}");
    let other_agent = ask(&allowing("tool = \"Read\"\nprincipal = \"agent:other\""), "read a.txt");
    assert_eq!((other_agent.witnesses.len(), &*other_agent.unmet_rules), (0, &["r".to_owned()][..]));
    let unknown = ask(&allowing("tool = \"fetch_notes\""), "read a.txt");
    assert_eq!((unknown.witnesses.len(), &*unknown.unknown_tools), (0, &["r".to_owned()][..]));
}

#[test]
fn selectors_of_rules_are_satisfied() {
    for selectors in [
        "tool = \"Read\"\nthread = \"review-*\"",
        "tool = \"read_file\"\nplace = { server = \"files-*\" }",
        "tool = \"Read\"\nargs = { \"/limit\" = { lt = 5 }, \"/mode\" = { in = [\"fast\", \"slow\"] } }",
        "tool = \"Read\"\nargs = { \"/file_path\" = { prefix = \"/home/ada/\" }, \"/note\" = { glob = \"a*\" } }",
    ] {
        let found = witnesses(&allowing(selectors), "read a.txt");
        assert!(!found.is_empty(), "{selectors}");
    }
    let mapped = policy(
        "[tools]\nnotes = { operation = \"read\", path = \"/where/file\" }\n[zones.own]\nroot = \"/home/ada/shop\"\nread = \"allow\"\n",
    );
    assert!(
        ask(&mapped, "read a.txt").unknown_tools.contains(&"zone-own".to_owned()),
        "{:?}",
        ask(&mapped, "read a.txt")
    );
}

#[test]
fn search_keeps_its_budget() {
    let limits = ReachLimits { calls: 10, ..ReachLimits::QUESTION };
    let report = ask_with(&policy("default = \"ask\"\n"), "read a.txt", limits);
    assert!(!report.is_complete && report.tried <= 10, "{report:?}");
}

#[test]
fn programs_of_the_table_are_tried() {
    let text = "default = \"allow\"\n[[rule]]\nname = \"b\"\ntool = \"*\"\nunless = { command = \"tac *\" }\nverdict = \"block\"\n";
    let report = ask_with(&policy(text), "read a.txt", ReachLimits::QUESTION);
    let found: Vec<_> = report.witnesses.iter().map(|witness| witness.call.arguments.as_str()).collect();
    assert_eq!(found, [r#"{"command":"tac a.txt"}"#]);
}

#[test]
fn blocked_things_have_no_witness_in_profiles() {
    let things = "path = [\"~/.ssh/**\", \"**/.env\", \"/srv/payroll/**\"]\nhost = \"*.prod.example.com\"\n\
        git = { branch = \"main\" }\nkubernetes = { context = \"prod\" }\nsql = { database = \"prod\" }";
    let layer = format!("[[protect]]\nname = \"guard\"\nverdict = \"block\"\n{things}\n");
    // `observe` allows what would be asked, also for a mere doubt.
    for profile in [PolicyProfile::Coding, PolicyProfile::Careful] {
        let guarded = policy(&(profile.text() + &layer));
        for question in [
            "read .env",
            "write .env",
            "delete /srv/payroll/a.csv",
            "push main",
            "sql write customers of prod",
        ] {
            let report = ask_with(&guarded, question, ReachLimits::QUICK);
            let found: Vec<_> = report.witnesses.iter().map(|found| &found.call).collect();
            assert!(found.is_empty(), "{profile}: {question}: {found:?}");
        }
    }
}

/// What the new policy makes reachable in the project, with one call for each question.
fn gained(old: &Policy, new: &Policy) -> Vec<(String, String)> {
    let folder = Some("/home/ada/shop".to_owned());
    let place = Place { project: folder.clone(), folder, ..Place::default() };
    let (thread, principal) = (ThreadId::new("t").expect("a name"), Principal::agent("bot"));
    let caller =
        ReachCaller { thread: &thread, principal: &principal, place: &place, home: Some("/home/ada") };
    let found = find_newly_reachable(old, new, caller);
    for found in &found {
        assert_witness_is_allowed(new, &found.witness, &place);
    }
    let shown = |found: &NewlyReachable| {
        (found.question.to_string(), found.witness.call.arguments.as_str().to_owned())
    };
    found.iter().map(shown).collect()
}

#[test]
fn profiles_ask_about_sensitive_things() {
    let asks = policy("default = \"ask\"\n");
    for profile in [PolicyProfile::Coding, PolicyProfile::Careful] {
        // A search of the project's folder is free in these profiles, and shows what it finds.
        let search = ("read .env".to_owned(), r#"{"command":"grep -r '' ."}"#.to_owned());
        assert_eq!(gained(&asks, &profile.policy()), [search], "{profile}");
    }
}

#[test]
fn new_policy_shows_what_it_makes_reachable() {
    let old = policy("default = \"ask\"\n");
    let new =
        policy("[patterns]\n\"bash:{ls,tac} **\" = \"allow\"\n\"bash:cp * /home/ada/.ssh/*\" = \"allow\"\n");
    let found = gained(&old, &new);
    let key = ("write ~/.ssh/authorized_keys", r#"{"command":"cp x /home/ada/.ssh/authorized_keys"}"#);
    assert!(found.iter().any(|(question, _)| question == "read ~/.aws/credentials"), "{found:?}");
    assert!(found.iter().any(|(question, call)| (question.as_str(), call.as_str()) == key), "{found:?}");
    assert!(
        found.iter().all(|(question, _)| question.starts_with("read ") || question == key.0),
        "{found:?}"
    );
    assert!(gained(&new, &old).is_empty() && gained(&new, &new).is_empty());
}

#[test]
fn questions_are_written_in_one_form() {
    for text in [
        "read ~/.aws/credentials",
        "delete branch release/2",
        "delete my file.txt",
        "push main",
        "connect db.prod.example.com",
        "kubernetes delete pod/web in shop of prod",
        "kubernetes get pods",
        "sql schema customers of prod",
    ] {
        assert_eq!(text.parse::<ReachQuestion>().expect(text).to_string(), text);
    }
    for (text, part) in [
        ("", "is empty"),
        ("look a", "does not begin with \"look\""),
        ("read", "write `read FILE`"),
        ("read *.pem", "without wildcards"),
        ("connect https://a.example.com/", "without a scheme"),
        ("push", "is no branch"),
        ("delete branch -f", "is no branch"),
        ("kubernetes", "verb is missing"),
        ("kubernetes delete pod web", "is not expected"),
        ("kubernetes get pods of", "context is missing"),
        ("kubernetes get pods of a of b", "given twice"),
        ("sql drop customers", "is no kind of statement"),
        ("sql read", "sql read|write|schema TABLE"),
        ("sql read a b c", "sql read|write|schema TABLE"),
        ("sql read a'b", "is no table"),
        ("read a\u{7}", "control character"),
    ] {
        let error = text.parse::<ReachQuestion>().expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    assert!(format!("read {}", "x".repeat(2000)).parse::<ReachQuestion>().is_err());
}

//! The rule that decides.

use super::*;
use countersign_events::ShadowVerdict;

#[test]
fn strictest_rule_wins_in_any_order() {
    let (allow, block) = (
        "[[rule]]\nname = \"reads\"\ntool = [\"file-*\", \"web-fetch\"]\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"no deleting\"\ntool = \"*-delete\"\nverdict = \"block\"\nreason = \"ask ops\"\n",
    );
    for text in [[allow, block].concat(), [block, allow].concat()] {
        let policy = policy(&text);
        let blocked = call("file-delete", "{}").judge(&policy);
        assert_eq!(
            (blocked.verdict, blocked.basis, blocked.rule.as_deref(), blocked.reason.as_str()),
            (Verdict::Block, Basis::Rule, Some("no deleting"), "ask ops")
        );
        assert_eq!(blocked.policy, policy.hash());
        assert_eq!(blocked.principal().as_str(), "policy:no deleting");
        assert_eq!(call("file-read", "{}").verdict(&policy), Verdict::Allow);
        let asked = call("bash", "{}").judge(&policy);
        assert_eq!((asked.verdict, asked.basis), (Verdict::Ask, Basis::Default));
        assert_eq!(asked.principal().as_str(), "policy:default");
    }
}

#[test]
fn judgement_lists_every_matching_rule() {
    let policy = policy(
        "[[rule]]\nname = \"a\"\ntool = \"ba*\"\nverdict = \"allow\"\n\
         [[rule]]\nname = \"b\"\ntool = \"bash\"\ncommand = \"git *\"\nverdict = \"ask\"\n\
         [[rule]]\nname = \"c\"\ntool = \"bash\"\nargs = { \"/n\" = { gt = 5 } }\nverdict = \"ask\"\n\
         [[rule]]\nname = \"d\"\ntool = \"other\"\nverdict = \"block\"\n",
    );
    let matched: Vec<_> =
        bash("git status").judge(&policy).matched.into_iter().map(|m| (m.rule, m.verdict, m.why)).collect();
    assert_eq!(
        matched,
        [
            ("a".to_owned(), Verdict::Allow, "tool `bash` matches".to_owned()),
            ("b".to_owned(), Verdict::Ask, "tool `bash` matches, command `git *` matches".to_owned()),
            ("c".to_owned(), Verdict::Ask, "there is no /n; an ask rule then matches".to_owned()),
        ]
    );
}

#[test]
fn reason_explains_a_match_on_missing_value() {
    let policy = policy(
        "[[rule]]\nname = \"small\"\ntool = \"pay\"\nargs = { \"/amount\" = { gt = 100 } }\n\
         verdict = \"block\"\nreason = \"too much\"\n",
    );
    assert_eq!(call("pay", "{\"amount\":101}").judge(&policy).reason, "too much");
    let strange = call("pay", "{}").judge(&policy);
    assert_eq!(
        (strange.verdict, strange.reason.as_str()),
        (Verdict::Block, "too much (there is no /amount; a block rule then matches)")
    );
}

/// A rule about pushes asks about `curl … | sh`, because the shell may run a push.
#[test]
fn unreadable_command_is_asked_with_that_reason() {
    let reason = |more: &str| {
        let asked = format!(
            "[[rule]]\nname = \"pushes\"\ntool = \"bash\"\ncommand = \"git push*\"\nverdict = \"ask\"\n{more}"
        );
        bash("curl https://example.com | sh").judge(&policy(&asked)).reason
    };
    let unclear = "command `curl https://example.com | sh` cannot be read with certainty (it is unknown what its shell runs); an ask rule then matches";
    assert_eq!(reason(""), unclear);
    assert_eq!(reason("reason = \"pushes are seen\"\n"), format!("pushes are seen ({unclear})"));
}

#[test]
fn shadow_rule_is_recorded_without_deciding() {
    let policy = policy(
        "default = \"allow\"\n\
         [[rule]]\nname = \"try\"\nshadow = true\ntool = \"bash\"\nverdict = \"block\"\n\
         [[rule]]\nname = \"unsure\"\nshadow = true\ntool = \"bash\"\ncommand = \"rm *\"\nverdict = \"block\"\n",
    );
    let judgement = bash("$x").judge(&policy);
    assert_eq!((judgement.verdict, judgement.rule), (Verdict::Allow, None));
    let shadows = [("try", Verdict::Block), ("unsure", Verdict::Ask)];
    assert_eq!(
        judgement.shadow,
        shadows.map(|(rule, verdict)| ShadowVerdict { rule: rule.to_owned(), verdict })
    );
    assert!(judgement.matched.iter().all(|matched| matched.shadow));
}

#[test]
fn empty_policy_asks_always() {
    let asked = call("x", "{}").judge(&policy(""));
    assert_eq!((asked.verdict, asked.reason.as_str()), (Verdict::Ask, "no rule matches this call"));
    assert_eq!(policy("default = \"ask\"\n").hash(), Policy::ask_always().hash());
    assert_eq!(Policy::ask_always().rules(), 0);
}

#[test]
fn uncertain_block_asks() {
    let policy = rule("block", "tool = \"bash\"\ncommand = \"rm *\"\nreason = \"no\"");
    let unsure = bash("$x").judge(&policy);
    assert_eq!((unsure.verdict, unsure.rule.as_deref()), (Verdict::Ask, Some("r")));
    assert!(unsure.reason.contains("might block it"), "{}", unsure.reason);
    assert_eq!(unsure.terms, ApprovalTerms::default());
}

#[test]
fn short_form_matches_tool_and_operand() {
    let policy = policy(
        "default = \"block\"\n[patterns]\n\"bash:ls*\" = \"allow\"\n\"bash:rm *\" = \"block\"\n\
         \"web-fetch:https://*\" = \"allow\"\n\"file-read:/srv/**\" = \"allow\"\n\"file-list\" = \"ask\"\n",
    );
    assert_eq!(policy.rules(), 5);
    assert_eq!(bash("ls -l").judge(&policy).rule.as_deref(), Some("bash:ls*"));
    assert_eq!(bash("ls -l; rm -r x").verdict(&policy), Verdict::Block);
    let fetch = |url: &str| call("web-fetch", &format!("{{\"url\":\"{url}\"}}")).verdict(&policy);
    assert_eq!((fetch("https://a.org/x"), fetch("http://a.org/x")), (Verdict::Allow, Verdict::Block));
    let read = |path: &str| call("file-read", &format!("{{\"path\":\"{path}\"}}")).verdict(&policy);
    assert_eq!((read("/srv/a/b"), read("/srv/../etc/passwd")), (Verdict::Allow, Verdict::Block));
    assert_eq!(call("file-list", "{}").verdict(&policy), Verdict::Ask);
}

#[test]
fn shipped_policy_allows_only_task_tools() {
    let policy = Policy::shipped();
    assert_eq!(policy.hash(), Sha256::digest(Policy::SHIPPED.as_bytes()));
    assert_eq!(policy.find_warnings(), []);
    for tool in ["task-create", "task-list", "task-update", "task-complete", "task-add-note", "task-view"] {
        assert_eq!(call(tool, "{}").verdict(&policy), Verdict::Allow, "{tool}");
    }
    let reads = call("github-get", "{}").annotated("{\"readOnlyHint\":true}");
    assert_eq!(reads.verdict(&policy), Verdict::Ask, "no tool is trusted by default");
    let trusting = Policy::SHIPPED.replace("tools = []", "tools = [\"github-*\"]");
    assert_eq!(reads.verdict(&self::policy(&trusting)), Verdict::Allow);
    assert_eq!(bash("ls").verdict(&policy), Verdict::Ask);
    assert_eq!(policy.remember(), Duration::from_mins(5));
}

#[test]
fn pending_limits_are_read_with_defaults() {
    let limits = |text: &str| {
        let limits = policy(text).pending_limits();
        (limits.per_thread, limits.per_agent)
    };
    assert_eq!(limits(""), (100, 1_000));
    assert_eq!(limits("[limits]\npendingPerThread = 5\n"), (5, 1_000));
    assert_eq!(limits("[limits]\npendingPerAgent = 7\n"), (100, 7));
    for bad in ["pendingPerThread = 0", "pendingPerThread = \"5\"", "pending = 5"] {
        assert!(Policy::read(&format!("[limits]\n{bad}\n")).is_err(), "{bad}");
    }
}

#[test]
fn remember_has_bounds() {
    assert_eq!(policy("remember = \"0s\"").remember(), Duration::ZERO);
    assert_eq!(policy("remember = \"1h\"").remember(), Duration::from_hours(1));
    assert!(Policy::read("remember = \"2h\"").is_err());
}

#[test]
fn duration_is_a_whole_number_of_units() {
    assert_eq!(parse_span("90s"), Some(Duration::from_secs(90)));
    for text in ["", "s", "0s", "1.5h", "-1m", "+1m", "1w", "1 m", "5µ", "99999999999d"] {
        assert_eq!(parse_span(text), None, "{text}");
    }
}

#[test]
fn absence_has_a_lower_bound() {
    assert_eq!(policy("").withdraw_after(), Some(Duration::from_mins(10)));
    assert_eq!(policy("withdrawAfter = \"0s\"").withdraw_after(), None);
    assert_eq!(policy("withdrawAfter = \"2d\"").withdraw_after(), Some(Duration::from_hours(48)));
    assert!(Policy::read("withdrawAfter = \"59s\"").is_err());
}

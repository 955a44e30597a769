//! The terms on which people are asked.

use super::*;
use countersign_events::{DecisionChannel, OnExpiry, ProofRequirement};

const PEOPLE: &str = "levels = [\"user\", \"admin\", \"owner\"]\n\
    [approvers]\n\"user:ada\" = { level = \"admin\", groups = [\"ops\"] }\n\"user:bob\" = { groups = [\"ops\", \"web\"] }\n";

fn ask(name: &str, rest: &str) -> String {
    format!("[[rule]]\nname = \"{name}\"\ntool = \"bash\"\nverdict = \"ask\"\n{rest}\n")
}

#[test]
fn shortest_expiry_of_strictest_rules_applies() {
    let policy = policy(
        "default = \"block\"\nexpires = \"1d\"\n\
         [[rule]]\nname = \"a\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"2h\"\n\
         [[rule]]\nname = \"b\"\ntool = \"b*\"\nverdict = \"ask\"\nexpires = \"15m\"\n\
         [[rule]]\nname = \"c\"\ntool = \"other\"\nverdict = \"ask\"\n",
    );
    let expires = |tool: &str| call(tool, "{}").judge(&policy).terms.expires;
    assert_eq!(expires("bash"), Some(Duration::from_mins(15)));
    assert_eq!(expires("other"), Some(Duration::from_hours(24)));
    assert_eq!(call("unheard of", "{}").verdict(&policy), Verdict::Block);
}

#[test]
fn longer_expiry_of_another_rule_is_ignored() {
    let text = format!("expires = \"15m\"\n{}{}", ask("a", ""), ask("b", "expires = \"2h\""));
    assert_eq!(call("bash", "{}").judge(&policy(&text)).terms.expires, Some(Duration::from_mins(15)));
}

#[test]
fn terms_of_equally_strict_rules_are_merged() {
    let a = ask(
        "a",
        "level = \"admin\"\ndefaultLevel = \"admin\"\nquorum = 2\ndenials = 2\napprovers = \"@ops\"\nexpires = \"1h\"\n\
         onExpiry = \"allow\"\nremindAfter = \"10m\"\nescalateAfter = \"30m\"\nescalateTo = \"owner\"",
    );
    let b = ask(
        "b",
        "level = \"owner\"\nquorum = 1\nproof = \"passkey\"\napprovers = [\"user:ada\", \"@web\"]\nexpires = \"2h\"\nremindAfter = \"5m\"\n\
         escalateAfter = \"20m\"\nescalateTo = \"owner\"",
    );
    let expected = ApprovalTerms {
        expires: Some(Duration::from_hours(1)),
        on_expiry: OnExpiry::Deny,
        level: Some("owner".to_owned()),
        default_level: Some("owner".to_owned()),
        quorum: 2,
        denials: 1,
        approvers: vec![vec!["@ops".to_owned()], vec!["user:ada".to_owned(), "@web".to_owned()]],
        proof: Some(ProofRequirement::Passkey),
        decide_in: Vec::new(),
        advisor: None,
        remind_after: Some(Duration::from_mins(5)),
        escalate_after: Some(Duration::from_mins(20)),
        escalate_to: Some("owner".to_owned()),
    };
    for text in [[PEOPLE, &a, &b].concat(), [PEOPLE, &b, &a].concat()] {
        assert_eq!(call("bash", "{}").judge(&policy(&text)).terms, expected);
    }
    let alone = call("bash", "{}").judge(&policy(&[PEOPLE, &a].concat())).terms;
    assert_eq!((alone.on_expiry, alone.denials), (OnExpiry::Allow, 2));
}

#[test]
fn chat_decides_where_each_asking_rule_says_so() {
    let decide_in = |rules: &[String]| {
        let text = [PEOPLE, &rules.concat()].concat();
        call("bash", "{}").judge(&policy(&text)).terms.decide_in
    };
    let chat = |name| ask(name, "decideIn = [\"chat\"]");
    assert_eq!(decide_in(&[chat("a")]), [DecisionChannel::Chat]);
    assert_eq!(decide_in(&[chat("a"), chat("b")]), [DecisionChannel::Chat]);
    assert_eq!(decide_in(&[chat("a"), ask("b", "quorum = 2")]), []);
    assert_eq!(decide_in(&[ask("a", "quorum = 2"), chat("b")]), []);
    assert_eq!(decide_in(&[]), [], "the default asks, and names no surface");
}

#[test]
fn uncertain_block_denies_on_expiry() {
    let text = format!(
        "{}{}",
        ask("a", "expires = \"1h\"\nonExpiry = \"allow\""),
        "[[rule]]\nname = \"b\"\ntool = \"bash\"\ncommand = \"rm *\"\nverdict = \"block\"\n"
    );
    let policy = policy(&text);
    assert_eq!(bash("ls").judge(&policy).terms.on_expiry, OnExpiry::Allow);
    assert_eq!(bash("$x").judge(&policy).terms.on_expiry, OnExpiry::Deny);
}

#[test]
fn approvers_have_levels_and_groups() {
    let policy = policy(PEOPLE);
    let approvers = policy.approvers();
    assert_eq!(approvers.levels(), ["user", "admin", "owner"]);
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(Principal::user);
    assert_eq!([&ada, &bob, &eve].map(|who| approvers.level_of(who)), ["admin", "user", "user"]);
    assert_eq!(approvers.rank("owner"), Some(2));
    assert_eq!(approvers.rank("king"), None);
    assert!(approvers.is_in(&ada, "@ops") && approvers.is_in(&ada, "user:ada"));
    assert!(!approvers.is_in(&ada, "@web") && !approvers.is_in(&eve, "user:ada"));
    assert_eq!(Policy::ask_always().approvers().levels(), ["user", "admin", "super_admin"]);
}

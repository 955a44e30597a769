//! Delegations: who hands over to whom, and what a decision in another person's place takes.

use super::{
    laws::{PEOPLE, bodies, play, steps},
    *,
};
use crate::{
    Thread,
    access::TokenDirectory,
    admissibility::AdmissibilityCheck,
    decide::{DecisionContext, may_answer},
    registry::MAX_DELEGATIONS,
};
use countersign_events::{DelegationEnded, DelegationSet, Role, Source, TokenCreated, TokenRevoked};
use proptest::prelude::*;
use std::collections::HashSet;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }
"user:ben" = { level = "admin" }
"user:cyd" = { level = "user" }
"user:dan" = { level = "super_admin", groups = ["ops"] }

[[rule]]
name = "ops deploy"
tool = "deploy"
verdict = "ask"
level = "admin"
approvers = ["@ops"]

[[rule]]
name = "two pay"
tool = "pay"
verdict = "ask"
quorum = 2
denials = 2

[[rule]]
name = "ada wipes"
tool = "wipe"
verdict = "ask"
approvers = ["user:ada"]
"#;

/// A moment that a history of a minute reaches.
pub(super) fn any_delegation_fact() -> impl Strategy<Value = Body> {
    let to = prop::sample::select(PEOPLE.to_vec()).prop_map(Principal::user);
    let until = (1_000..1_060_i64).prop_map(|seconds| Timestamp::from_millis(seconds * 1_000));
    prop_oneof![
        4 => (to, until).prop_map(|(to, until)| Body::DelegationSet(DelegationSet { to, until, comment: None })),
        1 => (1..30_i64).prop_map(|delegation| Body::DelegationEnded(DelegationEnded { delegation, comment: None })),
    ]
}

pub(super) fn any_delegator() -> impl Strategy<Value = Option<Principal>> {
    prop::option::weighted(0.3, prop::sample::select(PEOPLE.to_vec()).prop_map(Principal::user))
}

fn in_place_of(person: &str, decision: Decision) -> RespondCommand {
    RespondCommand { on_behalf_of: Some(Principal::user(person)), ..RespondCommand::plain(decision) }
}

impl DecisionStory {
    fn hands_over(&mut self, from: &str, to: Principal, seconds: u64) -> Result<Vec<String>, Refused> {
        let until = self.now.after(Duration::from_secs(seconds));
        let set = DelegationSet { to, until, comment: Some("on leave".to_owned()) };
        self.person(from).execute(CommandTarget::Log, record(Body::DelegationSet(set)))
    }

    fn ends_delegation(&mut self, by: &str, delegation: i64) -> Result<Vec<String>, Refused> {
        let ended = DelegationEnded { delegation, comment: None };
        self.person(by).execute(CommandTarget::Log, record(Body::DelegationEnded(ended)))
    }

    fn decides_for(
        &mut self,
        (by, person): (&str, &str),
        id: &str,
        decision: Decision,
    ) -> Result<Vec<String>, Refused> {
        self.person(by).call_command(id, CallCommand::Respond(in_place_of(person, decision)))
    }

    /// Whether the person is told of this call.
    fn concerns(&self, name: &str, id: &str) -> bool {
        let mut tokens = TokenDirectory::default();
        self.log.iter().zip(bodies(self)).for_each(|(event, body)| tokens.evolve(event, &body));
        let (thread, evidence, caller) =
            (Thread::default(), CommandEvidence::NotNeeded, Principal::user(name).into());
        let thread_id = thread_id();
        let context = DecisionContext {
            delegations: Some(&tokens),
            ..DecisionContext::new(&thread_id, &thread, &caller, &self.policy, &evidence, self.now)
        };
        may_answer(self.batch.call(&thread_id, &call_id(id)).expect("proposed"), &context)
    }

    /// The rows that `verify` names, with the reasons.
    fn named_rows(&self) -> Vec<String> {
        let mut check = AdmissibilityCheck::default();
        let mut found: Vec<_> = self.log.iter().flat_map(|event| check.check(event.clone())).collect();
        found.extend(check.finish());
        found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect()
    }
}

#[test]
fn person_hands_over_for_a_time() {
    let mut story = given("");
    let ben = Principal::user("ben");
    assert_eq!(story.hands_over("ada", ben.clone(), 60).expect("set"), ["DELEGATION_SET by user:ada"]);
    assert_eq!(story.hands_over("ada", ben.clone(), 60).expect("known"), Vec::<String>::new());
    for (to, seconds, field) in [
        (Principal::agent("bot"), 60, "to"),
        (Principal::user("ada"), 60, "to"),
        (ben.clone(), 0, "until"),
        (ben.clone(), 90 * 86_400 + 1, "until"),
    ] {
        let refused = story.hands_over("ada", to, seconds).expect_err("refused");
        assert!(matches!(refused, Refused::Invalid { field: found, .. } if found == field), "{refused}");
    }
    assert_eq!(code(story.hands_over("cyd", Principal::user("ADA"), 60)), "name_taken");
    story.set_by(Principal::agent("bot"));
    let set = DelegationSet { to: ben, until: story.now.after(Duration::from_mins(1)), comment: None };
    assert_eq!(code(story.execute(CommandTarget::Log, record(Body::DelegationSet(set)))), "not_an_approver");
    for other in 1..MAX_DELEGATIONS {
        story.hands_over("ada", Principal::user(&format!("p{other}")), 60).expect("set");
    }
    assert_eq!(code(story.hands_over("ada", Principal::user("one-more"), 60)), "invalid");
    story.later(60).hands_over("ada", Principal::user("one-more"), 60).expect("those have ended");
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn either_of_the_two_ends_a_delegation() {
    let mut story = given("");
    for _ in 0..2 {
        story.hands_over("ada", Principal::user("ben"), 60).expect("set");
        story.later(1);
    }
    assert_eq!(code(story.ends_delegation("cyd", 1)), "not_eligible");
    assert_eq!(story.ends_delegation("ada", 1).expect("ended"), ["DELEGATION_ENDED by user:ada"]);
    assert_eq!(code(story.ends_delegation("ada", 1)), "unknown_delegation");
    assert_eq!(story.ends_delegation("ben", 2).expect("ended"), ["DELEGATION_ENDED by user:ben"]);
    story.proposes("a", "bash").expect("asked");
    assert_eq!(code(story.decides_for(("ben", "ada"), "a", Decision::AllowOnce)), "not_delegated");
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn delegate_decides_what_the_other_person_could() {
    let mut story = given(POLICY);
    story.puts_in_force(POLICY);
    story.proposes("a", "deploy").expect("asked");
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    assert_eq!(code(story.decides("ben", "a", Decision::AllowOnce)), "not_eligible", "not as themselves");
    story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect("allowed");
    let response =
        story.batch.call(&thread_id(), &call_id("a")).expect("proposed").response().expect("decided");
    assert_eq!(
        (response.by.as_str(), response.what.on_behalf_of.clone()),
        ("user:ben", Some(Principal::user("ada")))
    );
    assert_eq!(
        story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect("a retry"),
        Vec::<String>::new()
    );
    let refused = story.decides("dan", "a", Decision::Deny).expect_err("decided");
    insta::assert_snapshot!(refused, @"decided already: allow_once by user:ben on behalf of user:ada at 1970-01-01T00:16:40.000Z");
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn decision_in_another_place_needs_an_active_delegation() {
    let mut story = given("");
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    story.hands_over("ben", Principal::user("cyd"), 3_600).expect("set");
    story.proposes("a", "bash").expect("asked");
    for (by, person, refused) in
        [("cyd", "ada", "not_delegated"), ("ada", "ben", "not_delegated"), ("ben", "ben", "invalid")]
    {
        assert_eq!(code(story.decides_for((by, person), "a", Decision::Deny)), refused, "{by} for {person}");
    }
    story.later(60);
    let late = story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect_err("over");
    insta::assert_snapshot!(late, @"user:ada has not handed their queue to user:ben, or not any more");
    story.decides_for(("cyd", "ben"), "a", Decision::AllowOnce).expect("allowed");
}

#[test]
fn levels_of_both_people_must_suffice() {
    for (from, to, why) in [("dan", "cyd", "the delegate's level"), ("cyd", "dan", "the delegator's list")] {
        let mut story = given(POLICY);
        story.proposes("a", "deploy").expect("asked");
        story.hands_over(from, Principal::user(to), 60).expect("set");
        assert_eq!(code(story.decides_for((to, from), "a", Decision::AllowOnce)), "not_eligible", "{why}");
    }
    let mut story = given(POLICY);
    story.proposes("a", "deploy").expect("asked");
    story.hands_over("dan", Principal::user("ben"), 60).expect("set");
    let high =
        RespondCommand { level: Some("super_admin".to_owned()), ..in_place_of("dan", Decision::AllowOnce) };
    let refused = story.person("ben").call_command("a", CallCommand::Respond(high)).expect_err("too high");
    insta::assert_snapshot!(refused, @"user:ben cannot decide this: it takes level super_admin, and theirs is admin");
    story.decides_for(("ben", "dan"), "a", Decision::AllowOnce).expect("allowed at their own level");
}

#[test]
fn neither_person_decides_on_their_own_call() {
    let mut story = given("");
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    for (id, by) in [("a", "ada"), ("b", "ben")] {
        let propose = CallCommand::Propose(propose(id, "bash", "{\"n\":1}"));
        story.person(by).call_command(id, propose).expect("asked");
        for decision in [Decision::AllowOnce, Decision::Deny] {
            assert_eq!(code(story.decides_for(("ben", "ada"), id, decision)), "self_approval", "{id}");
        }
    }
}

#[test]
fn vote_uses_up_both_people() {
    let mut story = given(POLICY);
    story.puts_in_force(POLICY);
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    story.proposes("a", "pay").expect("asked");
    story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect("voted");
    assert_eq!(
        story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect("a retry"),
        Vec::<String>::new()
    );
    assert_eq!(code(story.decides("ben", "a", Decision::AllowOnce)), "already_voted");
    let refused = story.decides("ada", "a", Decision::AllowOnce).expect_err("voted");
    insta::assert_snapshot!(refused, @"voted already: allow_once by user:ben on behalf of user:ada at 1970-01-01T00:16:40.000Z");
    assert_eq!(story.state("a"), CallState::Pending);
    story.decides("cyd", "a", Decision::AllowOnce).expect("the second person");
    assert_eq!(story.state("a"), CallState::Allowed);
    story.proposes("b", "pay").expect("asked");
    story.decides("ada", "b", Decision::Deny).expect("voted");
    assert_eq!(code(story.decides_for(("ben", "ada"), "b", Decision::Deny)), "already_voted");
    story.hands_over("cyd", Principal::user("ben"), 60).expect("set");
    story.decides_for(("ben", "cyd"), "b", Decision::Deny).expect("denied");
    insta::assert_snapshot!(story.told("b"), @r#""Denied by user:ada: too risky; and by user:ben on behalf of user:cyd, without a comment (do not retry this call unchanged)""#);
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn grant_in_another_place_answers_neither_person() {
    let mut story = given(POLICY);
    story.puts_in_force(POLICY);
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    story.proposes("a", "wipe").expect("asked");
    let grant = RespondCommand {
        agents: Some(countersign_events::GrantAgents::Any),
        on_behalf_of: Some(Principal::user("ada")),
        ..RespondCommand::for_session(GrantScope::Tool)
    };
    story.person("ben").call_command("a", CallCommand::Respond(grant)).expect("granted");
    for (id, by, state) in
        [("b", "ada", CallState::Pending), ("c", "ben", CallState::Pending), ("d", "eve", CallState::Allowed)]
    {
        let command = CallCommand::Propose(propose(id, "wipe", "{\"n\":1}"));
        story.person(by).call_command(id, command).expect("proposed");
        assert_eq!(story.state(id), state, "{by}");
    }
    // Its list is Ada's: it answers what she could, and not what Ben could.
    let of_ben = POLICY.replace("approvers = [\"user:ada\"]", "approvers = [\"user:ben\"]");
    story.puts_in_force(&of_ben);
    story.proposes("e", "wipe").expect("asked");
    assert_eq!(story.state("e"), CallState::Pending);
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn delegate_is_told_of_waiting_calls() {
    let mut story = given(POLICY);
    story.proposes("a", "wipe").expect("asked");
    assert!(story.concerns("ada", "a") && !story.concerns("ben", "a"));
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    assert!(story.concerns("ben", "a") && !story.concerns("cyd", "a"));
    story.proposes("b", "pay").expect("asked");
    story.decides_for(("ben", "ada"), "b", Decision::AllowOnce).expect("voted");
    assert!(!story.concerns("ben", "b") && !story.concerns("ada", "b") && story.concerns("cyd", "b"));
    story.later(60);
    assert!(!story.concerns("ben", "a"), "it has ended");
}

#[test]
fn delegator_without_tokens_any_more_gives_nothing() {
    let mut story = given("");
    let mut token = |id: &str, members: serde_json::Value| {
        let mut token = serde_json::json!({"id": id, "kind": "token", "name": "ada", "role": "approver", "hash": Sha256::digest(id.as_bytes())});
        token.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        let created: TokenCreated = serde_json::from_value(token).expect("a token");
        assert_eq!(created.role, Role::Approver);
        story
            .person("root")
            .execute(CommandTarget::Log, record(Body::TokenCreated(created)))
            .expect("created");
    };
    token("k1", serde_json::json!({"threads": ["other"]}));
    token("k2", serde_json::json!({}));
    story.hands_over("ada", Principal::user("ben"), 60).expect("set");
    for id in ["a", "b"] {
        story.proposes(id, "bash").expect("asked");
    }
    story.decides_for(("ben", "ada"), "a", Decision::AllowOnce).expect("allowed");
    let revoked = TokenRevoked { id: "k2".to_owned(), reason: None };
    story.person("root").execute(CommandTarget::Log, record(Body::TokenRevoked(revoked))).expect("revoked");
    assert_eq!(code(story.decides_for(("ben", "ada"), "b", Decision::AllowOnce)), "not_delegated");
    assert_eq!(story.named_rows(), Vec::<String>::new());
}

#[test]
fn verify_names_a_forged_delegate() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    story.decides("ben", "a", Decision::AllowOnce).expect("allowed");
    let forged = story.log.last_mut().expect("the response");
    let data = forged.data.as_str().replacen('{', "{\"onBehalfOf\":\"user:ada\",", 1);
    forged.data = Json::parse(&data).expect("valid");
    let named = story.named_rows();
    insta::assert_snapshot!(named.join("\n"), @"3: user:ada has not handed their queue to user:ben, or not any more");
}

proptest! {
    #[test]
    fn decision_in_another_place_follows_a_delegation(steps in steps()) {
        let story = play(&steps);
        let mut delegated = HashSet::new();
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            let for_person = match &body {
                Body::DelegationSet(set) => {
                    delegated.insert((event.principal.clone(), set.to.clone()));
                    continue;
                }
                Body::ApprovalVote(vote) => &vote.on_behalf_of,
                Body::ApprovalResponse(response) if response.source == Source::Approver => &response.on_behalf_of,
                _ => continue,
            };
            if let Some(person) = for_person {
                prop_assert!(delegated.contains(&(person.clone(), event.principal.clone())));
            }
        }
    }
}

//! Limits of grants: a time, a number of calls, and new limits.

use super::{
    laws::{bodies, play, steps},
    *,
};
use crate::admissibility::AdmissibilityCheck;
use countersign_events::{GrantAgents, GrantLimits, Source};
use proptest::prelude::*;
use std::collections::HashMap;

const ONE: &str = "{\"n\":1}";

fn session(seconds: Option<u32>, uses: Option<u32>) -> RespondCommand {
    let limits = GrantLimits { seconds, uses };
    RespondCommand { limits, ..RespondCommand::for_session(GrantScope::Tool) }
}

impl DecisionStory {
    /// A grant by `ada` for the whole tool `bash`, on the call `first`. Returns its `seq`.
    fn grants(&mut self, respond: RespondCommand) -> i64 {
        self.proposes("first", "bash").expect("asked");
        self.person("ada").call_command("first", CallCommand::Respond(respond)).expect("granted");
        let call = self.batch.call(&thread_id(), &call_id("first")).expect("proposed");
        call.response().expect("decided").seq
    }

    fn prolongs(&mut self, name: &str, grant: i64, limits: GrantLimits) -> Result<Vec<String>, Refused> {
        self.person(name).thread_command(ThreadCommand::Prolong(grant, limits))
    }

    fn ends(&mut self, grant: i64) -> Vec<String> {
        self.agent().thread_command(ThreadCommand::EndGrant(grant)).expect("accepted")
    }

    fn proposed_state(&mut self, id: &str) -> CallState {
        self.proposes(id, "bash").expect("proposed");
        self.state(id)
    }

    fn check_rows(&self) {
        let mut check = AdmissibilityCheck::default();
        let mut found: Vec<_> = self.log.iter().flat_map(|event| check.check(event.clone())).collect();
        found.extend(check.finish());
        let found: Vec<_> = found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect();
        assert_eq!(found, Vec::<String>::new(), "every row is one that the rules write");
    }
}

#[test]
fn grant_ends_at_its_time() {
    let mut story = given("");
    let grant = story.grants(session(Some(60), None));
    story.later(59);
    assert_eq!(story.proposed_state("a"), CallState::Allowed);
    assert_eq!(story.ends(grant), Vec::<String>::new(), "not yet");
    story.later(1);
    assert_eq!(story.proposed_state("b"), CallState::Pending, "its end is not in the log, and counts");
    assert_eq!(story.ends(grant), ["GRANT_ENDED by system:expiry"]);
    assert_eq!(story.ends(grant), Vec::<String>::new(), "once");
    story.claims("a", "w", ONE).expect("what it allowed before may still start");
    story.check_rows();
}

#[test]
fn grant_ends_with_its_last_use() {
    let mut story = given("");
    story.grants(session(None, Some(2)));
    let first = story.proposes("a", "bash").expect("allowed");
    let second = story.proposes("b", "bash").expect("allowed");
    let by = "by policy:grant";
    assert_eq!(first[1..], [format!("TOOL_APPROVAL_RESPONSE {by}"), format!("GRANT_USED {by}")]);
    assert_eq!(second[2..], [format!("GRANT_USED {by}"), "GRANT_ENDED by system:expiry".to_owned()]);
    assert_eq!(story.proposed_state("c"), CallState::Pending);
    for id in ["a", "b"] {
        story.claims(id, "w", ONE).expect("the last use runs, too");
    }
    story.check_rows();
}

#[test]
fn waiting_calls_use_up_a_grant() {
    let mut story = given("");
    for id in ["first", "a", "b", "c"] {
        story.proposes(id, "bash").expect("asked");
    }
    let respond = RespondCommand { and_waiting: true, ..session(None, Some(2)) };
    story.person("ada").call_command("first", CallCommand::Respond(respond)).expect("granted");
    let states = ["a", "b", "c"].map(|id| story.state(id));
    assert_eq!(states, [CallState::Allowed, CallState::Allowed, CallState::Pending]);
    assert_eq!(story.proposed_state("d"), CallState::Pending);
    story.check_rows();
}

#[test]
fn denial_has_limits_too() {
    let mut story = given("");
    let deny = |seconds, uses| RespondCommand { decision: Decision::Deny, ..session(seconds, uses) };
    let denial = story.grants(deny(Some(60), Some(1)));
    assert_eq!(story.proposed_state("a"), CallState::Denied);
    assert_eq!(story.proposed_state("b"), CallState::Pending);
    let refused = story.prolongs("ada", denial, GrantLimits::default());
    assert_eq!(code(refused), "grant_ended");
}

#[test]
fn limits_need_a_scope_and_are_in_range() {
    for (respond, field) in [
        (
            RespondCommand {
                limits: GrantLimits { seconds: Some(5), uses: None },
                ..RespondCommand::plain(Decision::AllowOnce)
            },
            "expiresInSeconds",
        ),
        (
            RespondCommand {
                limits: GrantLimits { seconds: None, uses: Some(1) },
                ..RespondCommand::plain(Decision::Deny)
            },
            "uses",
        ),
        (session(Some(0), None), "expiresInSeconds"),
        (session(Some(2_592_001), None), "expiresInSeconds"),
        (session(None, Some(0)), "uses"),
        (session(None, Some(1_001)), "uses"),
    ] {
        let mut story = given("");
        story.proposes("first", "bash").expect("asked");
        let refused = story.person("ada").call_command("first", CallCommand::Respond(respond));
        let refused = refused.expect_err("refused");
        assert!(matches!(&refused, Refused::Invalid { field: found, .. } if *found == field), "{refused}");
    }
}

#[test]
fn repeated_decision_has_the_same_limits() {
    let mut story = given("");
    story.grants(session(Some(60), Some(3)));
    story.later(5);
    let repeat = |story: &mut DecisionStory, respond| {
        story.person("ada").call_command("first", CallCommand::Respond(respond))
    };
    assert_eq!(repeat(&mut story, session(Some(60), Some(3))), Ok(Vec::new()));
    for other in [session(Some(61), Some(3)), session(Some(60), None), session(None, Some(3))] {
        assert_eq!(code(repeat(&mut story, other)), "already_decided");
    }
}

#[test]
fn person_prolongs_a_grant() {
    let mut story = given("");
    let grant = story.grants(session(Some(60), Some(1)));
    story.later(50);
    let hour = GrantLimits { seconds: Some(3_600), uses: Some(2) };
    assert_eq!(story.prolongs("ben", grant, hour).expect("prolonged"), ["GRANT_PROLONGED by user:ben"]);
    assert_eq!(story.prolongs("ben", grant, hour), Ok(Vec::new()), "a repeat changes nothing");
    story.later(60);
    assert_eq!(story.proposed_state("a"), CallState::Allowed);
    let one = GrantLimits { seconds: None, uses: Some(1) };
    insta::assert_snapshot!(story.prolongs("ben", grant, one).expect_err("refused"), @"uses: it has answered 1 calls, so give a larger number");
    assert_eq!(story.proposed_state("b"), CallState::Allowed, "the second use");
    assert_eq!(code(story.prolongs("ben", grant, hour)), "grant_ended");
    assert_eq!(code(story.prolongs("ben", 99, hour)), "unknown_grant");
    story.check_rows();
}

#[test]
fn grant_answers_nobody_who_prolonged_it() {
    let mut story = given("");
    let grant = story.grants(RespondCommand { agents: Some(GrantAgents::Any), ..session(Some(60), None) });
    story.prolongs("ben", grant, GrantLimits { seconds: Some(3_600), uses: None }).expect("prolonged");
    for (name, state) in [("ben", CallState::Pending), ("cyd", CallState::Allowed)] {
        let call = CallCommand::Propose(propose(name, "bash", ONE));
        story.person(name).call_command(name, call).expect("proposed");
        assert_eq!(story.state(name), state, "{name}");
    }
    story.check_rows();
}

#[test]
fn only_who_may_give_a_grant_prolongs_it() {
    let levels = "[[rule]]\nname = \"high\"\ntool = \"bash\"\nverdict = \"ask\"\nlevel = \"admin\"\napprovers = [\"@ops\"]\n\
        [approvers]\n\"user:ada\" = { level = \"admin\", groups = [\"ops\"] }\n\"user:ann\" = { level = \"admin\" }\n\
        \"user:ben\" = { level = \"user\", groups = [\"ops\"] }\n";
    let mut story = given(levels);
    let grant = story.grants(session(Some(60), None));
    let hour = GrantLimits { seconds: Some(3_600), uses: None };
    assert_eq!(code(story.prolongs("ann", grant, hour)), "not_eligible", "not in the group");
    assert_eq!(code(story.prolongs("ben", grant, hour)), "not_eligible", "not at the level");
    let by_agent = story.agent().thread_command(ThreadCommand::Prolong(grant, hour));
    assert_eq!(code(by_agent), "not_an_approver");
    story.prolongs("ada", grant, hour).expect("prolonged");
    story.person("ben").thread_command(ThreadCommand::Revoke(grant)).expect("anybody may revoke it");
    assert_eq!(code(story.prolongs("ada", grant, hour)), "grant_ended");
}

#[test]
fn grant_of_several_is_not_prolonged_by_one() {
    let mut story = given("[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\n");
    story.proposes("first", "bash").expect("asked");
    let vote = |story: &mut DecisionStory, name, respond| {
        story.person(name).call_command("first", CallCommand::Respond(respond)).expect("voted")
    };
    vote(&mut story, "ada", RespondCommand { agents: Some(GrantAgents::Any), ..session(Some(600), None) });
    vote(&mut story, "ben", session(Some(60), Some(5)));
    let call = story.batch.call(&thread_id(), &call_id("first")).expect("proposed");
    let response = call.response().expect("decided").clone();
    let end = story.now.after(Duration::from_mins(1));
    assert_eq!((response.what.expires_at, response.what.uses), (Some(end), Some(5)), "the tightest of both");
    let refused = story.prolongs("ada", response.seq, GrantLimits::default());
    assert_eq!(code(refused), "not_eligible");
    story.check_rows();
}

#[test]
fn revoked_or_closed_grant_has_no_other_end() {
    let mut story = given("");
    let grant = story.grants(session(Some(60), None));
    story.person("ada").call_command("first", CallCommand::TakeBack { comment: None }).expect("taken back");
    story.later(100);
    assert_eq!(story.ends(grant), Vec::<String>::new());
    let mut story = given("");
    let grant = story.grants(session(Some(60), None));
    story.person("ada").thread_command(ThreadCommand::Close).expect("closed");
    story.later(100);
    assert_eq!(story.ends(grant), Vec::<String>::new());
}

proptest! {
    #[test]
    fn grant_answers_within_its_limits(steps in steps()) {
        let story = play(&steps);
        let (mut limits, mut used, mut over) = (HashMap::new(), HashMap::<i64, u32>::new(), Vec::new());
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            match body {
                Body::ApprovalResponse(response) if response.source == Source::Approver => {
                    limits.insert(event.seq, (response.expires_at, response.uses));
                }
                Body::ApprovalResponse(response) if response.source == Source::Grant && !response.is_moved() => {
                    let grant = response.grant.expect("it names the grant");
                    prop_assert!(!over.contains(&grant), "the grant {grant} had ended");
                    let (end, uses) = limits[&grant];
                    prop_assert!(end.is_none_or(|end| end > event.timestamp));
                    if let Some(uses) = uses {
                        let used = used.entry(grant).or_default();
                        *used += 1;
                        prop_assert!(*used <= uses);
                    }
                }
                Body::GrantProlonged(prolonged) => {
                    limits.insert(prolonged.grant, (prolonged.expires_at, prolonged.uses));
                }
                Body::GrantEnded(ended) => over.push(ended.grant),
                Body::GrantRevoked(revoked) => over.push(revoked.grant),
                _ => {}
            }
        }
    }
}

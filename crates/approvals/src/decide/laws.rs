//! Laws that hold of every history, drawn at random.

use super::story::{Story, call_id, finish, given, hash, propose};
use super::{Claim, Command, Respond, ThreadCommand};
use crate::{
    Body, EventType, Ledger, Principal, Sha256, ThreadId, ToolName, Wish,
    chain::Verifier,
    event::{Decision, Mode, Source, Status, ToolPolicy},
};
use proptest::prelude::*;
use std::{collections::HashMap, time::Duration};

const POLICY: &str = "[[rule]]\nname = \"free\"\ntool = \"free\"\nverdict = \"allow\"\n\
    [[rule]]\nname = \"never\"\ntool = \"never\"\nverdict = \"block\"\n\
    [[rule]]\nname = \"soon\"\ntool = \"soon\"\nverdict = \"ask\"\nexpires = \"5s\"\n";
const ARGUMENTS: [&str; 2] = ["{\"n\":1}", "{\"n\":2}"];

fn any_wish() -> impl Strategy<Value = Wish> {
    let id = prop::sample::select(vec!["a", "b", "c"]);
    let command = prop_oneof![
        3 => (prop::sample::select(vec!["free", "never", "soon", "bash"]), 0..2_usize)
            .prop_map(|(tool, n)| Command::Propose(propose("x", tool, ARGUMENTS[n]))),
        3 => prop::sample::select(vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny])
            .prop_map(|decision| Command::Respond(Respond { decision, comment: None })),
        3 => (0..2_usize).prop_map(|n| Command::Claim(Claim {
            executor: "w".into(),
            arguments_hash: hash(ARGUMENTS[n]),
            lease: Some(Duration::from_secs(3)),
        })),
        2 => prop::sample::select(vec![Status::Success, Status::Error, Status::Denied])
            .prop_map(|status| finish(status, "x")),
        1 => Just(Command::Cancel { reason: None }),
        1 => Just(Command::Expire),
    ];
    prop_oneof![
        30 => (id, command).prop_map(|(id, mut command)| {
            if let Command::Propose(propose) = &mut command {
                propose.id = call_id(id);
            }
            Wish::Call(call_id(id), command)
        }),
        2 => (1..12_i64).prop_map(|grant| Wish::Thread(ThreadCommand::Revoke(grant))),
        1 => Just(Wish::Thread(ThreadCommand::Close)),
        2 => prop::sample::select(Mode::ALL).prop_map(|mode| Wish::Thread(ThreadCommand::SetMode(mode))),
        2 => (prop::sample::select(vec!["free", "never", "bash"]), prop::sample::select(ToolPolicy::ALL))
            .prop_map(|(tool, policy)| Wish::Thread(ThreadCommand::SetPolicies(vec![(tool_name(tool), policy)]))),
    ]
}

fn tool_name(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

/// Plays the wishes and gives back the story they make.
fn play(wishes: &[(Wish, u64)]) -> Story {
    let mut story = given(POLICY);
    for (wish, seconds) in wishes {
        story.by_whoever_may(wish);
        let _ = story.wishes(wish.clone());
        story.now = story.now.after(Duration::from_secs(*seconds));
    }
    story
}

impl Story {
    fn by_whoever_may(&mut self, wish: &Wish) {
        let decides = matches!(
            wish,
            Wish::Call(_, Command::Respond(_))
                | Wish::Thread(ThreadCommand::SetMode(_) | ThreadCommand::SetPolicies(_))
        );
        self.set_by(if decides { Principal::user("ada") } else { Principal::agent("bot") });
    }
}

fn bodies(story: &Story) -> Vec<Body> {
    let read = |e: &crate::Event| Body::read(e.seq, e.kind, &e.data).expect("readable");
    story.log.iter().map(read).collect()
}

proptest! {
    #[test]
    fn nothing_runs_that_was_not_allowed_for_just_those_arguments(
        wishes in prop::collection::vec((any_wish(), 0..3_u64), 0..40)
    ) {
        let mut allowed = HashMap::new();
        for body in bodies(&play(&wishes)) {
            match body {
                Body::ApprovalResponse(response) if response.decision.allows() => {
                    allowed.insert(response.tool_call_id, response.arguments_hash);
                }
                Body::ExecutionStarted(claim) => {
                    prop_assert_eq!(allowed.remove(&claim.tool_call_id), Some(claim.arguments_hash));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn there_is_at_most_one_of_each(wishes in prop::collection::vec((any_wish(), 0..3_u64), 0..40)) {
        let mut seen = HashMap::new();
        let story = play(&wishes);
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            let key = match body {
                Body::ToolCall(call) => call.id,
                Body::ApprovalRequest(request) => request.tool_call_id,
                Body::ApprovalResponse(response) => response.tool_call_id,
                Body::ExecutionStarted(claim) => claim.tool_call_id,
                Body::ToolResult(result) => result.tool_call_id,
                _ => call_id("the thread"),
            };
            if !matches!(event.kind, EventType::GrantRevoked | EventType::ThreadModeSet | EventType::ToolPolicySet) {
                prop_assert_eq!(seen.insert((key, event.kind), event.seq), None);
            }
        }
    }

    #[test]
    fn no_grant_no_setting_and_no_approver_lifts_a_block(wishes in prop::collection::vec((any_wish(), 0..3_u64), 0..40)) {
        let mut never = Vec::new();
        for body in bodies(&play(&wishes)) {
            match body {
                Body::ToolCall(call) if call.name.as_str() == "never" => never.push(call.id),
                Body::ApprovalResponse(response) if never.contains(&response.tool_call_id) => {
                    prop_assert_eq!((response.decision, response.source), (Decision::Deny, Source::Policy));
                }
                Body::ExecutionStarted(claim) => prop_assert!(!never.contains(&claim.tool_call_id)),
                _ => {}
            }
        }
    }

    #[test]
    fn replay_is_the_live_state_and_repeating_changes_nothing(
        wishes in prop::collection::vec((any_wish(), 0..3_u64), 0..40)
    ) {
        let mut story = play(&wishes);
        let thread_id = ThreadId::new("t").expect("valid");
        let mut replayed = Ledger::new(0, Sha256::ZERO);
        replayed.load(&crate::ledger::Needs::default(), &story.log).expect("nothing is damaged");
        let mut verifier = Verifier::default();
        for event in &story.log {
            verifier.check(event).expect("the chain holds");
        }
        for id in ["a", "b", "c"] {
            prop_assert_eq!(replayed.call(&thread_id, &call_id(id)), story.ledger.call(&thread_id, &call_id(id)));
        }
        let empty = crate::Thread::default();
        prop_assert_eq!(
            replayed.thread(&thread_id).unwrap_or(&empty),
            story.ledger.thread(&thread_id).unwrap_or(&empty)
        );
        if let Some((last, _)) = wishes.last() {
            let _ = story.wishes(last.clone());
            let length = story.log.len();
            let _ = story.wishes(last.clone());
            prop_assert_eq!(story.log.len(), length);
        }
    }
}

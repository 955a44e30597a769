//! Properties of every history, tested with random histories.

use super::advisor_laws::{any_advice, any_advisor_fact};
use super::delegations::{any_delegation_fact, any_delegator};
use super::*;
use crate::{
    ApprovalCommand, BatchState, CommandTarget, GrantScope, ReadSet,
    admissibility::AdmissibilityCheck,
    decide::{AdviceCommand, RenewCommand},
    pinned_tools::{seen_definition, tool_of},
};
use countersign_events::{
    Body, Decision, DefinitionAccepted, EventGroup, GrantAgents, GrantLimits, Json, Mode, Principal, Sha256,
    Source, Status, ToolDefinition, ToolName, ToolPolicy, chain::ChainVerifier,
};
use countersign_redaction::Redactor;
use proptest::prelude::*;
use std::{collections::HashMap, time::Duration};

pub(super) const POLICY: &str = "[[rule]]\nname = \"free\"\ntool = \"free\"\nverdict = \"allow\"\n\
    [[rule]]\nname = \"never\"\ntool = \"never\"\nverdict = \"block\"\n\
    [[rule]]\nname = \"never so\"\nargs = { \"/n\" = 3 }\nverdict = \"block\"\n\
    [[rule]]\nname = \"soon\"\ntool = \"soon\"\nverdict = \"ask\"\nexpires = \"5s\"\nremindAfter = \"1s\"\n\
    [[rule]]\nname = \"two\"\ntool = \"two\"\nverdict = \"ask\"\nquorum = 2\nlevel = \"admin\"\n\
    [approvers]\n\"user:ada\" = { level = \"admin\" }\n\"user:bob\" = { level = \"admin\" }\n\
    [[advisor]]\nname = \"judge\"\nurl = \"https://judge.example\"\nmode = \"decide\"\noutcomes = [\"deny\", \"allow\"]\nminCases = 1\n\
    [[rule]]\nname = \"advised\"\ntool = \"advised\"\nverdict = \"advised\"\nadvisor = \"judge\"\n\
    [tools.\"again\"]\nidempotent = true\n";
const ARGUMENTS: [&str; 3] = ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"];
const TOOLS: [&str; 8] = ["free", "never", "soon", "bash", "two", "again", "advised", "advised"];
pub(super) const PEOPLE: [&str; 3] = ["ada", "bob", "cyd"];

fn any_answer() -> impl Strategy<Value = RespondCommand> {
    let decision = prop::sample::select(vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny]);
    let agents = prop::option::weighted(0.3, prop::sample::select(GrantAgents::ALL.to_vec()));
    let scope = prop::option::weighted(0.6, prop::sample::select(vec![GrantScope::Exact, GrantScope::Tool]));
    let arguments = prop::option::weighted(0.2, 0..ARGUMENTS.len());
    let and_waiting = prop::bool::weighted(0.5);
    (decision, scope, agents, arguments, and_waiting, any_limits(), any_delegator()).prop_map(
        |(decision, scope, agents, arguments, and_waiting, limits, on_behalf_of)| {
            let read =
                |n: usize| HashedArguments::new(Json::parse(ARGUMENTS[n]).expect("valid")).expect("admitted");
            let agents = agents.filter(|_| decision == Decision::AllowSession);
            let and_waiting = and_waiting && scope.is_some();
            let arguments = arguments.map(read);
            let limits = if scope.is_some() { limits } else { GrantLimits::default() };
            RespondCommand {
                arguments,
                scope,
                agents,
                limits,
                on_behalf_of,
                and_waiting,
                ..RespondCommand::plain(decision)
            }
        },
    )
}

/// Limits that a history of a minute reaches.
pub(super) fn any_limits() -> impl Strategy<Value = GrantLimits> {
    (prop::option::weighted(0.4, 1..20_u32), prop::option::weighted(0.4, 1..3_u32))
        .prop_map(|(seconds, uses)| GrantLimits { seconds, uses })
}

fn any_definition() -> impl Strategy<Value = Option<ToolDefinition>> {
    let text = prop::sample::select(vec!["Runs it", "Runs it. --password hunter2", "Runs all"]);
    prop::option::weighted(0.7, (text, prop::option::weighted(0.2, any::<bool>()))).prop_map(|definition| {
        definition.map(|(text, needs_approval)| ToolDefinition {
            description: Some(text.to_owned()),
            input_schema: None,
            needs_approval,
        })
    })
}

fn any_definition_command() -> impl Strategy<Value = LogCommand> {
    let tool = prop::sample::select(TOOLS.to_vec()).prop_map(tool_name);
    (tool, any_definition(), any::<bool>()).prop_map(|(tool, definition, accepts)| {
        let seen = seen_definition(&tool, &definition.unwrap_or_default(), None, &Redactor::default());
        match seen {
            Some(seen) if accepts => {
                let definition_hash = seen.definition_hash;
                let accepted = DefinitionAccepted { tool, definition_hash, comment: None };
                LogCommand::Record(vec![Body::DefinitionAccepted(accepted)])
            }
            seen => LogCommand::Record(seen.into_iter().map(Body::DefinitionSeen).collect()),
        }
    })
}

fn any_command() -> impl Strategy<Value = CallCommand> {
    prop_oneof![
        4 => (prop::sample::select(TOOLS.to_vec()), 0..ARGUMENTS.len(), prop::sample::select(vec!["a", "b", "c", "x"]), any_definition())
            .prop_map(|(tool, n, replaced, definition)| CallCommand::Propose(ProposeCommand {
                definition,
                replaces: Some(call_id(replaced)).filter(|id| id.as_str() != "x"),
                ..propose("x", tool, ARGUMENTS[n])
            })),
        4 => any_answer().prop_map(CallCommand::Respond),
        4 => (0..ARGUMENTS.len()).prop_map(|n| CallCommand::Claim(ClaimCommand {
            executor: "w".into(),
            arguments_hash: hash(ARGUMENTS[n]),
            lease: Some(Duration::from_secs(3)),
            arguments: None,
            definition_hash: None,
        })),
        2 => (prop::sample::select(vec!["w", "v"]), 0..6_u64).prop_map(|(executor, lease)| CallCommand::Renew(RenewCommand {
            executor: executor.into(),
            lease: Some(Duration::from_secs(lease)).filter(|lease| !lease.is_zero()),
        })),
        2 => prop::sample::select(vec![Status::Success, Status::Error, Status::Denied])
            .prop_map(|status| finish(status, "x")),
        3 => (any_advice(), 0..ARGUMENTS.len()).prop_map(|(advice, n)| CallCommand::Advise(AdviceCommand {
            arguments_hash: hash(ARGUMENTS[n]),
            ..advice
        })),
        1 => Just(CallCommand::Flag { comment: Some("it should not have run".to_owned()) }),
        1 => Just(CallCommand::Cancel { reason: None }),
        1 => Just(CallCommand::Release { comment: None }),
        2 => Just(CallCommand::TakeBack { comment: None }),
        1 => Just(CallCommand::Due),
    ]
}

/// A target and a command that applies to it.
pub(super) type AnyCommand = (CommandTarget, ApprovalCommand);

fn to_thread(command: ThreadCommand) -> AnyCommand {
    (CommandTarget::Thread(thread_id()), command.into())
}

fn any_target_and_command() -> impl Strategy<Value = AnyCommand> {
    let id = prop::sample::select(vec!["a", "b", "c", "d"]);
    prop_oneof![
        40 => (id, any_command()).prop_map(|(id, mut command)| {
            if let CallCommand::Propose(propose) = &mut command {
                propose.id = call_id(id);
            }
            (CommandTarget::Call(thread_id(), call_id(id)), command.into())
        }),
        6 => any_definition_command().prop_map(|command| (CommandTarget::Log, ApprovalCommand::Log(command))),
        4 => any_advisor_fact().prop_map(|fact| (CommandTarget::Log, record(fact))),
        4 => any_delegation_fact().prop_map(|fact| (CommandTarget::Log, record(fact))),
        2 => (1..20_i64).prop_map(|grant| to_thread(ThreadCommand::Revoke(grant))),
        2 => (1..20_i64, any_limits()).prop_map(|(grant, limits)| to_thread(ThreadCommand::Prolong(grant, limits))),
        2 => (1..20_i64).prop_map(|grant| to_thread(ThreadCommand::EndGrant(grant))),
        1 => Just(to_thread(ThreadCommand::Close)),
        1 => Just(to_thread(ThreadCommand::Stop(StopCommand::default()))),
        1 => Just((CommandTarget::AllThreads, StopCommand::default().into())),
        2 => prop::sample::select(Mode::ALL).prop_map(|mode| to_thread(ThreadCommand::SetMode(mode))),
        2 => (prop::sample::select(vec!["free", "never", "bash"]), prop::sample::select(ToolPolicy::ALL))
            .prop_map(|(tool, policy)| to_thread(ThreadCommand::SetPolicies(vec![(tool_name(tool), policy)]))),
    ]
}

/// A command, the person who gives it if only people may, and the seconds until the next step.
pub(super) type RandomStep = (AnyCommand, usize, u64);

pub(super) fn steps() -> impl Strategy<Value = Vec<RandomStep>> {
    prop::collection::vec((any_target_and_command(), 0..PEOPLE.len(), 0..3_u64), 0..60)
}

fn tool_name(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

/// Executes the steps and returns the story that they make.
pub(super) fn play(steps: &[RandomStep]) -> DecisionStory {
    play_under(POLICY, steps)
}

/// Executes the steps under this policy.
pub(super) fn play_under(policy: &str, steps: &[RandomStep]) -> DecisionStory {
    let mut story = given(policy);
    story.puts_in_force(policy);
    for ((target, command), person, seconds) in steps {
        story.set_caller(command, PEOPLE[*person]);
        let _ = story.execute(target.clone(), command.clone());
        story.now = story.now.after(Duration::from_secs(*seconds));
    }
    story
}

impl DecisionStory {
    fn set_caller(&mut self, command: &ApprovalCommand, person: &str) {
        let decides = matches!(
            command,
            ApprovalCommand::Call(
                CallCommand::Respond(_)
                    | CallCommand::Release { .. }
                    | CallCommand::TakeBack { .. }
                    | CallCommand::Flag { .. }
            ) | ApprovalCommand::Thread(
                ThreadCommand::SetMode(_)
                    | ThreadCommand::SetPolicies(_)
                    | ThreadCommand::Stop(_)
                    | ThreadCommand::Prolong(..)
            )
        );
        let decides = decides
            || matches!(command, ApprovalCommand::Log(LogCommand::Record(facts))
                if !matches!(facts.first(), Some(Body::DefinitionSeen(_)) | None));
        if let ApprovalCommand::Call(CallCommand::Advise(advice)) = command {
            return self.set_by(Principal::advisor(&advice.advisor));
        }
        self.set_by(if decides { Principal::user(person) } else { Principal::agent("bot") });
    }
}

pub(super) fn bodies(story: &DecisionStory) -> Vec<Body> {
    let read = |e: &countersign_events::Event| Body::read(e.seq, e.kind, &e.data).expect("readable");
    story.log.iter().map(read).collect()
}

proptest! {
    #[test]
    fn claim_always_follows_approval_of_its_arguments(steps in steps()) {
        let mut allowed = HashMap::new();
        for body in bodies(&play(&steps)) {
            match body {
                Body::ApprovalResponse(response) if response.decision.allows() => {
                    allowed.insert(response.tool_call_id, response.arguments_hash);
                }
                Body::ExecutionStarted(claim) => {
                    prop_assert_eq!(allowed.get(&claim.tool_call_id), Some(&claim.arguments_hash));
                }
                Body::ExecutionTakenOver(taken) => {
                    let claim = taken.started;
                    prop_assert_eq!(allowed.get(&claim.tool_call_id), Some(&claim.arguments_hash));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_row_of_a_history_is_admissible(steps in steps()) {
        let mut check = AdmissibilityCheck::default();
        let story = play(&steps);
        let mut found: Vec<_> = story.log.iter().flat_map(|event| check.check(event.clone())).collect();
        found.extend(check.finish());
        prop_assert_eq!(found, vec![]);
        prop_assert_eq!(check.take_judged_otherwise(), vec![], "the same version judges alike");
    }

    #[test]
    fn only_rules_and_people_allow_a_changed_definition(steps in steps()) {
        let mut accepted: HashMap<ToolName, Vec<Sha256>> = HashMap::new();
        let mut changed = HashMap::new();
        for body in bodies(&play(&steps)) {
            match body {
                Body::DefinitionSeen(seen) => accepted.entry(seen.tool).or_default().push(seen.definition_hash),
                Body::DefinitionAccepted(accept) => accepted.entry(accept.tool).or_default().push(accept.definition_hash),
                Body::ToolCall(call) => {
                    let definition = call.definition.filter(|_| call.redacted.is_empty());
                    let identity = definition.filter(|text| text.description.as_deref() == Some("Runs all"));
                    let identity = identity.and_then(|definition| definition.identity(None));
                    let known = accepted.get(&call.name).cloned().unwrap_or_default();
                    changed.insert(call.id, identity.is_some_and(|hash| !known.contains(&hash)));
                }
                Body::ApprovalResponse(response) if response.decision.allows() && changed[&response.tool_call_id] => {
                    let is_moved = response.is_moved();
                    let is_rule = response.source == Source::Policy && response.rule.is_some();
                    prop_assert!(is_rule || is_moved || response.source == Source::Approver, "{response:?}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn definitions_are_recorded_once(steps in steps()) {
        let mut seen = std::collections::HashSet::new();
        for body in bodies(&play(&steps)) {
            match body {
                Body::DefinitionSeen(first) => {
                    prop_assert!(seen.insert((first.tool.clone(), None)), "two first definitions");
                    prop_assert!(seen.insert((first.tool, Some(first.definition_hash))), "one definition twice");
                }
                Body::DefinitionChanged(changed) => {
                    prop_assert!(seen.contains(&(changed.tool.clone(), None)), "a change without a first definition");
                    prop_assert!(seen.insert((changed.tool, Some(changed.definition_hash))), "one definition twice");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn call_has_one_event_of_each_type(steps in steps()) {
        let mut seen = HashMap::new();
        let story = play(&steps);
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            let (id, beside) = match body {
                Body::ToolCall(call) => (call.id, String::new()),
                Body::ApprovalRequest(request) => (request.tool_call_id, String::new()),
                Body::ApprovalVote(vote) => (vote.tool_call_id, format!("{} {}", event.principal, vote.round)),
                Body::ApprovalReminder(reminder) => (reminder.tool_call_id, String::new()),
                Body::ApprovalEscalated(escalated) => (escalated.tool_call_id, String::new()),
                Body::ApprovalAdvice(advice) => (advice.tool_call_id, advice.advisor),
                Body::CallFlagged(flagged) => (flagged.tool_call_id, event.principal.to_string()),
                Body::ApprovalResponse(response) => (response.tool_call_id, String::new()),
                Body::ExecutionStarted(claim) => (claim.tool_call_id, String::new()),
                Body::ExecutionRenewed(renewed) => (renewed.tool_call_id, renewed.lease_expires_at.to_string()),
                Body::ApprovalTakenBack(taken) => (taken.tool_call_id, String::new()),
                Body::ExecutionReleased(released) => (released.tool_call_id, released.claim.to_string()),
                Body::ExecutionTakenOver(taken) => (taken.started.tool_call_id, taken.claim.to_string()),
                Body::ToolResult(result) => (result.tool_call_id, String::new()),
                Body::CallErased(erased) => (erased.tool_call_id, String::new()),
                Body::GrantRevoked(revoked) => (call_id("the thread"), revoked.grant.to_string()),
                Body::GrantEnded(ended) => (call_id("the thread"), ended.grant.to_string()),
                Body::GrantUsed(used) => (call_id("the thread"), format!("{} {}", used.grant, used.number)),
                Body::ThreadClosed(_) => (call_id("the thread"), String::new()),
                _ => continue,
            };
            prop_assert_eq!(seen.insert((id, event.kind, beside), event.seq), None);
        }
    }

    #[test]
    fn block_is_never_lifted(steps in steps()) {
        let mut never = Vec::new();
        for body in bodies(&play(&steps)) {
            match body {
                Body::ToolCall(call) if call.name.as_str() == "never" || call.arguments.as_str() == ARGUMENTS[2] => {
                    never.push(call.id);
                }
                Body::ApprovalResponse(response) if never.contains(&response.tool_call_id) => {
                    prop_assert_eq!((response.decision, response.source), (Decision::Deny, Source::Policy));
                }
                Body::ExecutionStarted(claim) => {
                    prop_assert!(!never.contains(&claim.tool_call_id));
                    prop_assert_ne!(claim.arguments_hash, hash(ARGUMENTS[2]));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn quorum_of_two_has_two_allowing_votes(steps in steps()) {
        let (mut two, mut votes) = (Vec::new(), Vec::new());
        let story = play(&steps);
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            match body {
                Body::ToolCall(call) if call.name.as_str() == "two" => two.push(call.id),
                Body::ApprovalVote(vote) => votes.push((event.principal.clone(), vote)),
                Body::ApprovalResponse(response) if response.source == Source::Approver
                    && response.decision.allows() && two.contains(&response.tool_call_id) =>
                {
                    let agrees = |vote: &&(Principal, countersign_events::ApprovalVote)| {
                        vote.1.tool_call_id == response.tool_call_id
                            && vote.1.decision.allows()
                            && vote.1.arguments_hash == Some(response.arguments_hash)
                    };
                    let people: std::collections::HashSet<_> = votes.iter().filter(agrees).map(|vote| &vote.0).collect();
                    prop_assert!(people.len() >= 2, "{:?}", votes);
                    prop_assert!(people.iter().all(|person| person.as_str() != "user:cyd"));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn allow_once_starts_at_most_one_call(steps in steps()) {
        let (mut given, mut used) = (HashMap::new(), HashMap::new());
        let story = play(&steps);
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            match body {
                Body::ApprovalResponse(response) if response.decision == Decision::AllowOnce => {
                    let moved = response.scope.as_ref().map(Json::as_str) == Some(crate::thread::ONCE);
                    let root = response.grant.filter(|_| moved).unwrap_or(event.seq);
                    given.insert(response.tool_call_id, root);
                }
                Body::ExecutionStarted(claim) => {
                    if let Some(root) = given.get(&claim.tool_call_id) {
                        prop_assert_eq!(used.insert(*root, claim.tool_call_id), None);
                    }
                }
                _ => {}
            }
        }
    }

    #[test]
    fn replay_gives_live_state_and_repeats_change_nothing(steps in steps()) {
        let mut story = play(&steps);
        let (thread_id, mut replayed) = (thread_id(), BatchState::new(0, Sha256::ZERO));
        let calls = ["a", "b", "c", "d"].map(|id| (thread_id.clone(), call_id(id)));
        let read = ReadSet { calls: calls.into(), ..ReadSet::default() };
        replayed.load(&read, &story.log).expect("nothing is damaged");
        let mut verifier = ChainVerifier::default();
        for event in &story.log {
            verifier.check(event).expect("the chain holds");
        }
        for id in ["a", "b", "c", "d"] {
            prop_assert_eq!(replayed.call(&thread_id, &call_id(id)), story.batch.call(&thread_id, &call_id(id)));
        }
        let empty = crate::Thread::default();
        prop_assert_eq!(
            replayed.thread(&thread_id).unwrap_or(&empty),
            story.batch.thread(&thread_id).unwrap_or(&empty)
        );
        if let Some(((target, command), person, _)) = steps.last() {
            story.set_caller(command, PEOPLE[*person]);
            let _ = story.execute(target.clone(), command.clone());
            let length = story.log.len();
            let _ = story.execute(target.clone(), command.clone());
            prop_assert_eq!(story.log.len(), length);
        }
    }

    #[test]
    fn states_that_follow_each_other_decide_as_one(steps in steps(), turns in prop::collection::vec(0..3_usize, 60)) {
        let mut story = given(POLICY);
        let mut states = [(); 3].map(|()| BatchState::new(0, Sha256::ZERO));
        for (((target, command), person, seconds), turn) in steps.iter().zip(turns) {
            story.set_caller(command, PEOPLE[*person]);
            let envelope = story.envelope(target.clone(), command.clone());
            let known = story.log.len();
            let state = &mut states[turn];
            let missing = state.missing(std::slice::from_ref(&envelope));
            state.load(&missing, &events_of(&missing, &story)).expect("nothing is damaged");
            state.set_policy(None);
            let applied = state.apply(&envelope).expect("nothing is damaged");
            state.end_batch(std::slice::from_ref(&envelope), 16_384);
            prop_assert_eq!(applied.outcome.map_err(Refused::from), story.apply(&envelope).map(|_| ()));
            let written: Vec<_> = applied.events.iter().map(|recorded| (*recorded.event).clone()).collect();
            prop_assert_eq!(&written[..], &story.log[known..]);
            for (n, state) in states.iter_mut().enumerate().filter(|(n, _)| *n != turn) {
                for event in &written {
                    prop_assert!(state.follow(event).is_ok(), "state {} at {}", n, event.seq);
                }
            }
            story.now = story.now.after(Duration::from_secs(*seconds));
        }
    }
}

/// The events that the store would read for a read set.
fn events_of(read: &ReadSet, story: &DecisionStory) -> Vec<countersign_events::Event> {
    let calls =
        ["a", "b", "c", "d"].map(call_id).into_iter().filter_map(|id| story.batch.call(&thread_id(), &id));
    let is_read = |call: &Call| {
        let response = call.response().map(|response| &response.what);
        let is_lasting = response.is_some_and(|response| {
            response.decision == Decision::AllowSession || response.scope.is_some() && !response.is_moved()
        });
        let is_open = call.result().is_none() && call.claim().is_none();
        read.calls.contains(&(thread_id(), call.id().clone()))
            || (!read.threads.is_empty() && is_lasting)
            || ((read.all_open || !read.open.is_empty()) && is_open)
            || !read.recent.is_empty() && response.is_some()
            || read.same_arguments.contains(&(thread_id(), call.arguments_hash()))
    };
    let read_calls: Vec<_> = calls.filter(|call| is_read(call)).map(|call| call.id().clone()).collect();
    let is_needed = |body: &Body| match (body.call_id(), tool_of(body)) {
        (Some(id), _) => read_calls.contains(id),
        (None, Some(tool)) => read.tools.contains(tool),
        (None, None)
            if matches!(body.event_type().group(), Some(EventGroup::Advisor | EventGroup::Access)) =>
        {
            read.directories
        }
        (None, None) => !read.threads.is_empty(),
    };
    let events = story.log.iter().zip(bodies(story));
    events.filter(|(_, body)| is_needed(body)).map(|(event, _)| event.clone()).collect()
}

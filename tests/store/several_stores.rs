//! Several stores over one log. To the log, each store is a separate process. Each store applies the rules to the
//! events of all stores.

use countersign_approvals::{
    Call, CommandEnvelope, CommandEvidence, CommandTarget, GrantScope, Refused, ThreadCommand,
    decide::{RespondCommand, StopCommand},
};
use countersign_events::{CallId, CallState, EventType, GrantLimits, Principal, Sha256, Source};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, EventFilter, Store, StoreError};
use countersign_tests::{Proposal, World, code, on_each_database};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};

on_each_database! {
    racing_decisions_have_one_winner_named_to_losers,
    racing_claims_have_one_winner,
    call_not_allowed_cannot_be_claimed,
    agents_and_proposers_cannot_decide,
    cached_call_yields_to_writes_of_others,
    cached_absence_yields_to_proposals_of_others,
    cached_call_yields_to_rows_inserted_by_sql,
    grant_and_its_revocation_apply_in_every_process,
    closing_a_thread_cancels_calls_of_every_process,
    stop_cancels_allowed_calls_of_every_process,
    expiry_is_written_once_by_racing_stores,
    uses_of_a_grant_are_counted_over_all_processes,
    end_of_a_grant_is_found_and_written_once,
    late_decision_finds_the_call_expired,
}

async fn open_stores(world: &World, count: usize) -> Vec<Store> {
    join_all((0..count).map(|_| world.another_store())).await
}

async fn racing_decisions_have_one_winner_named_to_losers(world: &mut World) {
    let stores = open_stores(world, 5).await;
    for round in 0..20 {
        let id = format!("call_{round}");
        world.agent("bot").without_memory().proposes(&id).await.expect("asked");
        let outcomes = join_all((0..20).map(async |n| {
            let person = world.person(&format!("p{n}")).without_memory().at(&stores[n % stores.len()]);
            if n % 2 == 0 { person.allows(&id).await } else { person.denies(&id).await }
        }))
        .await;
        let call = world.call("t", &id).await;
        let first = call.response().expect("decided");
        let wrote = |outcome: &&Result<_, _>| matches!(outcome, Ok(countersign_store::CommandOutcome { events, .. }) if !events.is_empty());
        assert_eq!(outcomes.iter().filter(wrote).count(), 1, "one decision was written");
        for outcome in &outcomes {
            match outcome {
                Ok(done) => assert_eq!(done.call.as_ref().and_then(|call| call.response()), Some(first)),
                Err(StoreError::Refused(Refused::AlreadyDecided { response })) => {
                    assert_eq!(**response, *first);
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert_eq!(world.count(EventType::ApprovalResponse).await, 20);
}

async fn racing_claims_have_one_winner(world: &mut World) {
    let stores = open_stores(world, 5).await;
    for round in 0..20 {
        let id = format!("call_{round}");
        world.agent("bot").proposes(&id).await.expect("asked");
        world.person("ada").allows(&id).await.expect("allowed");
        let outcomes = join_all((0..15).map(async |n| {
            world.agent(&format!("worker-{n}")).at(&stores[n % stores.len()]).claims(&id).await
        }))
        .await;
        let codes: Vec<_> = outcomes.iter().map(code).collect();
        assert_eq!(codes.iter().filter(|code| **code == "done").count(), 1, "{codes:?}");
        assert_eq!(codes.iter().filter(|code| **code == "already_claimed").count(), 14, "{codes:?}");
    }
    assert_eq!(world.count(EventType::ExecutionStarted).await, 20);
}

async fn call_not_allowed_cannot_be_claimed(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let other_store = world.another_store().await;
    assert_eq!(code(&bot.claims("call_1").await), "unknown_call");
    bot.proposes("call_1").await.expect("asked");
    assert_eq!(code(&bot.at(&other_store).claims("call_1").await), "not_allowed");
    ada.denies("call_1").await.expect("denied");
    assert_eq!(code(&bot.at(&other_store).claims("call_1").await), "not_allowed");
    bot.without_memory().proposes("call_2").await.expect("asked");
    ada.without_memory().allows("call_2").await.expect("allowed");
    let changed = bot.at(&other_store).claims_with("call_2", r#"{"command":"rm -rf /"}"#).await;
    assert_eq!(code(&changed), "arguments_changed");
    assert_eq!(world.count(EventType::ExecutionStarted).await, 0);
}

async fn agents_and_proposers_cannot_decide(world: &mut World) {
    world.person("ada").proposes("call_1").await.expect("asked");
    assert_eq!(code(&world.agent("bot").allows("call_1").await), "not_an_approver");
    assert_eq!(code(&world.person("ada").allows("call_1").await), "self_approval");
    assert_eq!(code(&world.person("bo").allows("call_1").await), "done");
}

/// A store caches the calls that it used recently. After a write by another store, it must read them again.
async fn cached_call_yields_to_writes_of_others(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for round in 0..30 {
        let id = format!("call_{round}");
        bot.proposes(&id).await.expect("asked");
        ada.at(&other).allows(&id).await.expect("the other store knows the call");
        assert_eq!(code(&ada.denies(&id).await), "already_decided");
        bot.claims(&id).await.expect("the first store knows the decision");
        assert_eq!(code(&bot.at(&other).claims(&id).await), "already_claimed");
        bot.at(&other).finishes(&id).await.expect("the other store knows the claim");
        assert_eq!(code(&bot.cancels(&id).await), "already_finished");
    }
}

/// A store also caches that a call does not exist. Another store may propose the call a moment later.
async fn cached_absence_yields_to_proposals_of_others(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_0").await.expect("the thread is remembered");
    assert_eq!(code(&ada.allows("call_1").await), "unknown_call");
    bot.at(&other).proposes("call_1").await.expect("asked");
    assert_eq!(code(&ada.allows("call_1").await), "done");
}

async fn cached_call_yields_to_rows_inserted_by_sql(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for (id, typed) in [("call_1", false), ("call_2", true)] {
        bot.without_memory().proposes(id).await.expect("asked");
        let sql = format!("INSERT INTO decisions VALUES ('t', '{id}', 'deny', 'user:bo', 'no')");
        if typed {
            world.run_shell(&sql).await.expect("the shell writes");
        } else {
            world.run_sql(&sql).await.expect("a connection writes");
        }
        assert_eq!(code(&ada.allows(id).await), "already_decided");
        assert_eq!(code(&bot.claims(id).await), "not_allowed");
    }
    assert_eq!(world.count(EventType::ApprovalResponse).await, 2);
}

async fn grant_and_its_revocation_apply_in_every_process(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let there = bot.at(&other);
    there.proposes("call_0").await.expect("the other store remembers the thread");
    bot.proposes("call_1").await.expect("asked");
    let grant = ada.allows_for_the_session("call_1").await.expect("granted").events[0].seq;
    let granted = there.proposes("call_2").await.expect("answered").call.expect("a call");
    let response = granted.response().expect("answered by the grant");
    assert_eq!((response.what.source, response.what.grant), (Source::Grant, Some(grant)));
    let write = Proposal { tool: "write", ..Proposal::default() };
    let asked = there.proposes_to("call_3", write).await.expect("asked").call.expect("a call");
    assert!(asked.response().is_none(), "the grant applies only to its tool");
    let elsewhere = there.in_thread("t2").proposes("call_2").await.expect("asked").call.expect("a call");
    assert!(elsewhere.response().is_none(), "the grant applies only in its thread");
    ada.at(&other).revokes(grant).await.expect("revoked");
    let after = bot.proposes("call_4").await.expect("asked").call.expect("a call");
    assert!(after.response().is_none(), "a grant that another store revoked does not apply");
    assert_eq!(code(&ada.revokes(99).await), "unknown_grant");
}

/// The calls of several processes race for the uses of one grant.
async fn uses_of_a_grant_are_counted_over_all_processes(world: &mut World) {
    let stores = open_stores(world, 4).await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_0").await.expect("asked");
    let respond = RespondCommand {
        limits: GrantLimits { seconds: Some(60), uses: Some(5) },
        ..RespondCommand::for_session(GrantScope::Tool)
    };
    let grant = ada.responds("call_0", respond).await.expect("granted").events[0].seq;
    let outcomes = join_all((1..=20).map(|n| {
        let bot = bot.at(&stores[n % stores.len()]);
        async move { bot.proposes(&format!("call_{n}")).await.expect("proposed") }
    }))
    .await;
    let is_allowed = |outcome: &&CommandOutcome| outcome.call.as_ref().and_then(Call::response).is_some();
    assert_eq!(outcomes.iter().filter(is_allowed).count(), 5);
    assert_eq!(world.count(EventType::GrantUsed).await, 5);
    assert_eq!(world.count(EventType::GrantEnded).await, 1);
    assert_eq!(
        code(&ada.commands_thread(ThreadCommand::Prolong(grant, GrantLimits::default())).await),
        "grant_ended"
    );
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
}

async fn end_of_a_grant_is_found_and_written_once(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let respond = RespondCommand {
        limits: GrantLimits { seconds: Some(60), uses: None },
        ..RespondCommand::for_session(GrantScope::Tool)
    };
    bot.proposes("call_0").await.expect("asked");
    let grant = ada.responds("call_0", respond).await.expect("granted").events[0].seq;
    let (start, end) = (world.now(), world.now().after(Duration::from_mins(1)));
    let due = async |world: &World| world.store().due_grants(start, world.now(), 10).await.expect("reads");
    assert_eq!(world.store().next_grant_end(start).await, Ok(Some(end)));
    world.clock().advance(Duration::from_millis(59_999));
    assert!(due(world).await.is_empty());
    let hour = GrantLimits { seconds: Some(3_600), uses: None };
    ada.commands_thread(ThreadCommand::Prolong(grant, hour)).await.expect("prolonged");
    world.clock().advance(Duration::from_mins(30));
    assert!(due(world).await.is_empty(), "the first end does not count any more");
    world.clock().advance(Duration::from_mins(31));
    assert_eq!(due(world).await, [(bot.thread_id().clone(), grant)]);
    for written in [1, 0] {
        let ended = ada.commands_thread(ThreadCommand::EndGrant(grant)).await.expect("ended");
        assert_eq!(ended.events.len(), written);
    }
    assert!(due(world).await.is_empty());
    assert_eq!(world.store().next_grant_end(world.now()).await, Ok(None));
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
}

async fn closing_a_thread_cancels_calls_of_every_process(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["call_1", "call_2", "call_3"] {
        bot.proposes(id).await.expect("asked");
        bot.at(&other).proposes(&format!("{id}_there")).await.expect("asked");
    }
    bot.in_thread("t2").proposes("call_1").await.expect("asked");
    ada.allows("call_1").await.expect("allowed");
    ada.at(&other).closes().await.expect("closed");
    let pending = world.store().pending(&EventFilter::default(), 0, 100).await.expect("reads").items;
    assert_eq!(pending.len(), 1, "only the call of the other thread is pending");
    assert_eq!(pending[0].thread_id.as_str(), "t2");
    assert_eq!(world.call("t", "call_2").await.state(world.now()), CallState::Cancelled);
    assert_eq!(code(&bot.claims("call_1").await), "thread_closed");
    assert_eq!(code(&bot.proposes("call_9").await), "thread_closed");
    let again = ada.closes().await.expect("the command has no effect");
    assert!(again.events.is_empty());
}

async fn stop_cancels_allowed_calls_of_every_process(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["allowed", "pending"] {
        bot.at(&other).proposes_unlike_others(id).await.expect("asked");
    }
    bot.in_thread("t2").proposes("allowed").await.expect("asked");
    for caller in [ada.at(&other), ada.in_thread("t2").at(&other)] {
        caller.allows("allowed").await.expect("allowed");
    }
    let stop = |target| CommandEnvelope {
        target,
        command: StopCommand::default().into(),
        by: Principal::user("ben").into(),
        now: world.now(),
        policy: Arc::new(Policy::ask_always()),
        evidence: CommandEvidence::NotNeeded,
        log: Sha256::ZERO,
    };
    let thread = world.call("t", "allowed").await.thread_id;
    world.store().execute(stop(CommandTarget::Thread(thread))).await.expect("stopped");
    assert_eq!(world.call("t", "allowed").await.state(world.now()), CallState::Cancelled);
    assert_eq!(world.call("t", "pending").await.state(world.now()), CallState::Denied);
    assert_eq!(world.call("t2", "allowed").await.state(world.now()), CallState::Allowed);
    world.store().execute(stop(CommandTarget::AllThreads)).await.expect("stopped");
    assert_eq!(world.call("t2", "allowed").await.state(world.now()), CallState::Cancelled);
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
}

async fn expiry_is_written_once_by_racing_stores(world: &mut World) {
    let stores = open_stores(world, 6).await;
    let bot = world.agent("bot");
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes_to("call_1", soon).await.expect("asked");
    let now = |world: &World| world.now();
    assert_eq!(world.store().next_due().await, Ok(Some(now(world).after(Duration::from_mins(1)))));
    world.clock().advance(Duration::from_millis(59_999));
    assert!(world.store().due(now(world), 10).await.expect("reads").is_empty());
    assert!(bot.expires("call_1").await.expect("not due").events.is_empty());
    world.clock().advance(Duration::from_millis(1));
    let due = (bot.thread_id().clone(), CallId::new("call_1").expect("valid"));
    assert_eq!(world.store().due(now(world), 10).await, Ok(vec![due]));
    let outcomes = join_all((0..30).map(|n| {
        let bot = bot.at(&stores[n % stores.len()]);
        async move { bot.expires("call_1").await }
    }))
    .await;
    let written: usize = outcomes.into_iter().map(|outcome| outcome.expect("done").events.len()).sum();
    assert_eq!(written, 2, "one store wrote one response and one result");
    assert!(world.store().due(now(world), 10).await.expect("reads").is_empty());
    assert_eq!(world.store().next_due().await, Ok(None));
}

/// The writer writes the overdue expiry before it applies the late decision, which is therefore refused.
async fn late_decision_finds_the_call_expired(world: &mut World) {
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    world.agent("bot").proposes_to("call_1", soon).await.expect("asked");
    world.clock().advance(Duration::from_mins(1));
    assert_eq!(code(&world.person("ada").allows("call_1").await), "already_decided");
    let call = world.call("t", "call_1").await;
    assert_eq!(call.response().map(|response| response.what.source), Some(Source::Expiry));
}

//! Several ways into one log: several processes, as far as it can tell. What one wrote, the
//! others decide by.

use countersign_approvals::{CallId, EventType, Refused, State, event::Source};
use countersign_store::{Error, Filter, Store};
use countersign_tests::{Proposal, Town, code, on_each_database};
use futures_util::future::join_all;
use std::time::Duration;

on_each_database! {
    of_many_decisions_at_once_one_wins_and_the_others_are_told_who,
    of_many_claims_at_once_one_wins,
    nothing_is_claimed_that_nobody_allowed,
    agents_and_those_who_proposed_decide_nothing,
    what_a_store_remembers_gives_way_to_what_another_wrote,
    what_a_store_knows_not_to_be_there_may_come_from_another,
    what_a_store_remembers_gives_way_to_a_row_by_hand,
    a_grant_answers_in_every_process_and_ends_in_every_process,
    closing_a_thread_cancels_what_is_pending_wherever_it_was_proposed,
    an_expiry_is_carried_out_once_though_everybody_tries,
    a_decision_that_comes_too_late_finds_the_call_expired,
}

async fn neighbours(town: &Town, count: usize) -> Vec<Store> {
    join_all((0..count).map(|_| town.neighbour())).await
}

async fn of_many_decisions_at_once_one_wins_and_the_others_are_told_who(town: &mut Town) {
    let stores = neighbours(town, 5).await;
    for round in 0..20 {
        let id = format!("call_{round}");
        town.agent("bot").forgetful().proposes(&id).await.expect("asked");
        let outcomes = join_all((0..20).map(async |n| {
            let person = town.person(&format!("p{n}")).at(&stores[n % stores.len()]);
            if n % 2 == 0 { person.allows(&id).await } else { person.denies(&id).await }
        }))
        .await;
        let call = town.call("t", &id).await;
        let first = call.response().expect("decided");
        let wrote = |outcome: &&Result<_, _>| matches!(outcome, Ok(countersign_store::CommandOutcome { events, .. }) if !events.is_empty());
        assert_eq!(outcomes.iter().filter(wrote).count(), 1, "one decision was written");
        for outcome in &outcomes {
            match outcome {
                Ok(done) => assert_eq!(done.call.as_ref().and_then(|call| call.response()), Some(first)),
                Err(Error::Refused(Refused::AlreadyDecided { response })) => {
                    assert_eq!(**response, *first);
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert_eq!(town.count(EventType::ApprovalResponse).await, 20);
}

async fn of_many_claims_at_once_one_wins(town: &mut Town) {
    let stores = neighbours(town, 5).await;
    for round in 0..20 {
        let id = format!("call_{round}");
        town.agent("bot").proposes(&id).await.expect("asked");
        town.person("ada").allows(&id).await.expect("allowed");
        let outcomes = join_all((0..15).map(async |n| {
            town.agent(&format!("worker-{n}")).at(&stores[n % stores.len()]).claims(&id).await
        }))
        .await;
        let codes: Vec<_> = outcomes.iter().map(code).collect();
        assert_eq!(codes.iter().filter(|code| **code == "done").count(), 1, "{codes:?}");
        assert_eq!(codes.iter().filter(|code| **code == "already_claimed").count(), 14, "{codes:?}");
    }
    assert_eq!(town.count(EventType::ExecutionStarted).await, 20);
}

async fn nothing_is_claimed_that_nobody_allowed(town: &mut Town) {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    let neighbour = town.neighbour().await;
    assert_eq!(code(&bot.claims("call_1").await), "unknown_call");
    bot.proposes("call_1").await.expect("asked");
    assert_eq!(code(&bot.at(&neighbour).claims("call_1").await), "not_allowed");
    ada.denies("call_1").await.expect("denied");
    assert_eq!(code(&bot.at(&neighbour).claims("call_1").await), "not_allowed");
    bot.forgetful().proposes("call_2").await.expect("asked");
    ada.allows("call_2").await.expect("allowed");
    let changed = bot.at(&neighbour).claims_with("call_2", r#"{"command":"rm -rf /"}"#).await;
    assert_eq!(code(&changed), "arguments_changed");
    assert_eq!(town.count(EventType::ExecutionStarted).await, 0);
}

async fn agents_and_those_who_proposed_decide_nothing(town: &mut Town) {
    town.person("ada").proposes("call_1").await.expect("asked");
    assert_eq!(code(&town.agent("bot").allows("call_1").await), "not_an_approver");
    assert_eq!(code(&town.person("ada").allows("call_1").await), "self_approval");
    assert_eq!(code(&town.person("bo").allows("call_1").await), "done");
}

/// Each store keeps what it touched of late; when another one wrote in between, it must look again.
async fn what_a_store_remembers_gives_way_to_what_another_wrote(town: &mut Town) {
    let other = town.neighbour().await;
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
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

/// A call that a store has looked for in vain may be proposed elsewhere a moment later.
async fn what_a_store_knows_not_to_be_there_may_come_from_another(town: &mut Town) {
    let other = town.neighbour().await;
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    bot.proposes("call_0").await.expect("the thread is remembered");
    assert_eq!(code(&ada.allows("call_1").await), "unknown_call");
    bot.at(&other).proposes("call_1").await.expect("asked");
    assert_eq!(code(&ada.allows("call_1").await), "done");
}

async fn what_a_store_remembers_gives_way_to_a_row_by_hand(town: &mut Town) {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    for (id, typed) in [("call_1", false), ("call_2", true)] {
        bot.forgetful().proposes(id).await.expect("asked");
        let sql = format!("INSERT INTO decisions VALUES ('t', '{id}', 'deny', 'user:bo', 'no')");
        if typed {
            town.shell(&sql).await.expect("the shell writes");
        } else {
            town.by_hand(&sql).await.expect("a connection writes");
        }
        assert_eq!(code(&ada.allows(id).await), "already_decided");
        assert_eq!(code(&bot.claims(id).await), "not_allowed");
    }
    assert_eq!(town.count(EventType::ApprovalResponse).await, 2);
}

async fn a_grant_answers_in_every_process_and_ends_in_every_process(town: &mut Town) {
    let other = town.neighbour().await;
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    let there = bot.at(&other);
    there.proposes("call_0").await.expect("the other store remembers the thread");
    bot.proposes("call_1").await.expect("asked");
    let grant = ada.allows_for_the_session("call_1").await.expect("granted").events[0].seq;
    let granted = there.proposes("call_2").await.expect("answered").call.expect("a call");
    let response = granted.response().expect("answered by the grant");
    assert_eq!((response.what.source, response.what.grant), (Source::Grant, Some(grant)));
    let write = Proposal { tool: "write", ..Proposal::default() };
    let asked = there.proposes_to("call_3", write).await.expect("asked").call.expect("a call");
    assert!(asked.response().is_none(), "the grant is for the tool it was given on");
    let elsewhere = there.in_thread("t2").proposes("call_2").await.expect("asked").call.expect("a call");
    assert!(elsewhere.response().is_none(), "and for its thread");
    ada.at(&other).revokes(grant).await.expect("revoked");
    let after = bot.proposes("call_4").await.expect("asked").call.expect("a call");
    assert!(after.response().is_none(), "revoked there, it answers nothing here");
    assert_eq!(code(&ada.revokes(99).await), "unknown_grant");
}

async fn closing_a_thread_cancels_what_is_pending_wherever_it_was_proposed(town: &mut Town) {
    let other = town.neighbour().await;
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    for id in ["call_1", "call_2", "call_3"] {
        bot.proposes(id).await.expect("asked");
        bot.at(&other).proposes(&format!("{id}_there")).await.expect("asked");
    }
    bot.in_thread("t2").proposes("call_1").await.expect("asked");
    ada.allows("call_1").await.expect("allowed");
    ada.at(&other).closes().await.expect("closed");
    let pending = town.store().pending(&Filter::default(), 0, 100).await.expect("reads").items;
    assert_eq!(pending.len(), 1, "only the other thread's");
    assert_eq!(pending[0].thread_id.as_str(), "t2");
    assert_eq!(town.call("t", "call_2").await.state(town.store().clock().now()), State::Cancelled);
    assert_eq!(code(&bot.claims("call_1").await), "thread_closed");
    assert_eq!(code(&bot.proposes("call_9").await), "thread_closed");
    let again = ada.closes().await.expect("it is so already");
    assert!(again.events.is_empty());
}

async fn an_expiry_is_carried_out_once_though_everybody_tries(town: &mut Town) {
    let stores = neighbours(town, 6).await;
    let bot = town.agent("bot");
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes_to("call_1", soon).await.expect("asked");
    let now = |town: &Town| town.store().clock().now();
    assert_eq!(town.store().next_due().await, Ok(Some(now(town).after(Duration::from_mins(1)))));
    town.time().advance(Duration::from_millis(59_999));
    assert!(town.store().due(now(town), 10).await.expect("reads").is_empty());
    assert!(bot.expires("call_1").await.expect("not due").events.is_empty());
    town.time().advance(Duration::from_millis(1));
    let due = (bot.thread_id().clone(), CallId::new("call_1").expect("valid"));
    assert_eq!(town.store().due(now(town), 10).await, Ok(vec![due]));
    let outcomes = join_all((0..30).map(|n| {
        let bot = bot.at(&stores[n % stores.len()]);
        async move { bot.expires("call_1").await }
    }))
    .await;
    let written: usize = outcomes.into_iter().map(|outcome| outcome.expect("done").events.len()).sum();
    assert_eq!(written, 2, "one response and one result, by one of them");
    assert!(town.store().due(now(town), 10).await.expect("reads").is_empty());
    assert_eq!(town.store().next_due().await, Ok(None));
}

/// The refusal is written together with what was due before it: the late decision loses to the expiry.
async fn a_decision_that_comes_too_late_finds_the_call_expired(town: &mut Town) {
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    town.agent("bot").proposes_to("call_1", soon).await.expect("asked");
    town.time().advance(Duration::from_mins(1));
    assert_eq!(code(&town.person("ada").allows("call_1").await), "already_decided");
    let call = town.call("t", "call_1").await;
    assert_eq!(call.response().map(|response| response.what.source), Some(Source::Expiry));
}

//! What the store answers when it is asked: pages of what is pending, the log by pages, a thread. And
//! the index of open requests, which must never say anything that the events do not.

use countersign_approvals::{Call, Thread, ThreadId};
use countersign_store::{Filter, Store};
use countersign_tests::{Chance, Persona, Proposal, Town, on_each_database};
use std::{collections::HashSet, time::Duration};

on_each_database! {
    what_is_pending_comes_in_pages_the_oldest_first,
    a_page_that_is_just_full_is_the_last,
    what_is_pending_in_a_thread_is_only_that_threads,
    the_log_comes_in_pages,
    a_thread_knows_its_grants_and_its_end,
    the_index_of_open_requests_is_what_the_events_say,
    the_index_is_made_anew_from_the_events,
}

fn ids(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.id().as_str()).collect()
}

async fn what_is_pending_comes_in_pages_the_oldest_first(town: &mut Town) {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    for n in 0..25 {
        let thread = if n % 5 == 0 { "t2" } else { "t" };
        bot.in_thread(thread).proposes(&format!("call_{n}")).await.expect("asked");
    }
    ada.allows("call_7").await.expect("allowed");
    let (mut after, mut seen, mut pages) = (0, Vec::new(), 0);
    loop {
        let page = town.store().pending(&Filter::default(), after, 8).await.expect("reads");
        seen.extend(page.items);
        pages += 1;
        let Some(next) = page.next else { break };
        after = next;
    }
    let expected: Vec<_> = (0..25).filter(|n| *n != 7).map(|n| format!("call_{n}")).collect();
    assert_eq!((ids(&seen), pages), (expected.iter().map(String::as_str).collect(), 3));
}

async fn a_page_that_is_just_full_is_the_last(town: &mut Town) {
    for n in 0..3 {
        town.agent("bot").proposes(&format!("call_{n}")).await.expect("asked");
    }
    let page = town.store().pending(&Filter::default(), 0, 3).await.expect("reads");
    assert_eq!((page.items.len(), page.next), (3, None));
    let page = town.store().pending(&Filter::default(), 0, 2).await.expect("reads");
    assert_eq!((page.items.len(), page.next), (2, Some(4)));
}

async fn what_is_pending_in_a_thread_is_only_that_threads(town: &mut Town) {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    for id in ["call_0", "call_1", "call_2"] {
        bot.proposes(id).await.expect("asked");
        bot.in_thread("t2").proposes(id).await.expect("asked");
    }
    ada.in_thread("t2").denies("call_1").await.expect("denied");
    let t2 = bot.in_thread("t2");
    let first = town.store().pending(&Filter::of_thread(t2.thread_id()), 0, 1).await.expect("reads");
    assert_eq!(ids(&first.items), ["call_0"]);
    let rest = town
        .store()
        .pending(&Filter::of_thread(t2.thread_id()), first.next.expect("more"), 9)
        .await
        .expect("reads");
    assert_eq!((ids(&rest.items), rest.next), (vec!["call_2"], None));
    assert!(rest.items.iter().all(|call| call.thread_id == *t2.thread_id()));
}

async fn the_log_comes_in_pages(town: &mut Town) {
    let bot = town.agent("bot");
    for n in 0..10 {
        bot.in_thread(["t", "t2"][n % 2]).proposes(&format!("call_{n}")).await.expect("asked");
    }
    let seqs = async |filter: &Filter, after, limit| -> Vec<i64> {
        let events = town.store().events(filter, after, limit).await.expect("reads").items;
        events.iter().map(|event| event.seq).collect()
    };
    assert_eq!(seqs(&Filter::default(), 0, 3).await, [1, 2, 3]);
    assert_eq!(seqs(&Filter::default(), 18, 3).await, [19, 20]);
    assert!(seqs(&Filter::default(), 20, 3).await.is_empty());
    let t2 = Filter::of_thread(bot.in_thread("t2").thread_id());
    assert_eq!(seqs(&t2, 4, 3).await, [7, 8, 11]);
}

async fn a_thread_knows_its_grants_and_its_end(town: &mut Town) {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    let first = ada.allows_for_the_session("call_1").await.expect("granted").events[0].seq;
    let second = ada.allows_for_the_session("call_2").await.expect("granted").events[0].seq;
    ada.revokes(first).await.expect("revoked");
    let thread = town.store().thread(bot.thread_id()).await.expect("reads");
    assert_eq!(thread.standing().map(|grant| grant.seq).collect::<Vec<_>>(), [second]);
    ada.closes().await.expect("closed");
    let thread = town.store().thread(bot.thread_id()).await.expect("reads");
    assert!(thread.closed.is_some() && thread.standing().next().is_none());
    let unheard_of = ThreadId::new("nobody").expect("valid");
    assert_eq!(town.store().thread(&unheard_of).await, Ok(Thread::default()));
}

/// One step of a history that nobody planned. Most steps are refused; those that are not make it.
async fn anything(chance: &mut Chance, town: &Town, store: &Store) {
    let thread = *chance.one_of(&["t", "t2", "t3"]);
    let id = format!("call_{}", chance.below(12));
    let at = |persona: Persona| persona.in_thread(thread).at(store);
    let (bot, ada) = (at(town.agent("bot")), at(town.person("ada")));
    let _ = match chance.below(16) {
        0..5 => bot.proposes(&id).await,
        5..7 => {
            let soon = Some(Duration::from_secs(5));
            bot.proposes_to(&id, Proposal { expires_in: soon, ..Proposal::default() }).await
        }
        7..9 => ada.allows(&id).await,
        9 => ada.allows_for_the_session(&id).await,
        10 => ada.denies(&id).await,
        11 => bot.claims(&id).await,
        12 => bot.finishes(&id).await,
        13 => bot.cancels(&id).await,
        14 => bot.expires(&id).await,
        _ if chance.below(20) == 0 => ada.closes().await,
        _ => ada.revokes(i64::try_from(chance.below(40)).expect("small")).await,
    };
    town.time().advance(Duration::from_millis(u64::try_from(chance.below(900)).expect("small")));
}

/// What is pending, worked out from the log alone and call by call.
async fn waiting(town: &Town) -> Vec<i64> {
    let mut calls = HashSet::new();
    let mut waiting = Vec::new();
    for event in town.log().await {
        let data: serde_json::Value = event.data.read().expect("JSON");
        let Some(id) = data["id"].as_str() else { continue };
        if calls.insert((event.thread_id.clone(), id.to_owned())) {
            let call = town.call(event.thread_id.as_str(), id).await;
            waiting.extend(call.request().filter(|_| call.response().is_none()).map(|request| request.seq));
        }
    }
    waiting
}

async fn the_index_of_open_requests_is_what_the_events_say(town: &mut Town) {
    let stores = [town.store().clone(), town.neighbour().await];
    let mut chance = Chance::seeded(7);
    for _ in 0..30 {
        for _ in 0..30 {
            let store = chance.one_of(&stores).clone();
            anything(&mut chance, town, &store).await;
        }
        assert!(town.verifies().await.index_holds);
        let pending = town.store().pending(&Filter::default(), 0, 100).await.expect("reads").items;
        let seqs: Vec<_> = pending.iter().filter_map(Call::request).map(|request| request.seq).collect();
        assert_eq!(seqs, waiting(town).await);
    }
    assert!(town.log().await.len() > 60, "the history was one");
}

async fn the_index_is_made_anew_from_the_events(town: &mut Town) {
    let bot = town.agent("bot");
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes("call_1").await.expect("asked");
    bot.proposes_to("call_2", soon).await.expect("asked");
    bot.proposes("call_3").await.expect("asked");
    town.person("ada").allows("call_3").await.expect("allowed");
    for damage in [
        "DELETE FROM open_requests",
        "UPDATE open_requests SET due_at = NULL",
        "UPDATE open_requests SET thread_id = 'nobody'",
        "INSERT INTO open_requests SELECT seq, thread_id, 'call_3', NULL FROM events WHERE seq = 6",
    ] {
        town.by_hand(damage).await.expect("an index is nobody's treasure");
        assert!(!town.verifies().await.index_holds, "{damage}");
        town.store().rebuild_index().await.expect("made anew");
        assert!(town.verifies().await.index_holds, "{damage}");
    }
    let pending = town.store().pending(&Filter::default(), 0, 9).await.expect("reads").items;
    assert_eq!(ids(&pending), ["call_1", "call_2"]);
    assert!(town.store().next_due().await.expect("reads").is_some());
}

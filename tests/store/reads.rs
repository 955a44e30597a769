//! Reads of the store: pages of pending calls, pages of the log, a thread. The table of open requests must always equal
//! the events.

use countersign_api::ApprovalGate;
use countersign_approvals::{Call, Thread};
use countersign_events::ThreadId;
use countersign_gate::{CallReader, CallSelection, EmbeddedGate, ReadLimits};
use countersign_policy::Policy;
use countersign_store::{EventFilter, Store};
use countersign_tests::{Persona, Proposal, Random, World, in_world, on_each_database};
use std::{collections::HashSet, time::Duration};

on_each_database! {
    pending_calls_are_paged_oldest_first,
    exactly_full_page_is_the_last,
    pending_calls_of_a_thread_exclude_others,
    log_is_read_in_pages,
    thread_knows_its_grants_and_its_end,
    open_request_index_equals_the_events,
    rebuilt_index_equals_the_events,
}

fn ids(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.id().as_str()).collect()
}

async fn pending_calls_are_paged_oldest_first(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for n in 0..25 {
        let thread = if n % 5 == 0 { "t2" } else { "t" };
        bot.in_thread(thread).proposes(&format!("call_{n}")).await.expect("asked");
    }
    ada.allows("call_7").await.expect("allowed");
    let (mut after, mut seen, mut pages) = (0, Vec::new(), 0);
    loop {
        let page = world.store().pending(&EventFilter::default(), after, 8).await.expect("reads");
        seen.extend(page.items);
        pages += 1;
        let Some(next) = page.next else { break };
        after = next;
    }
    let expected: Vec<_> = (0..25).filter(|n| *n != 7).map(|n| format!("call_{n}")).collect();
    assert_eq!((ids(&seen), pages), (expected.iter().map(String::as_str).collect(), 3));
}

async fn exactly_full_page_is_the_last(world: &mut World) {
    for n in 0..3 {
        world.agent("bot").proposes(&format!("call_{n}")).await.expect("asked");
    }
    let page = world.store().pending(&EventFilter::default(), 0, 3).await.expect("reads");
    assert_eq!((page.items.len(), page.next), (3, None));
    let page = world.store().pending(&EventFilter::default(), 0, 2).await.expect("reads");
    assert_eq!((page.items.len(), page.next), (2, Some(4)));
}

async fn pending_calls_of_a_thread_exclude_others(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["call_0", "call_1", "call_2"] {
        bot.proposes(id).await.expect("asked");
        bot.in_thread("t2").proposes(id).await.expect("asked");
    }
    ada.in_thread("t2").denies("call_1").await.expect("denied");
    let t2 = bot.in_thread("t2");
    let first = world.store().pending(&EventFilter::of_thread(t2.thread_id()), 0, 1).await.expect("reads");
    assert_eq!(ids(&first.items), ["call_0"]);
    let rest = world
        .store()
        .pending(&EventFilter::of_thread(t2.thread_id()), first.next.expect("more"), 9)
        .await
        .expect("reads");
    assert_eq!((ids(&rest.items), rest.next), (vec!["call_2"], None));
    assert!(rest.items.iter().all(|call| call.thread_id == *t2.thread_id()));
}

async fn log_is_read_in_pages(world: &mut World) {
    let bot = world.agent("bot");
    for n in 0..10 {
        bot.in_thread(["t", "t2"][n % 2]).proposes(&format!("call_{n}")).await.expect("asked");
    }
    let seqs = async |filter: &EventFilter, after, limit| -> Vec<i64> {
        let events = world.store().events(filter, after, limit).await.expect("reads").items;
        events.iter().map(|event| event.seq).collect()
    };
    assert_eq!(seqs(&EventFilter::default(), 0, 3).await, [1, 2, 3]);
    assert_eq!(seqs(&EventFilter::default(), 18, 3).await, [19, 20]);
    assert!(seqs(&EventFilter::default(), 20, 3).await.is_empty());
    let t2 = EventFilter::of_thread(bot.in_thread("t2").thread_id());
    assert_eq!(seqs(&t2, 4, 3).await, [7, 8, 11]);
}

async fn thread_knows_its_grants_and_its_end(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    let first = ada.allows_for_the_session("call_1").await.expect("granted").events[0].seq;
    let second = ada.allows_for_the_session("call_2").await.expect("granted").events[0].seq;
    ada.revokes(first).await.expect("revoked");
    let thread = world.store().thread(bot.thread_id()).await.expect("reads");
    assert_eq!(thread.standing(world.now()).map(|grant| grant.seq).collect::<Vec<_>>(), [second]);
    ada.closes().await.expect("closed");
    let thread = world.store().thread(bot.thread_id()).await.expect("reads");
    assert!(thread.closed.is_some() && thread.standing(world.now()).next().is_none());
    let unknown_thread = ThreadId::new("nobody").expect("valid");
    assert_eq!(world.store().thread(&unknown_thread).await, Ok(Thread::default()));
}

/// Executes one random command. The rules refuse most of them.
async fn play_random_step(chance: &mut Random, world: &World, store: &Store) {
    let thread = *chance.one_of(&["t", "t2", "t3"]);
    let id = format!("call_{}", chance.below(12));
    let at = |persona: Persona| persona.in_thread(thread).at(store);
    let (bot, ada) = (at(world.agent("bot")), at(world.person("ada")));
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
    world.clock().advance(Duration::from_millis(u64::try_from(chance.below(900)).expect("small")));
}

/// Returns the `seq` of every pending call's request, computed from the events of each call.
async fn waiting(world: &World) -> Vec<i64> {
    let mut calls = HashSet::new();
    let mut waiting = Vec::new();
    for event in world.log().await {
        let data: serde_json::Value = event.data.read().expect("JSON");
        let Some(id) = data["id"].as_str() else { continue };
        if calls.insert((event.thread_id.clone(), id.to_owned())) {
            let call = world.call(event.thread_id.as_str(), id).await;
            waiting.extend(call.request().filter(|_| call.response().is_none()).map(|request| request.seq));
        }
    }
    waiting
}

async fn open_request_index_equals_the_events(world: &mut World) {
    let stores = [world.store().clone(), world.another_store().await];
    let mut chance = Random::seeded(7);
    for _ in 0..30 {
        for _ in 0..30 {
            let store = chance.one_of(&stores).clone();
            play_random_step(&mut chance, world, &store).await;
        }
        assert!(world.verify().await.index_holds);
        let pending = world.store().pending(&EventFilter::default(), 0, 100).await.expect("reads").items;
        let seqs: Vec<_> = pending.iter().filter_map(Call::request).map(|request| request.seq).collect();
        assert_eq!(seqs, waiting(world).await);
    }
    assert!(world.log().await.len() > 60, "the history is too short");
}

async fn rebuilt_index_equals_the_events(world: &mut World) {
    let bot = world.agent("bot");
    let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes("call_1").await.expect("asked");
    bot.proposes_to("call_2", soon).await.expect("asked");
    bot.proposes("call_3").await.expect("asked");
    world.person("ada").allows("call_3").await.expect("allowed");
    for damage in [
        "DELETE FROM open_requests",
        "UPDATE open_requests SET due_at = NULL",
        "UPDATE open_requests SET thread_id = 'nobody'",
        "UPDATE open_requests SET proposer = 'agent:nobody'",
        "INSERT INTO open_requests SELECT seq, thread_id, 'call_3', NULL, principal FROM events WHERE seq = 6",
    ] {
        world.run_sql(damage).await.expect("the index has no guards");
        assert!(!world.verify().await.index_holds, "{damage}");
        world.store().rebuild_index().await.expect("the index is rebuilt");
        assert!(world.verify().await.index_holds, "{damage}");
    }
    let pending = world.store().pending(&EventFilter::default(), 0, 9).await.expect("reads").items;
    assert_eq!(ids(&pending), ["call_1", "call_2"]);
    assert!(world.store().next_due().await.expect("reads").is_some());
}

/// A reader with limits tells that it has left out calls, and takes the last ones.
#[test]
fn limited_reader_tells_what_it_left_out() {
    in_world(async |world| {
        for id in ["call_1", "call_2", "call_3"] {
            world.agent("bot").proposes(id).await.expect("asked");
        }
        let gate = EmbeddedGate::open_with(world.address(), world.options(), Policy::ask_always()).await;
        let gate = gate.expect("opens");
        for (limits, ids, is_cut) in [
            (ReadLimits::ANALYSIS, vec!["call_1", "call_2", "call_3"], false),
            (ReadLimits { events: 3, ..ReadLimits::ANALYSIS }, vec!["call_3"], true),
            (ReadLimits { open_calls: 1, ..ReadLimits::ANALYSIS }, vec!["call_1", "call_2", "call_3"], false),
        ] {
            let reader = CallReader::open(&gate, CallSelection::default()).await.expect("reads");
            let (mut reader, mut read) = (reader.limited(limits), Vec::new());
            while let Some(calls) = reader.next_calls().await.expect("reads") {
                read.extend(calls.iter().map(|call| call.id().as_str().to_owned()));
            }
            read.sort();
            assert_eq!(
                (read, reader.is_cut()),
                (ids.into_iter().map(str::to_owned).collect(), is_cut),
                "{limits:?}"
            );
        }
        gate.shut_down().await;
    });
}

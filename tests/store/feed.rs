//! Every follower receives each matching event once and in order, also if it reconnects or changes to another store.
//! Most feeds here keep only four events in memory, so that nearly every follower lags and reads the table.

use countersign_events::{CallId, Event, EventType, ThreadId, ToolName};
use countersign_store::{EventFilter, EventFollower, Store, StoreError, StoreOptions};
use countersign_tests::{Persona, Proposal, Random, World, code, on_each_database};
use futures_util::{FutureExt, future::join_all};
use std::sync::Arc;

on_each_database! {
    follower_sees_events_of_another_store,
    followers_of_several_writers_see_all_events,
    followers_that_return_often_miss_nothing,
    follower_of_new_thread_sees_its_first_event,
    lagging_follower_catches_up,
    early_and_late_followers_see_the_same,
    cursor_stays_valid_after_its_store_closes,
    cursor_ahead_of_the_feed_is_accepted,
    waiter_wakes_for_its_call_in_any_process,
    idle_follower_catches_up,
    large_events_are_followed,
    dropped_wait_loses_no_event,
}

const THREADS: [&str; 4] = ["t", "t2", "t3", "t4"];

/// Proposes `calls` calls, which write two events each: the call and the request.
async fn propose_many(bot: &Persona, calls: usize) {
    let ids: Vec<_> = (0..calls).map(|n| (THREADS[n % THREADS.len()], format!("call_{n}"))).collect();
    for some in ids.chunks(64) {
        let proposed =
            join_all(some.iter().map(async |(thread, id)| bot.in_thread(thread).proposes(id).await));
        assert!(proposed.await.iter().all(|outcome| code(outcome) == "done"));
    }
}

async fn without_memory(world: &World) -> Store {
    world.another_store_with(StoreOptions { recent: 4, ..world.options() }).await
}

fn of_thread(thread: &str) -> EventFilter {
    EventFilter::of_thread(&ThreadId::new(thread).expect("valid"))
}

async fn takes(follower: &mut EventFollower, count: usize) -> Vec<Arc<Event>> {
    let mut taken = Vec::new();
    while taken.len() < count {
        taken.push(follower.next().await.expect("the log reads"));
    }
    taken
}

fn seqs(events: &[Arc<Event>]) -> Vec<i64> {
    events.iter().map(|event| event.seq).collect()
}

async fn follower_sees_events_of_another_store(world: &mut World) {
    let reader = without_memory(world).await;
    let bot = world.agent("bot");
    let mut all = reader.follow(EventFilter::default(), 0);
    let mut one = reader.follow(of_thread("t3"), 0);
    let (seen, of_one, ()) =
        futures_util::join!(takes(&mut all, 4_000), takes(&mut one, 1_000), propose_many(&bot, 2_000));
    assert_eq!(seqs(&seen), (1..=4_000).collect::<Vec<_>>());
    let expected: Vec<_> =
        seen.iter().filter(|event| event.thread_id.as_str() == "t3").map(|event| event.seq).collect();
    assert_eq!(seqs(&of_one), expected);
    assert!(all.next_at_hand().await.expect("reads").is_none(), "no event is repeated");
    assert!(one.next_at_hand().await.expect("reads").is_none(), "no event is repeated");
}

/// A stream that starts before its thread exists reads the table while another process writes the first event.
async fn follower_of_new_thread_sees_its_first_event(world: &mut World) {
    let reader = without_memory(world).await;
    let bot = world.agent("bot");
    for n in 0..300 {
        let thread = format!("new-{n}");
        let filter = EventFilter { types: vec![EventType::ApprovalRequest], ..of_thread(&thread) };
        let mut followers: Vec<_> = (0..8).map(|_| reader.follow(filter.clone(), 0)).collect();
        let writer = bot.in_thread(&thread);
        let first = join_all(followers.iter_mut().map(EventFollower::next));
        let (seen, proposed) = futures_util::join!(first, writer.proposes("call_1"));
        proposed.expect("asked");
        assert!(
            seen.iter().all(|event| event.as_ref().is_ok_and(|event| event.thread_id.as_str() == thread))
        );
    }
}

/// A store's own writer offers its events to the feed at once, and may be ahead of the events that the feed has read
/// from other stores.
async fn followers_of_several_writers_see_all_events(world: &mut World) {
    let stores = [world.store().clone(), world.another_store().await, without_memory(world).await];
    let writing = stores.iter().enumerate().map(async |(n, store)| {
        for call in 0..100 {
            let bot = world.agent("bot").at(store).in_thread(THREADS[call % THREADS.len()]);
            bot.proposes(&format!("call_{n}_{call}")).await.expect("asked");
        }
    });
    let following = stores.iter().map(async |store| {
        let mut follower = store.follow(EventFilter::default(), 0);
        seqs(&takes(&mut follower, 600).await)
    });
    let (_, received) = futures_util::join!(join_all(writing), join_all(following));
    for events in received {
        assert_eq!(events, (1..=600).collect::<Vec<_>>());
    }
}

async fn followers_that_return_often_miss_nothing(world: &mut World) {
    let stores = [without_memory(world).await, without_memory(world).await];
    let bot = world.agent("bot");
    let returning = async {
        let mut chance = Random::seeded(31);
        let mut cursor = 0;
        for round in 0..1_000 {
            let mut follower = chance.one_of(&stores).follow(EventFilter::default(), cursor);
            for _ in 0..chance.below(7) {
                // The future is dropped while it waits or reads. This must not lose an event.
                if chance.below(4) == 0
                    && let Some(event) = follower.next().now_or_never()
                {
                    cursor = follows(cursor, &event.expect("reads"), round);
                }
                if cursor < 4_000 {
                    cursor = follows(cursor, &follower.next().await.expect("reads"), round);
                }
            }
        }
        let mut follower = stores[1].follow(EventFilter::default(), cursor);
        for event in
            takes(&mut follower, usize::try_from(4_000 - cursor).expect("the cursor is at most 4000")).await
        {
            cursor = follows(cursor, &event, 1_000);
        }
        assert_eq!(cursor, 4_000);
    };
    futures_util::join!(returning, propose_many(&bot, 2_000));
}

fn follows(cursor: i64, event: &Event, round: i32) -> i64 {
    assert_eq!(event.seq, cursor + 1, "in round {round}");
    event.seq
}

async fn lagging_follower_catches_up(world: &mut World) {
    let reader = without_memory(world).await;
    let bot = world.agent("bot");
    let mut all = reader.follow(EventFilter::default(), 0);
    let mut one = reader.follow(of_thread("t2"), 0);
    bot.proposes("first").await.expect("asked");
    assert_eq!(all.next().await.expect("reads").seq, 1);
    propose_many(&bot, 1_000).await;
    assert_eq!(seqs(&takes(&mut all, 2_001).await), (2..=2_002).collect::<Vec<_>>());
    assert_eq!(takes(&mut one, 500).await.len(), 500);
    bot.in_thread("t2").proposes("last").await.expect("asked");
    assert_eq!(seqs(&takes(&mut all, 2).await), [2_003, 2_004], "the follower receives new events again");
    assert_eq!(seqs(&takes(&mut one, 2).await), [2_003, 2_004]);
}

async fn early_and_late_followers_see_the_same(world: &mut World) {
    let (near, far) = (world.store().clone(), without_memory(world).await);
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let mut before = [near.follow(of_thread("t"), 0), far.follow(of_thread("t"), 0)];
    bot.proposes("call_1").await.expect("asked");
    bot.in_thread("t2").proposes("call_1").await.expect("asked");
    ada.at(&far).allows("call_1").await.expect("allowed");
    bot.claims("call_1").await.expect("claimed");
    let mut after = [near.follow(of_thread("t"), 0), far.follow(of_thread("t"), 0)];
    let mut received = Vec::new();
    for follower in before.iter_mut().chain(&mut after) {
        received.push(takes(follower, 4).await);
    }
    let kinds: Vec<_> = received[0].iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [
            EventType::ToolCall,
            EventType::ApprovalRequest,
            EventType::ApprovalResponse,
            EventType::ExecutionStarted
        ]
    );
    assert!(received.iter().all(|events| *events == received[0]), "the events are equal byte for byte");
}

/// A cursor is a `seq`, so it stays valid in another store and after a restart.
async fn cursor_stays_valid_after_its_store_closes(world: &mut World) {
    let bot = world.agent("bot");
    propose_many(&bot, 10).await;
    let mut follower = world.store().follow(EventFilter::default(), 0);
    let cursor = takes(&mut follower, 7).await.last().expect("seven").seq;
    drop(follower);
    world.restarts().await;
    let mut follower = world.store().follow(EventFilter::default(), cursor);
    assert_eq!(seqs(&takes(&mut follower, 13).await), (8..=20).collect::<Vec<_>>());
    let mut ahead = world.store().follow(EventFilter::default(), 21);
    world.agent("bot").proposes("more").await.expect("asked");
    assert_eq!(ahead.next().await.expect("reads").seq, 22, "the follower repeats no event");
}

/// Another instance may have delivered an event that the feed of this store has not read yet. This is so for some of
/// the calls here, whichever they are.
async fn cursor_ahead_of_the_feed_is_accepted(world: &mut World) {
    let (writer, reader) = (world.store().clone(), world.another_store().await);
    let bot = world.agent("bot");
    for call in 0..50 {
        bot.proposes(&format!("call_{call}")).await.expect("asked");
        let tip = writer.feed_tip();
        reader.check_cursor(tip, |_| true).await.expect("the table has the event");
        let error = reader.check_cursor(tip + 1, |_| true).await.expect_err("the table ends before it");
        assert_eq!(error, StoreError::CursorBeyondEnd { seq: tip + 1, tip });
    }
}

async fn waiter_wakes_for_its_call_in_any_process(world: &mut World) {
    let other = world.another_store().await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    bot.in_thread("t2").proposes("call_1").await.expect("asked");
    let mut all = other.follow(EventFilter::default(), 0);
    takes(&mut all, 6).await;
    let id = CallId::new("call_1").expect("valid");
    let mut waiter = other.watch_call(bot.thread_id(), &id);
    ada.allows("call_2").await.expect("allowed");
    ada.in_thread("t2").allows("call_1").await.expect("allowed");
    // The other store's feed announces events in order. After these events, the waiter would have been woken.
    takes(&mut all, 2).await;
    assert!(waiter.woken().now_or_never().is_none(), "a decision on another call does not wake the waiter");
    ada.allows("call_1").await.expect("allowed");
    waiter.woken().await;
}

/// More events arrive than wait for a follower that does not take them.
async fn idle_follower_catches_up(world: &mut World) {
    let reader = world.another_store().await;
    let bot = world.agent("bot");
    let mut all = reader.follow(EventFilter::default(), 0);
    let mut one = reader.follow(of_thread("t2"), 0);
    assert!(all.next_at_hand().await.expect("reads").is_none());
    assert!(one.next_at_hand().await.expect("reads").is_none());
    propose_many(&bot, 100).await;
    assert_eq!(seqs(&takes(&mut all, 200).await), (1..=200).collect::<Vec<_>>());
    assert_eq!(takes(&mut one, 50).await.len(), 50);
    assert!(all.next_at_hand().await.expect("reads").is_none(), "no event is repeated");
    assert!(one.next_at_hand().await.expect("reads").is_none(), "no event is repeated");
}

/// Large events do not wait for a follower: it reads them.
async fn large_events_are_followed(world: &mut World) {
    let bot = world.agent("bot");
    let mut follower = world.store().follow(EventFilter::default(), 0);
    for n in 0..6 {
        assert!(follower.next_at_hand().await.expect("reads").is_none());
        let arguments = format!(r#"{{"command":"{}"}}"#, "x".repeat(n * 30_000));
        let proposal = Proposal { arguments: &arguments, ..Proposal::default() };
        bot.proposes_to(&format!("call_{n}"), proposal).await.expect("asked");
        let events = takes(&mut follower, 2).await;
        assert_eq!(events[0].kind, EventType::ToolCall);
        assert!(events[0].data.as_str().contains(&arguments), "call {n}");
        assert_eq!(events[1].kind, EventType::ApprovalRequest);
    }
}

/// A follower by tool looks up the tool of a call that it has not met, and may be dropped while it does.
async fn dropped_wait_loses_no_event(world: &mut World) {
    let reader = without_memory(world).await;
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let ids: Vec<_> = (0..40).map(|n| format!("call_{n}")).collect();
    for id in &ids {
        bot.proposes(id).await.expect("asked");
    }
    let of_bash = EventFilter { tool: Some(ToolName::new("bash").expect("valid")), ..EventFilter::default() };
    let mut follower = reader.follow(of_bash, 80);
    assert!(follower.next_at_hand().await.expect("reads").is_none());
    for (n, id) in ids.iter().enumerate() {
        ada.allows(id).await.expect("allowed");
        let at_hand = loop {
            match follower.next().now_or_never() {
                Some(event) => break Some(event),
                None if reader.feed_tip() > 80 + i64::try_from(n).expect("few") => break None,
                None => tokio::task::yield_now().await,
            }
        };
        let event = match at_hand {
            Some(event) => event,
            None => follower.next().await,
        };
        assert_eq!(event.expect("reads").seq, 81 + i64::try_from(n).expect("few"));
    }
}

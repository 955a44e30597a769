//! The number of similar calls beside a pending call: how many recent calls of its thread were of the same tool.

use countersign_events::{CallId, ThreadId};
use countersign_store::{CallInContext, Store};
use countersign_tests::{Proposal, World, on_each_database};
use std::{collections::BTreeSet, time::Duration};

on_each_database! {
    only_calls_of_the_tool_and_thread_count,
    similar_count_ends_at_its_limit,
    similar_count_sees_calls_of_other_stores,
    call_is_read_with_its_context,
    last_calls_leave_out_threads_without_calls,
}

async fn in_context(store: &Store, thread: &str, id: &str) -> Option<CallInContext> {
    let (thread, id) = (ThreadId::new(thread).expect("valid"), CallId::new(id).expect("valid"));
    store.call_in_context(&thread, &id).await.expect("reads")
}

async fn similar(store: &Store, thread: &str, id: &str, limit: usize) -> usize {
    let found = in_context(store, thread, id).await.expect("a call");
    store.count_similar(&found.call, found.last_call, limit).await.expect("counts")
}

async fn only_calls_of_the_tool_and_thread_count(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes_to("mail", Proposal { tool: "mail", ..Proposal::default() }).await.expect("asked");
    bot.in_thread("t2").proposes("call_1").await.expect("asked");
    for id in ["call_1", "call_2", "call_3"] {
        bot.proposes(id).await.expect("asked");
    }
    assert_eq!(similar(world.store(), "t", "call_2", 1_000).await, 2);
    assert_eq!(similar(world.store(), "t", "mail", 1_000).await, 0);
    assert_eq!(similar(world.store(), "t2", "call_1", 1_000).await, 0);
}

async fn similar_count_ends_at_its_limit(world: &mut World) {
    for n in 0..6 {
        world.agent("bot").proposes(&format!("call_{n}")).await.expect("asked");
    }
    assert_eq!(similar(world.store(), "t", "call_0", 4).await, 4, "the call is older than the limit");
    assert_eq!(similar(world.store(), "t", "call_5", 4).await, 3, "the call is one of the last four");
    assert_eq!(similar(world.store(), "t", "call_5", 1_000).await, 5);
}

async fn similar_count_sees_calls_of_other_stores(world: &mut World) {
    let (bot, other) = (world.agent("bot"), world.another_store().await);
    bot.proposes("call_1").await.expect("asked");
    assert_eq!(similar(world.store(), "t", "call_1", 1_000).await, 0);
    for n in 2..5 {
        bot.at(&other).proposes(&format!("call_{n}")).await.expect("asked");
        assert_eq!(similar(world.store(), "t", "call_1", 1_000).await, n - 1);
    }
    other.close().await;
}

async fn call_is_read_with_its_context(world: &mut World) {
    let bot = world.agent("bot");
    assert!(in_context(world.store(), "t", "call_1").await.is_none());
    bot.proposes("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    let found = in_context(world.store(), "t", "call_1").await.expect("a call");
    assert_eq!(found.call, world.call("t", "call_1").await);
    assert_eq!(found.last_call, world.call("t", "call_2").await.proposal.seq);
    assert_eq!(found.proposer_seen_at, None);
    let seen_at = world.now().after(Duration::from_secs(20));
    let presence = countersign_store::ProposerPresence {
        thread_id: bot.thread_id().clone(),
        call_id: CallId::new("call_1").expect("valid"),
        seen_at,
    };
    world.store().record_presence(&[presence], false).await.expect("recorded");
    let found = in_context(world.store(), "t", "call_1").await.expect("a call");
    assert_eq!(found.proposer_seen_at, Some(seen_at));
}

async fn last_calls_leave_out_threads_without_calls(world: &mut World) {
    let bot = world.agent("bot");
    for id in ["call_1", "call_2"] {
        bot.proposes(id).await.expect("asked");
        bot.in_thread("t2").proposes(id).await.expect("asked");
    }
    let threads = ["t", "t2", "unknown"].map(|name| ThreadId::new(name).expect("valid"));
    let found = world.store().last_calls(&threads.iter().collect()).await.expect("reads");
    let last = |name: &'static str| {
        let call = world.call(name, "call_2");
        async move { call.await.proposal.seq }
    };
    let [t, t2, unknown] = &threads;
    assert_eq!(found.get(t).copied(), Some(last("t").await));
    assert_eq!(found.get(t2).copied(), Some(last("t2").await));
    assert_eq!(found.get(unknown), None);
    assert!(world.store().last_calls(&BTreeSet::new()).await.expect("reads").is_empty());
}

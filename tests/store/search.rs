//! Filters: pages and followers contain exactly the matching events of the whole log, also if there are few.

use countersign_approvals::access::VisibleThreads;
use countersign_events::{CallState, Event, EventType, Mode, ThreadId, ToolName, ToolPolicy};
use countersign_store::{EventFilter, Store, StoreOptions};
use countersign_tests::{Proposal, Random, World, on_each_database};
use futures_util::future::join_all;
use prometheus_client::{encoding::text::encode, registry::Registry};
use std::{collections::HashMap, time::Duration};

on_each_database! {
    pages_and_followers_contain_exactly_matching_events,
    follower_by_tool_sees_calls_proposed_earlier,
    rare_matches_are_found_span_by_span,
    follower_of_rare_events_searches_the_log_once,
    follower_of_quiet_thread_needs_no_table,
    replaying_followers_share_pages_of_the_table,
    pages_are_bounded_in_bytes,
}

const THREADS: [&str; 3] = ["t1", "t2", "t3"];
const TOOLS: [&str; 3] = ["bash", "ls", "task-list"];
const PEOPLE: [&str; 2] = ["ada", "ben"];

/// Executes random commands, so that the log contains events for each filter. Refusals are ignored.
async fn play_random_steps(world: &World, chance: &mut Random, steps: usize) {
    for step in 0..steps {
        let thread = chance.word(&THREADS);
        let id = format!("call_{}", chance.below(step / 4 + 1));
        let bot = world.agent(chance.word(&["bot", "helper"])).in_thread(thread);
        let person = world.person(chance.word(&PEOPLE)).in_thread(thread);
        let tool = chance.word(&TOOLS);
        let _ = match chance.below(10) {
            0..=3 => bot.proposes_to(&id, Proposal { tool, ..Proposal::default() }).await,
            4 => person.allows(&id).await,
            5 => person.denies(&id).await,
            6 => bot.claims(&id).await,
            7 => bot.finishes(&id).await,
            8 => person.sets_policy(tool, *chance.one_of(ToolPolicy::ALL)).await,
            _ => person.sets_mode(*chance.one_of(&[Mode::Interactive, Mode::AutoDeny])).await,
        };
        world.clock().advance(Duration::from_secs(1));
    }
}

fn random_filter(chance: &mut Random, log: &[Event]) -> EventFilter {
    let mut one_in = |share: usize| chance.below(share) == 0;
    let (thread, kinds, tool, by, since, until) =
        (one_in(2), one_in(3), one_in(2), one_in(3), one_in(3), one_in(3));
    let mut moment = || log[chance.below(log.len())].timestamp;
    let (since, until) = (since.then(&mut moment), until.then(&mut moment));
    let principals = ["agent:bot", "agent:helper", "user:ada", "policy:mode", "user:nobody"];
    EventFilter {
        thread_id: thread.then(|| ThreadId::new(chance.word(&THREADS)).expect("valid")),
        types: (0..if kinds { 2 } else { 0 }).map(|_| *chance.one_of(EventType::ALL)).collect(),
        tool: tool.then(|| ToolName::new(chance.word(&TOOLS)).expect("valid")),
        threads: VisibleThreads::default(),
        principal: by.then(|| chance.word(&principals).parse().expect("valid")),
        since,
        until,
        // Lists of events ignore it.
        arguments_hash: None,
        agent: None,
        project: None,
        touches: None,
    }
}

/// Returns the matching events' `seq`, computed from the whole log in the simplest way.
fn matching_seqs(filter: &EventFilter, log: &[Event]) -> Vec<i64> {
    let field = |event: &Event, key: &str| {
        let data: serde_json::Value = serde_json::from_str(event.data.as_str()).expect("JSON");
        data[key].as_str().map(str::to_owned)
    };
    let mut tools: HashMap<(ThreadId, String), String> = HashMap::new();
    for event in log.iter().filter(|event| event.kind == EventType::ToolCall) {
        let id = field(event, "id").expect("a call has an id");
        tools.insert((event.thread_id.clone(), id), field(event, "name").expect("a call has a name"));
    }
    let tool_of = |event: &Event| match event.kind {
        EventType::ToolCall => field(event, "name"),
        EventType::ToolPolicySet => field(event, "tool"),
        _ => tools.get(&(event.thread_id.clone(), field(event, "toolCallId")?)).cloned(),
    };
    let matches_filter = |event: &&Event| {
        filter.thread_id.as_ref().is_none_or(|thread| event.thread_id == *thread)
            && (filter.types.is_empty() || filter.types.contains(&event.kind))
            && filter.tool.as_ref().is_none_or(|tool| tool_of(event).as_deref() == Some(tool.as_str()))
            && filter.principal.as_ref().is_none_or(|by| event.principal == *by)
            && filter.since.is_none_or(|since| event.timestamp >= since)
            && filter.until.is_none_or(|until| event.timestamp < until)
    };
    log.iter().filter(matches_filter).map(|event| event.seq).collect()
}

async fn paged(store: &Store, filter: &EventFilter, limit: usize) -> Vec<i64> {
    let (mut seqs, mut after) = (Vec::new(), Some(0));
    while let Some(from) = after {
        let page = store.events(filter, from, limit).await.expect("reads");
        assert!(page.items.len() <= limit);
        seqs.extend(page.items.iter().map(|event| event.seq));
        after = page.next;
    }
    seqs
}

async fn pages_and_followers_contain_exactly_matching_events(world: &mut World) {
    let mut chance = Random::seeded(2_026);
    play_random_steps(world, &mut chance, 400).await;
    let log = world.log().await;
    // One store with all events in memory, one with none, and one in between.
    let mut stores = Vec::new();
    for recent in [4_096, 0, 100] {
        let store = world.another_store_with(StoreOptions { recent, ..world.options() }).await;
        stores.push(store);
    }
    for round in 0..60 {
        let filter = random_filter(&mut chance, &log);
        let expected = matching_seqs(&filter, &log);
        let limit = 1 + chance.below(40);
        assert_eq!(paged(world.store(), &filter, limit).await, expected, "round {round}: {filter:?}");
        for store in &stores {
            let mut follower = store.follow(filter.clone(), 0);
            let mut seen = Vec::new();
            while let Some(event) = follower.next_at_hand().await.expect("reads") {
                seen.push(event.seq);
            }
            assert_eq!(seen, expected, "round {round}, followed: {filter:?}");
        }
    }
}

/// Only the call event names the tool. An early follower has seen this event; a follower that starts later must
/// look it up.
async fn follower_by_tool_sees_calls_proposed_earlier(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let of_bash = EventFilter { tool: Some(ToolName::new("bash").expect("valid")), ..EventFilter::default() };
    let mut early = world.store().follow(of_bash.clone(), 0);
    bot.proposes("call_1").await.expect("asked");
    bot.proposes_to("call_2", Proposal { tool: "ls", ..Proposal::default() }).await.expect("asked");
    let mut late = world.another_store().await.follow(of_bash, 4);
    for id in ["call_2", "call_1"] {
        ada.denies(id).await.expect("denied");
    }
    ada.sets_policy("bash", ToolPolicy::Deny).await.expect("set");
    for (follower, expected) in [(&mut early, vec![1, 2, 7, 8, 9]), (&mut late, vec![7, 8, 9])] {
        let mut seen = Vec::new();
        while seen.len() < expected.len() {
            seen.push(follower.next().await.expect("reads").seq);
        }
        assert_eq!(seen, expected);
        assert!(follower.next_at_hand().await.expect("reads").is_none());
    }
}

async fn rare_matches_are_found_span_by_span(world: &mut World) {
    let bot = world.agent("bot");
    let many = (0..10_499).map(|n| {
        let bot = bot.clone();
        async move { bot.proposes(&format!("call_{n}")).await.expect("asked") }
    });
    join_all(many).await;
    bot.proposes("call_10499").await.expect("asked");
    world.person("ada").in_thread("quiet").sets_mode(Mode::AutoDeny).await.expect("set");
    let rare = EventFilter { types: vec![EventType::ThreadModeSet], ..EventFilter::default() };
    let first = world.store().events(&rare, 0, 10).await.expect("reads");
    assert_eq!((first.items.len(), first.next), (0, Some(20_000)), "the search of a page ends after a span");
    assert_eq!(paged(world.store(), &rare, 10).await, [21_001]);

    let of_thread = EventFilter { thread_id: Some(bot.thread_id().clone()), ..rare.clone() };
    let first = world.store().events(&of_thread, 0, 10).await.expect("reads");
    assert_eq!(
        (first.items.len(), first.next),
        (0, Some(20_000)),
        "the search in a thread ends after a span"
    );
    assert!(paged(world.store(), &of_thread, 10).await.is_empty());

    let without_memory = world.another_store_with(StoreOptions { recent: 10, ..world.options() }).await;
    assert_eq!(without_memory.follow(rare, 0).next().await.expect("reads").seq, 21_001);

    let ls = EventFilter { tool: Some(ToolName::new("ls").expect("valid")), ..EventFilter::default() };
    let now = world.now();
    let calls = world.store().calls(&ls, None, now, 0, 10).await.expect("reads");
    assert_eq!((calls.items.len(), calls.next), (0, None));
    let beyond = world.store().calls(&ls, None, now, i64::MAX, 10).await.expect("reads");
    assert_eq!((beyond.items.len(), beyond.next), (0, None), "a page after the end is empty");
    let waits = world
        .store()
        .calls(&EventFilter::default(), Some(CallState::Pending.into()), now, 0, 1)
        .await
        .expect("reads");
    assert_eq!(waits.items[0].id().as_str(), "call_10499");

    let threads = world.store().threads(0, 10).await.expect("reads");
    assert_eq!(threads.items[0].thread_id.as_str(), "quiet");
    assert_eq!(threads.items[1].calls, 10_500);
}

async fn follower_of_rare_events_searches_the_log_once(world: &mut World) {
    let bot = world.agent("bot");
    for n in 0..30 {
        bot.proposes(&format!("call_{n}")).await.expect("asked");
    }
    let store = world.another_store_with(StoreOptions { recent: 10, ..world.options() }).await;
    let of_ls = EventFilter { tool: Some(ToolName::new("ls").expect("valid")), ..EventFilter::default() };
    let mut registry = Registry::default();
    store.register(&mut registry);
    let mut follower = store.follow(of_ls.clone(), 0);
    let mut in_thread = store.follow(EventFilter { thread_id: Some(bot.thread_id().clone()), ..of_ls }, 0);
    let mut all = store.watch_all();
    for n in 0..20 {
        for follower in [&mut follower, &mut in_thread] {
            assert!(follower.next_at_hand().await.expect("reads").is_none());
        }
        bot.at(&store).proposes(&format!("later_{n}")).await.expect("asked");
        all.woken().await;
    }
    assert_eq!(count_rereads(&registry), 2, "each follower searches once");
}

/// A follower that is up to date receives the events of its thread, however many other events there were.
async fn follower_of_quiet_thread_needs_no_table(world: &mut World) {
    let bot = world.agent("bot");
    bot.in_thread("quiet").proposes("call_1").await.expect("asked");
    let store = world.another_store_with(StoreOptions { recent: 4, ..world.options() }).await;
    let mut registry = Registry::default();
    store.register(&mut registry);
    let quiet = ThreadId::new("quiet").expect("valid");
    let mut follower = store.follow(EventFilter::of_thread(&quiet), 0);
    for _ in 0..2 {
        follower.next().await.expect("reads");
    }
    assert!(follower.next_at_hand().await.expect("reads").is_none());
    let before = count_rereads(&registry);
    for n in 0..30 {
        bot.proposes(&format!("call_{n}")).await.expect("asked");
    }
    bot.in_thread("quiet").proposes("call_2").await.expect("asked");
    assert_eq!(follower.next().await.expect("reads").seq, 63);
    assert_eq!(count_rereads(&registry), before);
}

/// Returns how often followers have read the table.
fn count_rereads(registry: &Registry) -> u64 {
    let mut metrics = String::new();
    encode(&mut metrics, registry).expect("the metrics are text");
    let count = metrics.lines().find_map(|line| line.strip_prefix("feed_rereads_total "));
    count.and_then(|count| count.parse().ok()).expect("the reads are counted")
}

/// Readers that start at the same position, for example after a restart, do not all read the table.
async fn replaying_followers_share_pages_of_the_table(world: &mut World) {
    let bot = world.agent("bot");
    for first in (0..500).step_by(50) {
        join_all((first..first + 50).map(async |n| bot.proposes(&format!("call_{n}")).await.expect("asked")))
            .await;
    }
    let store = world.another_store_with(StoreOptions { recent: 4, ..world.options() }).await;
    let mut registry = Registry::default();
    store.register(&mut registry);
    let replays = (0..200).map(async |_| {
        let mut follower = store.follow(EventFilter::default(), 0);
        for seq in 1..=1_000 {
            assert_eq!(follower.next().await.expect("reads").seq, seq);
        }
    });
    join_all(replays).await;
    // Four pages of 256 events. The two followers whose turn it is at the same time may read the same page.
    assert!((4..=8).contains(&count_rereads(&registry)), "{}", count_rereads(&registry));
    let mut of_thread = store.follow(EventFilter::of_thread(bot.thread_id()), 0);
    let first = of_thread.next().await.expect("reads").seq;
    assert_eq!(first, 1, "followers with another filter share nothing with them");
}

/// Without a limit in bytes, a page of many large calls would not fit into memory.
async fn pages_are_bounded_in_bytes(world: &mut World) {
    let bot = world.agent("bot");
    let large = format!(r#"{{"text":"{}"}}"#, "x".repeat(3_500_000));
    for n in 0..7 {
        let proposal = Proposal { arguments: &large, ..Proposal::default() };
        bot.proposes_to(&format!("call_{n}"), proposal).await.expect("asked");
    }
    let (store, now) = (world.store(), world.now());
    let (mut pages, mut ids, mut after) = (0, Vec::new(), Some(0));
    while let Some(from) = after {
        let page = store.pending(&EventFilter::default(), from, 1_000).await.expect("reads");
        ids.extend(page.items.iter().map(|call| call.id().to_string()));
        (pages, after) = (pages + 1, page.next);
    }
    assert_eq!((pages, ids.join(" ")), (2, "call_0 call_1 call_2 call_3 call_4 call_5 call_6".to_owned()));
    let (mut pages, mut ids, mut before) = (0, Vec::new(), Some(0));
    while let Some(from) = before {
        let page = store.calls(&EventFilter::default(), None, now, from, 1_000).await.expect("reads");
        ids.extend(page.items.iter().map(|call| call.id().to_string()));
        (pages, before) = (pages + 1, page.next);
    }
    assert_eq!((pages, ids.join(" ")), (2, "call_6 call_5 call_4 call_3 call_2 call_1 call_0".to_owned()));
    let first = store.events(&EventFilter::default(), 0, 1_000).await.expect("reads");
    assert!(first.items.len() < 14 && first.next.is_some(), "{:?}", first.next);
    assert_eq!(paged(store, &EventFilter::default(), 1_000).await, (1..=14).collect::<Vec<_>>());
    let mut follower = world.another_store().await.follow(EventFilter::default(), 0);
    for seq in 1..=14 {
        assert_eq!(follower.next().await.expect("reads").seq, seq);
    }
}

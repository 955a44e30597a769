//! Lists of calls, pending calls and threads, and the statistics of calls: their order and their filters.

use countersign_events::{Basis, CallState, EventType, Mode, Principal, ThreadId, Timestamp, ToolName};
use countersign_store::{CallSpan, EventFilter};
use countersign_tests::{Proposal, World, on_each_database};
use std::time::Duration;

on_each_database! {
    calls_are_listed_newest_first_and_filtered,
    pending_calls_are_filtered_by_proposal,
    threads_are_listed_by_activity_with_their_counts,
    calls_are_found_by_what_they_touch,
    tally_counts_the_outcome_of_each_call,
    probe_writes_and_reads_without_an_event,
    thread_history_lists_its_calls_newest_first,
}

async fn thread_history_lists_its_calls_newest_first(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for n in 0..6 {
        let id = format!("call_{n}");
        bot.proposes(&id).await.expect("asked");
        ada.allows(&id).await.expect("allowed");
        bot.in_thread("t2").proposes(&id).await.expect("asked");
    }
    let history = async |mut before: i64, limit: usize| {
        let mut ids = Vec::new();
        loop {
            let page = world.store().history(bot.thread_id(), before, limit).await.expect("reads");
            assert!(page.items.len() <= limit);
            for event in &page.items {
                assert_eq!((&event.thread_id, event.kind), (bot.thread_id(), EventType::ToolCall));
                let call: serde_json::Value = event.data.read().expect("JSON");
                ids.push(call["id"].as_str().expect("text").trim_start_matches("call_").to_owned());
            }
            match page.next {
                Some(next) => before = next,
                None => return ids.join(" "),
            }
        }
    };
    for limit in [1, 2, 6, 100] {
        assert_eq!(history(0, limit).await, "5 4 3 2 1 0");
    }
    let fourth = world.call("t", "call_3").await.proposal.seq;
    assert_eq!(history(fourth, 2).await, "2 1 0", "the calls before that one");
    let unknown_thread = ThreadId::new("nobody").expect("valid");
    assert!(world.store().history(&unknown_thread, 0, 9).await.expect("reads").items.is_empty());
}

async fn calls_are_listed_newest_first_and_filtered(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["waiting", "allowed", "denied", "running", "finished"] {
        bot.proposes(id).await.expect("asked");
        world.clock().advance(Duration::from_mins(1));
    }
    for id in ["allowed", "running", "finished"] {
        ada.allows(id).await.expect("allowed");
    }
    ada.denies("denied").await.expect("denied");
    for id in ["running", "finished"] {
        bot.claims(id).await.expect("claimed");
    }
    bot.finishes("finished").await.expect("finished");
    world.agent("helper").in_thread("t2").proposes("waiting").await.expect("asked");

    let now = world.now();
    let list = async |filter: EventFilter, state: Option<CallState>, limit: usize| {
        let (mut ids, mut before) = (Vec::new(), Some(0));
        while let Some(from) = before {
            let page =
                world.store().calls(&filter, state.map(Into::into), now, from, limit).await.expect("reads");
            ids.extend(page.items.iter().map(|call| format!("{}/{}", call.thread_id, call.id())));
            before = page.next;
        }
        ids.join(" ")
    };
    let all = "t2/waiting t/finished t/running t/denied t/allowed t/waiting";
    for limit in [1, 2, 3, 100] {
        assert_eq!(list(EventFilter::default(), None, limit).await, all);
        assert_eq!(
            list(EventFilter::default(), Some(CallState::Pending), limit).await,
            "t2/waiting t/waiting"
        );
    }
    for (state, expected) in [
        (CallState::Allowed, "t/allowed"),
        (CallState::Denied, "t/denied"),
        (CallState::Running, "t/running"),
        (CallState::Finished, "t/finished"),
        (CallState::Cancelled, ""),
    ] {
        assert_eq!(list(EventFilter::default(), Some(state), 100).await, expected);
    }
    let t2 = EventFilter::of_thread(&ThreadId::new("t2").expect("valid"));
    assert_eq!(list(t2, None, 1).await, "t2/waiting");
    let helper = EventFilter { principal: Some(Principal::agent("helper")), ..EventFilter::default() };
    assert_eq!(list(helper, None, 100).await, "t2/waiting");
    let at = |text: &str| text.parse::<Timestamp>().ok();
    let span = EventFilter {
        since: at("2026-01-31T12:01:00.000Z"),
        until: at("2026-01-31T12:03:00.000Z"),
        ..EventFilter::default()
    };
    assert_eq!(list(span, None, 100).await, "t/denied t/allowed");
}

async fn calls_are_found_by_what_they_touch(world: &mut World) {
    for (id, command) in [
        ("reads", "cat .env"),
        ("copies", "cp src/a_b.txt /srv/100%.txt"),
        ("fetches", "curl https://Example.com/x"),
        ("none", "echo"),
    ] {
        let arguments = format!(r#"{{"command":"{command}"}}"#);
        world
            .agent("bot")
            .proposes_to(id, Proposal { arguments: &arguments, ..Proposal::default() })
            .await
            .expect("asked");
    }
    let now = world.now();
    for (pattern, expected) in [
        (".env", "reads"),
        (".ENV", "reads"),
        ("env", ""),
        ("*", "fetches copies reads"),
        ("a_b.txt", "copies"),
        ("a?b*", "copies"),
        ("axb.txt", ""),
        ("100%.txt", "copies"),
        ("10%", ""),
        ("example.com", "fetches"),
    ] {
        for thread_id in [None, ThreadId::new("t").ok()] {
            let filter = EventFilter { thread_id, touches: pattern.parse().ok(), ..EventFilter::default() };
            assert!(filter.touches.is_some(), "{pattern}");
            let page = world.store().calls(&filter, None, now, 0, 100).await.expect("reads");
            let ids: Vec<_> = page.items.iter().map(|call| call.id().to_string()).collect();
            assert_eq!(ids.join(" "), expected, "{pattern}");
        }
    }
}

async fn pending_calls_are_filtered_by_proposal(world: &mut World) {
    for n in 0..12 {
        let (agent, tool) = if n % 3 == 0 { ("helper", "ls") } else { ("bot", "bash") };
        let proposal = Proposal { tool, ..Proposal::default() };
        world.agent(agent).proposes_to(&format!("c{n}"), proposal).await.expect("asked");
        world.clock().advance(Duration::from_mins(1));
    }
    let list = async |filter: &EventFilter, limit: usize| {
        let (mut ids, mut after) = (Vec::new(), Some(0));
        while let Some(from) = after {
            let page = world.store().pending(filter, from, limit).await.expect("reads");
            assert!(page.items.len() <= limit);
            ids.extend(page.items.iter().map(|call| call.id().to_string()));
            after = page.next;
        }
        ids.join(" ")
    };
    let ls = EventFilter { tool: Some(ToolName::new("ls").expect("valid")), ..EventFilter::default() };
    let bot = EventFilter { principal: Some(Principal::agent("bot")), ..EventFilter::default() };
    let late = EventFilter { since: "2026-01-31T12:10:00.000Z".parse().ok(), ..EventFilter::default() };
    for limit in [1, 2, 5, 100] {
        assert_eq!(list(&ls, limit).await, "c0 c3 c6 c9");
        assert_eq!(list(&bot, limit).await, "c1 c2 c4 c5 c7 c8 c10 c11");
        assert_eq!(list(&late, limit).await, "c10 c11");
    }
}

async fn threads_are_listed_by_activity_with_their_counts(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for thread in ["a", "b", "c"] {
        bot.in_thread(thread).proposes("call_1").await.expect("asked");
        bot.in_thread(thread).proposes("call_2").await.expect("asked");
        world.clock().advance(Duration::from_mins(1));
    }
    ada.in_thread("b").denies("call_1").await.expect("denied");
    ada.in_thread("b").sets_mode(Mode::AutoDeny).await.expect("set");
    ada.in_thread("a").closes().await.expect("closed");
    let (mut names, mut before) = (Vec::new(), Some(0));
    while let Some(from) = before {
        let page = world.store().threads(from, 1).await.expect("reads");
        names.extend(page.items.iter().map(|thread| thread.thread_id.to_string()));
        before = page.next;
    }
    assert_eq!(names, ["a", "b", "c"]);
    let outline = async |name: &str| {
        let found = world.store().outline(&ThreadId::new(name).expect("valid")).await;
        found.expect("reads")
    };
    let (a, b) = (outline("a").await.expect("there"), outline("b").await.expect("there"));
    assert_eq!((a.calls, a.pending, a.mode), (2, 0, Mode::Interactive));
    assert_eq!(a.closed_at, Some(world.now()));
    assert_eq!((b.calls, b.pending, b.mode, b.closed_at), (2, 1, Mode::AutoDeny, None));
    assert_eq!(b.first_event_at.to_string(), "2026-01-31T12:01:00.000Z");
    assert_eq!(outline("nowhere").await, None);
}

async fn tally_counts_the_outcome_of_each_call(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["ran", "denied", "waits", "gone"] {
        bot.proposes(id).await.expect("asked");
    }
    world.clock().advance(Duration::from_secs(9));
    ada.allows("ran").await.expect("allowed");
    bot.claims("ran").await.expect("claimed");
    bot.finishes("ran").await.expect("finished");
    ada.denies("denied").await.expect("denied");
    bot.cancels("gone").await.expect("cancelled");
    let page = world.store().call_fates(CallSpan::default()).await.expect("reads");
    assert_eq!(page.next, None);
    let fates = page.items;
    let outcomes: Vec<_> = fates
        .iter()
        .map(|fate| {
            let decided = fate.decided.as_ref();
            let span =
                decided.zip(fate.requested_at).map(|(decided, asked)| decided.2.since(asked).as_secs());
            (decided.map(|decided| (decided.0.as_str(), decided.1.as_str())), span, fate.started)
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            (Some(("allow_once", "approver")), Some(9), true),
            (Some(("deny", "approver")), Some(9), false),
            (None, None, false),
            (Some(("deny", "cancellation")), Some(9), false),
        ]
    );
    let judged: Vec<_> =
        fates.iter().map(|fate| (fate.proposed_at, fate.rule.as_deref(), fate.basis)).collect();
    let begun = world.now().before(Duration::from_secs(9));
    assert!(judged.iter().all(|judged| *judged == (begun, None, Some(Basis::Default))), "{judged:?}");
    let later = Some(world.now());
    assert_eq!(
        world
            .store()
            .call_fates(CallSpan { since: later, ..CallSpan::default() })
            .await
            .expect("reads")
            .items,
        []
    );
    let first = world.store().call_fates(CallSpan { before: 2, ..CallSpan::default() }).await.expect("reads");
    assert_eq!((first.items.len(), first.next), (1, None));
}

async fn probe_writes_and_reads_without_an_event(world: &mut World) {
    let other = world.another_store().await;
    for store in [world.store(), &other] {
        store.probe().await.expect("written and read");
    }
    assert_eq!(world.store().tip().await.expect("reads"), 0);
}

//! Events of types that only a newer version knows are listed and verified. They allow nothing, unless their author marks them as
//! harmless, and they disturb no other call.

use countersign_approvals::Refused;
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain, event::CallState};
use countersign_store::StoreError;
use countersign_tests::{World, code, on_each_database};

on_each_database! {
    call_of_a_newer_event_is_only_read,
    harmless_newer_event_changes_nothing,
    newer_event_about_a_thread_concerns_its_calls,
    newer_event_of_the_whole_log_is_carried,
    newer_event_before_the_start_is_found,
    due_times_of_such_calls_pass,
}

const DELEGATED: &str = "TOOL_APPROVAL_DELEGATED";

/// Appends an event as a newer version would. Its link is the one that every version computes.
async fn write_newer(world: &World, thread: &str, kind: &str, data: &str) {
    let last = world.log().await.pop();
    let thread_id =
        if thread.is_empty() { ThreadId::whole_log() } else { ThreadId::new(thread).expect("valid") };
    let event = Event {
        seq: last.as_ref().map_or(0, |last| last.seq) + 1,
        thread_id,
        kind: EventType::of_event(kind).expect("a name"),
        timestamp: world.now(),
        principal: Principal::user("grace"),
        data: Json::parse(data).expect("valid"),
        hash: None,
    };
    let link = chain::link(last.and_then(|last| last.hash).unwrap_or(Sha256::ZERO), &event);
    let Event { seq, timestamp, principal, .. } = &event;
    let row = format!(
        "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
        VALUES ({seq}, '{thread}', '{kind}', '{timestamp}', '{principal}', '{data}', '{link}')"
    );
    world.run_sql(&row).await.expect("the table takes types of later versions");
}

/// Verifies the log, and returns the numbers of newer events and of those that they concern.
async fn verify(world: &World) -> (u64, u64) {
    let report = world.store().verify(|_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    (report.unjudged.newer, report.unjudged.concerned)
}

async fn call_of_a_newer_event_is_only_read(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes_unlike_others("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    write_newer(world, "t", DELEGATED, r#"{"toolCallId":"call_1","to":"user:grace"}"#).await;
    let refused = ada.allows("call_1").await.expect_err("its meaning is not known");
    let StoreError::Refused(Refused::UnknownEvent { seq, kind }) = &refused else { panic!("{refused}") };
    assert_eq!((*seq, kind.as_str()), (i64::try_from(world.log().await.len()).expect("few"), DELEGATED));
    assert_eq!(code(&ada.denies("call_1").await), "unknown_event");
    assert_eq!(code(&bot.cancels("call_1").await), "unknown_event");
    assert_eq!(code(&bot.proposes_unlike_others("call_1").await), "done", "a repeated proposal only reads");
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
    assert_eq!(
        world.log().await.last().map(|last| last.kind.as_str().to_owned()).as_deref(),
        Some(DELEGATED)
    );
    assert_eq!(code(&ada.allows("call_2").await), "done");
    assert_eq!(code(&bot.claims("call_2").await), "done");
    write_newer(world, "t", DELEGATED, r#"{"toolCallId":"call_2","to":"user:grace"}"#).await;
    assert_eq!(code(&bot.finishes("call_2").await), "done", "what ran is recorded");
    assert_eq!(verify(world).await.0, 2);
    // A newer version may decide by rules that this one does not have.
    let by_hand = "INSERT INTO decisions (thread_id, tool_call_id, decision, principal) VALUES ('t', 'call_1', 'allow_once', 'user:ada')";
    world.run_sql(by_hand).await.expect("by the rules of the database");
    assert_eq!(code(&bot.claims("call_1").await), "unknown_event");
    world.restarts().await;
    assert_eq!(code(&world.agent("bot").claims("call_1").await), "unknown_event");
    verify(world).await;
}

async fn harmless_newer_event_changes_nothing(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    write_newer(world, "t", "TOOL_SEEN", r#"{"toolCallId":"call_1","harmless":true,"comment":"sealed"}"#)
        .await;
    write_newer(world, "t", "THREAD_TITLED", r#"{"title":"Payments","harmless":true}"#).await;
    assert_eq!(code(&ada.allows("call_1").await), "done");
    assert_eq!(code(&bot.claims("call_1").await), "done");
    assert_eq!(verify(world).await, (2, 0));
}

async fn newer_event_about_a_thread_concerns_its_calls(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    write_newer(world, "t", "THREAD_FROZEN", "{}").await;
    assert_eq!(code(&ada.allows("call_1").await), "unknown_event");
    assert_eq!(code(&bot.proposes_unlike_others("call_2").await), "unknown_event");
    assert_eq!(code(&bot.in_thread("u").proposes("call_1").await), "done");
    assert_eq!(code(&ada.in_thread("u").allows("call_1").await), "done");
    world.restarts().await;
    assert_eq!(code(&world.agent("bot").proposes_unlike_others("call_2").await), "unknown_event");
    verify(world).await;
}

async fn newer_event_of_the_whole_log_is_carried(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    write_newer(world, "", "REGION_ADDED", r#"{"name":"north"}"#).await;
    bot.proposes("call_1").await.expect("asked");
    assert_eq!(code(&ada.allows("call_1").await), "done");
    assert_eq!(verify(world).await, (1, 0));
}

/// A store that did not see the event arrive reads it with the call, whether it knows the call or not.
async fn newer_event_before_the_start_is_found(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    bot.proposes_unlike_others("call_2").await.expect("asked");
    write_newer(world, "t", DELEGATED, r#"{"toolCallId":"call_2"}"#).await;
    world.restarts().await;
    let ada = world.person("ada");
    assert_eq!(code(&ada.allows("call_1").await), "done");
    assert_eq!(code(&ada.allows("call_2").await), "unknown_event");
    assert_eq!(code(&world.agent("bot").in_thread("u").proposes("call_2").await), "done");
}

async fn due_times_of_such_calls_pass(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    write_newer(world, "t", DELEGATED, r#"{"toolCallId":"call_1"}"#).await;
    assert_eq!(code(&bot.expires("call_1").await), "done", "the newer version ends it");
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
}

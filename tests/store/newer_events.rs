//! Events of types that only a newer version knows are listed and verified. They allow nothing, unless their author marks them as
//! harmless, and they disturb no other call.

use crate::erasure::{ErasureStory, SECRET};
use countersign_approvals::Refused;
use countersign_events::{CallState, EventType};
use countersign_store::StoreError;
use countersign_tests::{Proposal, World, append_sealed, code, on_each_database};
use std::time::Duration;

on_each_database! {
    call_of_a_newer_event_is_only_read,
    harmless_newer_event_changes_nothing,
    newer_event_about_a_thread_concerns_its_calls,
    newer_event_of_the_whole_log_is_carried,
    newer_event_before_the_start_is_found,
    due_times_of_such_calls_pass,
    call_with_newer_events_is_not_erased,
}

const DELEGATED: &str = "TOOL_APPROVAL_DELEGATED";

/// Appends an event as a newer version would.
pub(crate) async fn write_newer(world: &World, thread: &str, kind: &str, data: &str) {
    let mut connection = world.sql_connection().await;
    let kind = EventType::of_event(kind).expect("a name");
    let appended = append_sealed(world.store(), &mut connection, thread, (kind, "user:grace", data)).await;
    appended.expect("the table takes types of later versions");
    connection.close().await;
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
    let a_minute = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    for id in ["call_1", "call_2"] {
        bot.proposes_to(id, a_minute).await.expect("asked");
    }
    write_newer(world, "t", DELEGATED, r#"{"toolCallId":"call_1"}"#).await;
    world.clock().advance(Duration::from_secs(61));
    for (id, state) in [("call_1", CallState::Pending), ("call_2", CallState::Denied)] {
        assert_eq!(code(&bot.expires(id).await), "done");
        assert_eq!(
            world.call("t", id).await.state(world.now()),
            state,
            "{id}: the newer version ends call_1"
        );
    }
}

/// A harmless event may have content, which only a newer version finds.
async fn call_with_newer_events_is_not_erased(world: &mut World) {
    let story = ErasureStory::open(world).await;
    story.runs("call_1", SECRET).await;
    story.runs("call_2", SECRET).await;
    write_newer(
        world,
        "t",
        "TOOL_SEEN",
        r#"{"toolCallId":"call_1","harmless":true,"comment":"to the bank"}"#,
    )
    .await;
    assert_eq!(story.erases("call_1").await.expect_err("of a newer type").code(), "unknown_event");
    story.erases("call_2").await.expect("erased");
    assert_eq!(verify(world).await, (1, 0));
    story.ends().await;
}

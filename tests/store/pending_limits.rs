//! The limits of pending calls, with the counts that the database keeps.

use countersign_tests::{World, code, on_each_database};

on_each_database! {
    proposals_beyond_the_limits_are_refused,
    decided_calls_make_room_for_others,
}

const LIMITS: &str = "default = \"ask\"\n[limits]\npendingPerThread = 2\npendingPerAgent = 3\n";

async fn proposals_beyond_the_limits_are_refused(world: &mut World) {
    world.set_policy(LIMITS);
    let (bot, other) = (world.agent("bot"), world.agent("other"));
    for id in ["call_1", "call_2"] {
        assert_eq!(code(&bot.proposes(id).await), "done", "{id}");
    }
    assert_eq!(code(&other.proposes("call_3").await), "too_many_pending", "the thread is full");
    let elsewhere = bot.in_thread("elsewhere");
    assert_eq!(code(&elsewhere.proposes("call_1").await), "done");
    assert_eq!(code(&elsewhere.proposes("call_2").await), "too_many_pending", "the agent has three");
    assert_eq!(code(&other.in_thread("elsewhere").proposes("call_2").await), "done");
    assert_eq!(world.log().await.iter().filter(|event| event.thread_id.as_str() == "elsewhere").count(), 4);
}

async fn decided_calls_make_room_for_others(world: &mut World) {
    world.set_policy(LIMITS);
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["call_1", "call_2"] {
        assert_eq!(code(&bot.proposes(id).await), "done", "{id}");
    }
    assert_eq!(code(&bot.proposes("call_3").await), "too_many_pending");
    ada.allows("call_1").await.expect("allowed");
    assert_eq!(code(&bot.proposes("call_3").await), "done");
    assert_eq!(code(&bot.proposes("call_4").await), "too_many_pending");
    assert!(world.verify().await.holds());
}

//! A clock that jumps: leases and expiries follow it, events keep their order, and nothing ends twice.

use countersign_events::{CallState, EventType};
use countersign_tests::{Proposal, World, code, on_each_database};
use std::time::Duration;

on_each_database! {
    lease_follows_a_clock_that_jumps,
    expiry_after_a_jump_is_written_once,
}

const AN_HOUR: Duration = Duration::from_hours(1);

async fn lease_follows_a_clock_that_jumps(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let noon = world.now();
    world.clock().set(noon.after(AN_HOUR));
    bot.proposes("call_1").await.expect("asked");
    ada.allows("call_1").await.expect("allowed");
    world.clock().set(noon);
    bot.claims("call_1").await.expect("claimed");
    let state = async |world: &World| world.call("t", "call_1").await.state(world.now());
    assert_eq!(state(world).await, CallState::Running);
    world.clock().set(noon.after(100 * AN_HOUR));
    assert_eq!(state(world).await, CallState::Unknown, "the lease is over");
    world.clock().set(noon.before(AN_HOUR));
    assert_eq!(state(world).await, CallState::Running, "no event said that it ended");
    bot.finishes("call_1").await.expect("the executor still holds the claim");
    assert_eq!(code(&bot.claims("call_1").await), "already_claimed");
    let seqs: Vec<_> = world.log().await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=5).collect::<Vec<_>>(), "the order is that of the commands");
    assert!(world.verify().await.holds());
}

async fn expiry_after_a_jump_is_written_once(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let noon = world.now();
    let a_minute = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes_to("call_1", a_minute).await.expect("asked");
    world.clock().set(noon.before(100 * AN_HOUR));
    bot.expires("call_1").await.expect("nothing is due");
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
    world.clock().set(noon.after(100 * AN_HOUR));
    for _ in 0..2 {
        bot.expires("call_1").await.expect("written at most once");
    }
    world.clock().set(noon);
    assert_eq!(code(&ada.allows("call_1").await), "already_decided");
    assert_eq!(world.count(EventType::ApprovalResponse).await, 1);
    assert!(world.verify().await.holds());
}

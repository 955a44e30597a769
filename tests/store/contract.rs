//! What an acknowledged command guarantees, and the independence of commands in one batch.

use countersign_approvals::Refused;
use countersign_events::{CallState, Decision, EventType};
use countersign_store::StoreError;
use countersign_tests::{Database, Proposal, World, code, on_each_database};
use futures_util::future::join_all;
use std::time::Duration;

on_each_database! {
    events_are_numbered_without_gaps,
    acknowledged_events_survive_a_restart,
    acknowledged_events_survive_a_dropped_store,
    refused_command_leaves_its_batch_intact,
    command_refused_by_the_database_leaves_batch_intact,
    commands_of_one_batch_see_each_other,
    repeated_command_succeeds_and_writes_nothing,
    reproposal_with_other_arguments_is_refused,
    second_decision_learns_who_decided_first,
    command_after_close_is_refused,
    backward_clock_blocks_no_command,
    backward_clock_revives_no_expired_call,
}

async fn events_are_numbered_without_gaps(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let ids: Vec<_> = (0..300).map(|n| format!("call_{n}")).collect();
    for outcome in join_all(ids.iter().map(|id| bot.proposes(id))).await {
        assert_eq!(code(&outcome), "done");
    }
    for outcome in join_all(ids.iter().map(|id| ada.allows(id))).await {
        assert_eq!(code(&outcome), "done");
    }
    let seqs: Vec<_> = world.log().await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=900).collect::<Vec<_>>());
    assert_eq!(world.store().tip().await, Ok(900));
}

async fn acknowledged_events_survive_a_restart(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let mut acknowledged = bot.proposes("call_1").await.expect("written").events;
    acknowledged.extend(ada.allows("call_1").await.expect("written").events);
    acknowledged.extend(bot.claims("call_1").await.expect("written").events);
    world.restarts().await;
    let kept: Vec<_> = acknowledged.iter().map(|event| (**event).clone()).collect();
    assert_eq!(world.log().await, kept, "the events are equal byte for byte");
    let bot = world.agent("bot");
    assert_eq!(code(&bot.finishes("call_1").await), "done", "the next event follows the last one");
}

/// To the log, a dropped store is the same as a killed process.
async fn acknowledged_events_survive_a_dropped_store(world: &mut World) {
    let other_store = world.another_store().await;
    let bot = world.agent("bot").at(&other_store);
    assert_eq!(code(&bot.proposes("call_1").await), "done");
    drop((bot, other_store));
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
}

async fn refused_command_leaves_its_batch_intact(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let ids: Vec<_> = (0..200).map(|n| format!("call_{n}")).collect();
    let outcomes = join_all(ids.iter().enumerate().map(async |(n, id)| match n % 4 {
        0 => bot.claims(id).await,
        1 => ada.allows(id).await,
        _ => bot.proposes(id).await,
    }))
    .await;
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(code(outcome), if n % 4 < 2 { "unknown_call" } else { "done" }, "order {n}");
    }
    assert_eq!(world.count(EventType::ToolCall).await, 100);
    assert_eq!(world.log().await.len(), 200, "the log contains nothing of the refused commands");
}

/// The database refuses a command that the rules allow, here because of a trigger that an operator has added. The
/// writer then rolls back the whole transaction and executes the batch command by command.
async fn command_refused_by_the_database_leaves_batch_intact(world: &mut World) {
    let guard = match world.database() {
        Database::Sqlite => {
            "CREATE TRIGGER no_entry BEFORE INSERT ON events WHEN NEW.thread_id = 'cursed'
            BEGIN SELECT RAISE(ROLLBACK, 'no entry'); END"
        }
        Database::Postgres => {
            "CREATE FUNCTION no_entry() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''no entry''; END';
            CREATE TRIGGER no_entry BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.thread_id = 'cursed')
                EXECUTE FUNCTION no_entry()"
        }
    };
    world.run_sql(guard).await.expect("the operator adds the trigger");
    let bot = world.agent("bot");
    let refused_bot = bot.in_thread("cursed");
    let ids: Vec<_> = (0..60).map(|n| format!("call_{n}")).collect();
    let outcomes = join_all(ids.iter().enumerate().map(async |(n, id)| {
        if n % 20 == 10 { refused_bot.proposes(id).await } else { bot.proposes(id).await }
    }))
    .await;
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(code(outcome), if n % 20 == 10 { "invalid" } else { "done" }, "order {n}");
    }
    assert_eq!(world.count(EventType::ToolCall).await, 57);
}

async fn commands_of_one_batch_see_each_other(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for round in 0..50 {
        let id = format!("call_{round}");
        // The futures are polled in this order, so the commands are queued in this order.
        let (proposed, allowed, claimed, finished) =
            futures_util::join!(bot.proposes(&id), ada.allows(&id), bot.claims(&id), bot.finishes(&id));
        let codes = [&proposed, &allowed, &claimed, &finished].map(code);
        assert_eq!(codes, ["done"; 4], "round {round}");
        let call = finished.expect("done").call.expect("a call");
        assert_eq!(call.state(world.now()), CallState::Finished);
    }
}

async fn repeated_command_succeeds_and_writes_nothing(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for _ in 0..3 {
        assert_eq!(code(&bot.proposes("call_1").await), "done");
        assert_eq!(code(&ada.allows("call_1").await), "done");
    }
    let again = ada.allows("call_1").await.expect("the command has no effect");
    assert!(again.events.is_empty());
    assert_eq!(again.call.and_then(|call| call.response().map(|response| response.seq)), Some(3));
    assert_eq!(world.log().await.len(), 3);
}

async fn reproposal_with_other_arguments_is_refused(world: &mut World) {
    let bot = world.agent("bot");
    assert_eq!(code(&bot.proposes("call_1").await), "done");
    let other = Proposal { arguments: r#"{"command":"rm -rf /"}"#, ..Proposal::default() };
    assert_eq!(code(&bot.proposes_to("call_1", other).await), "call_differs");
    let respaced = Proposal { arguments: r#"{ "command": "ls" }"#, ..Proposal::default() };
    assert_eq!(
        code(&bot.proposes_to("call_1", respaced).await),
        "done",
        "the same arguments with other white space"
    );
    assert_eq!(world.log().await.len(), 2);
}

async fn second_decision_learns_who_decided_first(world: &mut World) {
    let (bot, ada, bo) = (world.agent("bot"), world.person("ada"), world.person("bo"));
    assert_eq!(code(&bot.proposes("call_1").await), "done");
    assert_eq!(code(&ada.denies("call_1").await), "done");
    let Err(StoreError::Refused(Refused::AlreadyDecided { response })) = bo.allows("call_1").await else {
        panic!("a denial is final");
    };
    assert_eq!((response.by.as_str(), response.what.decision), ("user:ada", Decision::Deny));
    assert_eq!(response.seq, 3);
}

async fn command_after_close_is_refused(world: &mut World) {
    let other_store = world.another_store().await;
    let bot = world.agent("bot").at(&other_store);
    other_store.close().await;
    assert_eq!(code(&bot.proposes("call_1").await), "shutting_down");
    assert_eq!(world.log().await.len(), 0);
}

/// `seq` determines the order of events. No rule depends on the order of their times.
async fn backward_clock_blocks_no_command(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let noon = world.now();
    let later = |seconds| noon.after(Duration::from_secs(seconds));
    let an_hour = Proposal { expires_in: Some(Duration::from_hours(1)), ..Proposal::default() };
    world.clock().set(later(5_000));
    bot.proposes_to("call_1", an_hour).await.expect("asked");
    world.clock().set(later(2_000));
    ada.allows("call_1").await.expect("allowed");
    world.clock().set(noon);
    bot.claims("call_1").await.expect("claimed");
    bot.finishes("call_1").await.expect("finished");
    let times: Vec<_> = world.log().await.iter().map(|event| event.timestamp).collect();
    assert_eq!(times, [later(5_000), later(5_000), later(2_000), noon, noon]);
    assert_eq!(world.call("t", "call_1").await.state(noon), CallState::Finished);
}

/// An expiry that is in the log remains valid after the clock went back to a time before it was due.
async fn backward_clock_revives_no_expired_call(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let noon = world.now();
    let a_minute = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes_to("call_1", a_minute).await.expect("asked");
    world.clock().advance(Duration::from_secs(61));
    bot.expires("call_1").await.expect("the expiry is written");
    world.clock().set(noon);
    assert_eq!(code(&ada.allows("call_1").await), "already_decided");
    assert_eq!(code(&bot.claims("call_1").await), "not_allowed");
}

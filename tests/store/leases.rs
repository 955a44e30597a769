//! One server's lease to deliver webhook messages, and the state beside the log.

use countersign_events::Timestamp;
use countersign_store::{LeaseTask, LeasedTask, TaskLease};
use countersign_tests::{World, on_each_database};
use std::time::Duration;

on_each_database! {
    one_server_holds_a_webhook_until_its_lease_ends,
    state_survives_a_change_of_the_holder,
    rows_of_deliveries_may_be_deleted,
}

const LEASE: Duration = Duration::from_secs(6);

const WEBHOOK: LeaseTask = LeaseTask::Webhook(7);

fn lease(holder: &str, until: Timestamp) -> TaskLease {
    TaskLease { task: WEBHOOK, holder: holder.to_owned(), until }
}

async fn holds(world: &World, holder: &str, now: Timestamp, state: Option<&str>) -> LeasedTask {
    let lease = lease(holder, now.after(LEASE));
    world.store().hold_lease(&lease, state.map(str::to_owned), now).await.expect("writes")
}

async fn one_server_holds_a_webhook_until_its_lease_ends(world: &mut World) {
    let now = world.now();
    assert_eq!(world.store().lease(WEBHOOK).await, Ok(None));
    assert_eq!(holds(world, "a", now, None).await.lease.holder, "a");
    assert_eq!(holds(world, "b", now, None).await.lease.holder, "a");
    let later = now.after(Duration::from_secs(5));
    assert_eq!(holds(world, "a", later, None).await.lease, lease("a", later.after(LEASE)), "it renews");
    assert_eq!(holds(world, "b", now.after(LEASE), None).await.lease.holder, "a");
    assert_eq!(holds(world, "b", later.after(LEASE), None).await.lease.holder, "b", "the lease has ended");
    assert_eq!(holds(world, "a", later.after(LEASE), None).await.lease.holder, "b");
}

async fn state_survives_a_change_of_the_holder(world: &mut World) {
    let now = world.now();
    holds(world, "a", now, Some("{\"cursor\":3}")).await;
    assert_eq!(holds(world, "b", now, Some("{}")).await.state, "{\"cursor\":3}", "only the holder writes");
    let given_back = world.store().hold_lease(&lease("a", now), None, now).await.expect("writes");
    assert_eq!(given_back.state, "{\"cursor\":3}");
    let next = holds(world, "b", now, None).await;
    assert_eq!((next.lease.holder.as_str(), next.state.as_str()), ("b", "{\"cursor\":3}"));
}

async fn rows_of_deliveries_may_be_deleted(world: &mut World) {
    let before = world.log().await;
    holds(world, "a", world.now(), Some("{}")).await;
    world.run_sql("DELETE FROM leases").await.expect("they are not part of the log");
    assert_eq!(world.store().lease(WEBHOOK).await, Ok(None));
    assert_eq!(world.log().await, before);
}

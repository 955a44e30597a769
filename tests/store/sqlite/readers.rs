//! The reading connections of a file: more queries than connections, abandoned queries, and the end.

use countersign_events::{CallId, ThreadId};
use countersign_store::{EventFilter, Store, StoreError, StoreOptions};
use countersign_tests::{World, in_world};
use futures_util::{FutureExt, future::join_all};

async fn one_reader(world: &World) -> Store {
    world.another_store_with(StoreOptions { readers: 1, ..world.options() }).await
}

fn names() -> (ThreadId, CallId) {
    (ThreadId::new("t").expect("valid"), CallId::new("call_1").expect("valid"))
}

#[test]
fn queries_beyond_the_connections_wait() {
    in_world(async |world| {
        world.agent("bot").proposes("call_1").await.expect("asked");
        let (thread, id) = names();
        let store = one_reader(world).await;
        for found in join_all((0..100).map(|_| store.call(&thread, &id))).await {
            assert!(found.expect("reads").is_some());
        }
        store.close().await;
    });
}

#[test]
fn abandoned_query_leaves_its_connection_usable() {
    in_world(async |world| {
        for n in 0..50 {
            world.agent("bot").proposes(&format!("call_{n}")).await.expect("asked");
        }
        let (thread, id) = names();
        let store = one_reader(world).await;
        for _ in 0..20 {
            // One poll sends the query, and its rows arrive later.
            let _ = store.pending(&EventFilter::default(), 0, 50).now_or_never();
            assert!(store.call(&thread, &id).await.expect("reads").is_some());
        }
        assert_eq!(store.pending(&EventFilter::default(), 0, 50).await.expect("reads").items.len(), 50);
        store.close().await;
    });
}

#[test]
fn closed_store_refuses_to_read() {
    in_world(async |world| {
        let (thread, id) = names();
        let store = one_reader(world).await;
        store.close().await;
        assert!(matches!(store.call(&thread, &id).await, Err(StoreError::ShuttingDown)));
        store.close().await;
    });
}

//! Behind a pooler that lends a connection for a transaction at a time: everything works, only the bell is
//! not heard, unless there is a way round the pooler for the one who listens.

use super::{ada, bot, by_the_bell, follows, hears, holds, on_a_server, options, tries_with};
use countersign_approvals::State;
use countersign_store::{Filter, Options, Store};
use countersign_tests::{code, postgres::Cluster};
use futures_util::future::join_all;

/// Stores behind a pooler that has fewer connections than they.
async fn behind_a_pooler<T>(
    server: &Cluster,
    ways: &str,
    options: Options,
    story: impl AsyncFnOnce(Vec<Store>) -> T,
) -> T {
    let pooler = server.pooler(3).await;
    let url = format!("{}?pooler=transaction{ways}", pooler.url());
    let opened =
        join_all((0..4).map(async |_| tries_with(&url, options.clone()).await.expect("the log opens")));
    story(opened.await).await
}

/// The way to the server itself.
fn round_it(server: &Cluster) -> String {
    format!("&listen_host={}&listen_port=5432", server.folder().display())
}

#[test]
fn a_call_goes_its_whole_way_behind_a_pooler() {
    on_a_server(async |server| {
        behind_a_pooler(server, "", options(), async |stores| {
            let cycles = stores.iter().enumerate().map(async |(n, store)| {
                for m in 0..10 {
                    cycle(store, &format!("call_{n}_{m}")).await;
                }
            });
            join_all(cycles).await;
            for store in &stores {
                hears(&mut follows(store), 1, 200).await;
            }
            assert_eq!(holds(&stores[0]).await, 200);
            let page = stores[1].events(&Filter::default(), 0, 30).await.expect("the log reads");
            assert_eq!((page.items.len(), page.next), (30, Some(30)));
        })
        .await;
    });
}

async fn cycle(store: &Store, id: &str) {
    bot(store).proposes(id).await.expect("asked");
    ada(store).allows(id).await.expect("allowed");
    bot(store).claims(id).await.expect("claimed");
    let done = bot(store).finishes(id).await.expect("finished");
    assert_eq!(done.call.expect("a call").state(store.clock().now()), State::Finished);
}

#[test]
fn followers_behind_a_pooler_hear_of_others_by_looking() {
    on_a_server(async |server| behind_a_pooler(server, "", options(), others_hear).await);
}

/// They look by themselves once an hour.
#[test]
fn followers_with_a_way_round_the_pooler_hear_the_bell() {
    on_a_server(async |server| {
        let ways = round_it(server);
        behind_a_pooler(server, &ways, by_the_bell(), others_hear).await;
    });
}

async fn others_hear(stores: Vec<Store>) {
    let mut followers: Vec<_> = stores.iter().map(follows).collect();
    for (round, store) in (0..).zip(&stores) {
        bot(store).proposes(&format!("call_{round}")).await.expect("asked");
        for follower in &mut followers {
            hears(follower, 2 * round + 1, 2 * round + 2).await;
        }
    }
}

#[test]
fn a_server_that_restarts_behind_a_pooler_is_gone_on_with() {
    on_a_server(async |server| {
        let pooler = server.pooler(3).await;
        let url = format!("{}?pooler=transaction", pooler.url());
        let store = tries_with(&url, options()).await.expect("the log opens");
        let mut follower = follows(&store);
        bot(&store).proposes("call_1").await.expect("asked");
        server.restart().await;
        // The pooler lets nobody in until it has tried the server again.
        let mut outcome = bot(&store).proposes("call_2").await;
        while outcome.is_err() {
            assert_eq!(code(&outcome), "unreachable");
            outcome = bot(&store).proposes("call_2").await;
        }
        hears(&mut follower, 1, 4).await;
        assert_eq!(holds(&store).await, 4);
    });
}

/// What is set at the beginning of a transaction takes a snapshot, after which its level stays.
#[test]
fn a_database_with_another_isolation_by_default_is_written_to_behind_a_pooler() {
    on_a_server(async |server| {
        let sql = "ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'";
        server.psql(sql).await.expect("its owner may");
        behind_a_pooler(server, "", options(), async |stores| {
            join_all(
                stores.iter().enumerate().map(async |(n, store)| cycle(store, &format!("call_{n}")).await),
            )
            .await;
            assert_eq!(holds(&stores[0]).await, 20);
        })
        .await;
    });
}

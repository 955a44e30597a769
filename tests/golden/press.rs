//! The recipe works at any time, so that a release finds it in order.

use crate::recipe::play_story;
use countersign_store::{Store, StoreOptions};
use countersign_tests::within_the_limit;

#[test]
fn recipe_makes_log_that_verifies() {
    within_the_limit(async {
        let stage = play_story().await;
        let store = Store::open(stage.file("log.db"), StoreOptions::default()).await.expect("the log opens");
        let report = store.verify(|_| ()).await.expect("reads");
        assert!(report.holds(), "{report:?}");
        store.close().await;
    });
}

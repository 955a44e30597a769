//! Tests of the test tools: a broken tool would let other tests pass without proof.

mod network;
mod servers;

use countersign_tests::postgres::Cluster;

/// The number of rows in the table, as a new connection sees it.
async fn rows(cluster: &Cluster) -> String {
    cluster.psql("SELECT count(*) FROM marks").await.expect("the read succeeds")
}

async fn with_a_table(cluster: &Cluster) {
    cluster.psql("CREATE TABLE marks (n integer)").await.expect("a new table");
}

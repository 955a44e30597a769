//! Tests of the test support, because a fault in it would let other tests pass although they prove nothing.

mod network;
mod servers;

use countersign_tests::postgres::Cluster;

/// Returns the number of rows in the table, as a new connection sees it.
async fn rows(cluster: &Cluster) -> String {
    cluster.psql("SELECT count(*) FROM marks").await.expect("the read succeeds")
}

async fn with_a_table(cluster: &Cluster) {
    cluster.psql("CREATE TABLE marks (n integer)").await.expect("a new table");
}

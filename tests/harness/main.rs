//! The tests' own tools, where a lie of theirs would make stories pass that prove nothing.

mod network;
mod servers;

use countersign_tests::postgres::Cluster;

/// How many rows the table of the story has, to whoever comes now.
async fn rows(cluster: &Cluster) -> String {
    cluster.psql("SELECT count(*) FROM marks").await.expect("it reads")
}

async fn with_a_table(cluster: &Cluster) {
    cluster.psql("CREATE TABLE marks (n integer)").await.expect("a new table");
}

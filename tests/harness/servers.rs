//! The PostgreSQL servers: a killed server has no processes, a lagging standby misses rows, and a full disk refuses
//! writes.

use super::{rows, with_a_table};
use countersign_tests::{
    SqlConnection,
    postgres::{Cluster, ClusterSetup},
    within_the_limit,
};
use std::{fs, io::Write, path::Path};

#[test]
fn killed_server_leaves_no_process_and_keeps_commits() {
    within_the_limit(async {
        let mut cluster = Cluster::started().await;
        with_a_table(&cluster).await;
        let mut connection = SqlConnection::open(&cluster.url()).await;
        connection.run("INSERT INTO marks VALUES (1)").await.expect("the write succeeds");
        connection.run("BEGIN; INSERT INTO marks VALUES (2)").await.expect("the write succeeds");
        let processes = cluster.psql("SELECT pid FROM pg_stat_activity").await.expect("the read succeeds");
        cluster.kill();
        for process in processes.lines() {
            // A zombie is still listed, but has no command line and cannot run.
            let line = fs::read(Path::new("/proc").join(process).join("cmdline")).unwrap_or_default();
            assert!(line.is_empty(), "process {process} still runs: {}", String::from_utf8_lossy(&line));
        }
        connection.run("COMMIT").await.expect_err("the server is dead");
        cluster.start().await;
        assert_eq!(rows(&cluster).await, "1");
        cluster.restart().await;
        assert_eq!(rows(&cluster).await, "1", "a stopped server keeps the row");
    });
}

#[test]
fn promoted_lagging_standby_has_only_its_own_rows() {
    within_the_limit(async {
        let mut primary = Cluster::started().await;
        with_a_table(&primary).await;
        let mut standby = primary.standby().await;
        primary.psql("INSERT INTO marks VALUES (1)").await.expect("the write succeeds");
        standby.catches_up_with(&primary).await;
        assert_eq!(rows(&standby).await, "1");
        let complaint =
            standby.psql("INSERT INTO marks VALUES (2)").await.expect_err("the standby refuses writes");
        assert!(complaint.contains("read-only"), "{complaint}");
        standby.falls_behind().await;
        primary.psql("INSERT INTO marks VALUES (2)").await.expect("the write succeeds");
        primary.kill();
        standby.promote().await;
        assert_eq!(rows(&standby).await, "1", "only the primary has the second row");
        standby.psql("INSERT INTO marks VALUES (3)").await.expect("the promoted standby accepts writes");
    });
}

#[test]
fn full_disk_refuses_rows_and_the_server_survives() {
    within_the_limit(async {
        let cluster = Cluster::with(ClusterSetup { megabytes: Some(64), ..ClusterSetup::default() }).await;
        with_a_table(&cluster).await;
        let ballast = cluster.path_on_small_disk("ballast");
        let mut file = fs::File::create(&ballast).expect("the disk has space");
        let full = std::iter::repeat_with(|| file.write_all(&[0; 8_192])).find_map(Result::err);
        assert_eq!(full.map(|why| why.kind()), Some(std::io::ErrorKind::StorageFull));
        let many = "INSERT INTO marks SELECT generate_series(1, 100000)";
        let complaint = cluster.psql(many).await.expect_err("the disk is full");
        assert!(complaint.contains("No space left on device"), "{complaint}");
        assert_eq!(rows(&cluster).await, "0");
        fs::remove_file(&ballast).expect("the file exists");
        // Deleting the file frees its space only when the file is closed.
        drop(file);
        cluster.psql(many).await.expect("the disk has space again");
    });
}

#[test]
fn changed_setting_applies_to_new_connections() {
    within_the_limit(async {
        let mut cluster = Cluster::started().await;
        cluster.set("work_mem", "12345kB").await;
        assert_eq!(cluster.psql("SHOW work_mem").await.as_deref(), Ok("12345kB"));
    });
}

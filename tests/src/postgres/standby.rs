//! A standby that replicates a primary and can be promoted.

use super::{
    Cluster,
    installed::{program, unprivileged},
    template::run,
};
use std::fs;

impl Cluster {
    /// Starts a standby that streams from this server and serves reads.
    pub async fn standby(&self) -> Self {
        let mut standby = Self::create(self.setup.clone());
        let mut backup = unprivileged(&program("pg_basebackup"));
        backup.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--dbname"]).arg(self.url());
        run(backup.arg("--pgdata").arg(standby.data()));
        fs::write(standby.data().join("standby.signal"), "").expect("a file");
        let primary = format!("host={} port={} user=postgres", self.folder().display(), self.number());
        standby.settings.insert("primary_conninfo", primary);
        standby.start().await;
        standby
    }

    /// Waits until this standby has replayed all commits of the primary. It compares with the flushed log end, not
    /// with the next record's position: that position moves past the header on a new page, and the standby may take
    /// long to reach it.
    pub async fn catches_up_with(&self, primary: &Self) {
        let end = primary.psql("SELECT pg_current_wal_flush_lsn()").await.expect("the read succeeds");
        let has_caught_up = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
        while self.psql(&has_caught_up).await.expect("the read succeeds") != "t" {}
    }

    /// Cuts this standby off from its primary, so that it lags from now on.
    pub async fn falls_behind(&mut self) {
        self.set("primary_conninfo", "").await;
        self.wait_for_log_line("terminating walreceiver process").await;
    }

    /// Promotes this standby, with the data that it has.
    pub async fn promote(&self) {
        assert_eq!(self.psql("SELECT pg_promote()").await.as_deref(), Ok("t"));
    }
}

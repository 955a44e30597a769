//! The database under a test log: a file in a temporary folder, or the test's own PostgreSQL server.

use crate::{Cluster, SqlConnection, open_file};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The database that contains a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// SQLite: a file.
    Sqlite,
    /// PostgreSQL: a server.
    Postgres,
}

/// The test's folder and, on PostgreSQL, its database server.
pub(super) struct WorldGround {
    cluster: Option<Box<Cluster>>,
    folder: TempDir,
}

impl WorldGround {
    pub(super) async fn new(database: Database) -> Self {
        let cluster = match database {
            Database::Sqlite => None,
            Database::Postgres => Some(Box::new(Cluster::started().await)),
        };
        Self { cluster, folder: new_folder() }
    }

    pub(super) fn on(cluster: Cluster) -> Self {
        Self { cluster: Some(Box::new(cluster)), folder: new_folder() }
    }

    pub(super) fn database(&self) -> Database {
        if self.cluster.is_some() { Database::Postgres } else { Database::Sqlite }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn file(&self) -> PathBuf {
        assert!(self.cluster.is_none(), "the log of this world is on PostgreSQL");
        self.folder.path().join("log.db")
    }

    pub(super) fn url(&self) -> String {
        self.cluster.as_ref().map_or_else(|| self.file().display().to_string(), |cluster| cluster.url())
    }

    pub(super) fn cluster(&mut self) -> &mut Cluster {
        self.cluster.as_mut().expect("the log of this world is on SQLite")
    }

    pub(super) async fn sql_connection(&self) -> SqlConnection {
        match &self.cluster {
            None => SqlConnection::Sqlite(open_file(&self.file()).await),
            Some(cluster) => SqlConnection::open(&cluster.url()).await,
        }
    }
}

fn new_folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

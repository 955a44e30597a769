//! A real PostgreSQL for one test: a cluster in a temporary folder, on a socket there and optionally on
//! 127.0.0.1, which the test can stop, kill, restart and replicate.

mod certificates;
mod disk;
mod installed;
mod pooler;
mod server;
mod standby;
mod template;

pub use certificates::TestCertificates;
pub use pooler::PoolerProcess;

use installed::{hand_over, program, unprivileged};
use rustix::process::Signal;
use server::PostgresServer;
use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// How durable acknowledged commits are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// Written but not flushed to disk. A commit survives the server process' end, but not of the machine.
    #[default]
    Written,
    /// Flushed to disk, as in production.
    Real,
}

/// A cluster's setup.
#[derive(Debug, Clone, Default)]
pub struct ClusterSetup {
    /// How durable acknowledged commits are.
    pub durability: Durability,
    /// True to listen also on 127.0.0.1, with a password.
    pub tcp: bool,
    /// True to require TLS on 127.0.0.1.
    pub tls: bool,
    /// The server's own disk size in MiB, for tests that fill it.
    pub megabytes: Option<u32>,
    /// More settings by name.
    pub settings: Vec<(&'static str, String)>,
}

/// A PostgreSQL server with its data. Dropping it stops the server and deletes the data.
pub struct Cluster {
    // Dropped in this order: the server first, then its folder.
    server: Option<PostgresServer>,
    folder: TempDir,
    setup: ClusterSetup,
    settings: BTreeMap<&'static str, String>,
    port: Option<u16>,
    certificates: Option<TestCertificates>,
}

/// The log line of a server that accepts connections, as a primary or as a standby.
const READY: &str = "database system is ready to accept";

/// Settings for small, short-lived data. Shared memory is a file in the data folder, so that a killed server leaves
/// no shared memory behind.
const SETTINGS: &[(&str, &str)] = &[
    ("lc_messages", "C"),
    ("listen_addresses", ""),
    ("dynamic_shared_memory_type", "mmap"),
    ("shared_buffers", "32MB"),
    ("max_wal_size", "64MB"),
    ("wal_keep_size", "64MB"),
    ("unix_socket_permissions", "0777"),
];

impl Cluster {
    /// Starts a cluster with the default setup.
    pub async fn started() -> Self {
        Self::with(ClusterSetup::default()).await
    }

    /// Starts a cluster with this setup.
    pub async fn with(setup: ClusterSetup) -> Self {
        let mut cluster = Self::create(setup);
        template::copy_to(&cluster.data());
        cluster.start().await;
        cluster
    }

    /// Creates a cluster without data.
    fn create(setup: ClusterSetup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        hand_over(folder.path());
        let certificates = setup.tls.then(|| TestCertificates::made_in(folder.path()));
        let mut settings: BTreeMap<_, _> =
            SETTINGS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        if setup.durability == Durability::Written {
            settings.extend([("fsync", "off".to_owned()), ("full_page_writes", "off".to_owned())]);
        }
        if let Some(certificates) = &certificates {
            let path = |path: PathBuf| path.display().to_string();
            settings.insert("ssl", "on".to_owned());
            settings.insert("ssl_cert_file", path(certificates.server()));
            settings.insert("ssl_key_file", path(certificates.key()));
        }
        settings.insert("unix_socket_directories", folder.path().display().to_string());
        settings.extend(setup.settings.iter().cloned());
        Self { server: None, folder, setup, settings, port: None, certificates }
    }

    /// Starts the stopped server, and waits until it accepts connections.
    pub async fn start(&mut self) {
        assert!(self.server.is_none(), "the server is stopped");
        // Another process may take the port between finding it and listening on it.
        for _ in 0..10 {
            if self.setup.tcp && self.port.is_none() {
                self.port = Some(free_port());
            }
            self.configure();
            match PostgresServer::start(self.command(), READY).await {
                Ok(server) => {
                    self.server = Some(server);
                    return;
                }
                Err(log) if log.contains("Address already in use") => self.port = None,
                Err(log) => panic!("PostgreSQL does not start: {log}"),
            }
        }
        panic!("no port of 127.0.0.1 stays free");
    }

    fn command(&self) -> Command {
        // The kernel ends the server with the test. The signal is SIGQUIT, so that the server removes its socket.
        let mut server = unprivileged(Path::new("setpriv"));
        server.arg("--pdeathsig=QUIT").arg(program("postgres"));
        for name in ["config_file", "hba_file"] {
            server.arg("-c").arg(format!("{name}={}", self.folder.path().join(name).display()));
        }
        match self.setup.megabytes {
            None => {
                server.arg("-D").arg(self.data());
                server
            }
            Some(megabytes) => {
                server.arg("-D").arg(self.disk());
                disk::with_small_disk(megabytes, &self.data(), &self.disk(), &server)
            }
        }
    }

    /// Writes the settings and the authentication rules.
    fn configure(&mut self) {
        if let Some(port) = self.port {
            self.settings.insert("listen_addresses", "127.0.0.1".to_owned());
            self.settings.insert("port", port.to_string());
        }
        let mut text = String::new();
        for (name, value) in &self.settings {
            writeln!(text, "{name} = '{}'", value.replace('\'', "''")).expect("writing to a String succeeds");
        }
        let host = if self.setup.tls { "hostssl" } else { "host" };
        let authentication = format!(
            "local all all trust\nlocal replication all trust\n{host} all all 127.0.0.1/32 scram-sha-256\n"
        );
        for (name, text) in [("config_file", text), ("hba_file", authentication)] {
            let path = self.folder.path().join(name);
            fs::write(&path, text).expect("a file");
            hand_over(&path);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the folder with all files of the server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the socket's path.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{}", self.number()))
    }

    /// Returns the port, which is also part of the socket's name.
    fn number(&self) -> u16 {
        self.port.unwrap_or(5432)
    }

    /// Returns the URL for the database `postgres`, as its owner, over the socket.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_as("postgres", "postgres")
    }

    /// Returns the URL for a database, as `role`, over the socket and without a password.
    #[must_use]
    pub fn url_as(&self, role: &str, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{folder}:{}/{database}", self.number())
    }

    /// Returns the URL for the database `postgres`, as its owner with a password, over TCP. `host` names or
    /// addresses this machine.
    #[must_use]
    pub fn tcp_url(&self, host: &str) -> String {
        let port = self.port.expect("the setup enables TCP");
        format!("postgres://postgres:{}@{host}:{port}/postgres", template::PASSWORD)
    }

    /// Returns the certificates. The setup must require TLS.
    #[must_use]
    pub fn certificates(&self) -> &TestCertificates {
        self.certificates.as_ref().expect("the setup requires TLS")
    }

    /// Creates an empty database, and returns its URL.
    pub async fn database(&self, name: &str) -> String {
        self.psql(&format!("CREATE DATABASE {name}")).await.expect("a new name");
        self.url_as("postgres", name)
    }

    /// Runs statements in the real `psql`, in the database `postgres`.
    pub async fn psql(&self, sql: &str) -> Result<String, String> {
        crate::run_psql(&self.url(), sql).await
    }

    /// Changes a setting, and waits until the server has applied it.
    pub async fn set(&mut self, name: &'static str, value: &str) {
        self.settings.insert(name, value.to_owned());
        self.configure();
        let server = self.running();
        let before = server.log_line_count();
        server.signal(Signal::HUP);
        self.wait_for_log_line_after(before, &format!("parameter \"{name}\"")).await;
    }

    /// Waits for a log line with `text` after the first `after` lines.
    async fn wait_for_log_line_after(&self, after: usize, text: &str) {
        let found = self.running().wait_for_log_line_after(after, text).await;
        found.unwrap_or_else(|log| panic!("the server ended without logging {text:?}: {log}"));
    }

    /// Waits for a log line with `text`, which may already be in the log.
    pub async fn wait_for_log_line(&self, text: &str) {
        self.wait_for_log_line_after(0, text).await;
    }

    /// Returns the server's log.
    #[must_use]
    pub fn log(&self) -> String {
        self.running().log()
    }

    fn running(&self) -> &PostgresServer {
        self.server.as_ref().expect("the server runs")
    }

    fn take_server(&mut self) -> PostgresServer {
        assert!(self.setup.megabytes.is_none(), "the server's own disk ends with the server");
        self.server.take().expect("the server runs")
    }

    /// Stops the server without waiting for its clients.
    pub fn stop(&mut self) {
        self.take_server().end(Signal::INT);
    }

    /// Kills all processes of the server, which then flush nothing.
    pub fn kill(&mut self) {
        self.take_server().kill();
    }

    /// Stops the server and starts it again.
    pub async fn restart(&mut self) {
        self.stop();
        self.start().await;
    }
}

/// Returns a port of 127.0.0.1 that was free at this moment.
fn free_port() -> u16 {
    let found = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    found.expect("there is a free port").port()
}

//! A real PostgreSQL of the test's own: a cluster in a temporary folder, on a socket in there and, where it
//! is asked for, on 127.0.0.1; to be stopped, killed, restarted and copied from as a story wants it.

mod certificates;
mod disk;
mod installed;
mod pooler;
mod server;
mod standby;
mod template;

pub use certificates::Certificates;
pub use pooler::Pooler;

use installed::{hand_over, program, unprivileged};
use rustix::process::Signal;
use server::Server;
use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Whether a commit is on disk before it is acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// It is written, and not flushed: it survives the death of the server, and is quick.
    #[default]
    Written,
    /// As in production.
    Real,
}

/// How a cluster is set up.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Whether a commit is on disk before it is acknowledged.
    pub durability: Durability,
    /// Whether the server is also found on 127.0.0.1, by password.
    pub tcp: bool,
    /// Whether it insists on TLS there.
    pub tls: bool,
    /// The size of its disk, if that is to be full one day.
    pub megabytes: Option<u32>,
    /// More settings, by their names.
    pub settings: Vec<(&'static str, String)>,
}

/// A server with its data. Dropped, it is stopped, and nothing of it is left.
pub struct Cluster {
    // Dropped in this order: the server first, then what it stands on.
    server: Option<Server>,
    folder: TempDir,
    setup: Setup,
    settings: BTreeMap<&'static str, String>,
    port: Option<u16>,
    certificates: Option<Certificates>,
}

/// What a server says when it can be connected to, as a primary and as a standby.
const READY: &str = "database system is ready to accept";

/// For small data, quickly forgotten. Shared memory is kept in the folder, where a killed server leaves
/// nothing behind.
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
    /// A cluster as most stories need it.
    pub async fn started() -> Self {
        Self::with(Setup::default()).await
    }

    /// A cluster set up in a way of its own.
    pub async fn with(setup: Setup) -> Self {
        let mut cluster = Self::founded(setup);
        template::copy_to(&cluster.data());
        cluster.start().await;
        cluster
    }

    /// The folder, with no data in it yet.
    fn founded(setup: Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        hand_over(folder.path());
        let certificates = setup.tls.then(|| Certificates::made_in(folder.path()));
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

    /// Starts a server that does not run, and waits until it can be connected to.
    pub async fn start(&mut self) {
        assert!(self.server.is_none(), "it runs already");
        // Between finding a port and taking it somebody else may have taken it.
        for _ in 0..10 {
            if self.setup.tcp && self.port.is_none() {
                self.port = Some(free_port());
            }
            self.configure();
            match Server::start(self.command(), READY).await {
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
        // The kernel ends it if we end without a word. SIGQUIT, so that it gets to take its socket away.
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
                disk::of_its_own(megabytes, &self.data(), &self.disk(), &server)
            }
        }
    }

    /// Writes down the settings, and who may come in how.
    fn configure(&mut self) {
        if let Some(port) = self.port {
            self.settings.insert("listen_addresses", "127.0.0.1".to_owned());
            self.settings.insert("port", port.to_string());
        }
        let mut text = String::new();
        for (name, value) in &self.settings {
            writeln!(text, "{name} = '{}'", value.replace('\'', "''")).expect("a text takes more");
        }
        let host = if self.setup.tls { "hostssl" } else { "host" };
        let doors = format!(
            "local all all trust\nlocal replication all trust\n{host} all all 127.0.0.1/32 scram-sha-256\n"
        );
        for (name, text) in [("config_file", text), ("hba_file", doors)] {
            let path = self.folder.path().join(name);
            fs::write(&path, text).expect("a file");
            hand_over(&path);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder that the server keeps everything in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The socket, for a proxy to go to.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{}", self.number()))
    }

    /// The port, which the socket is named after too.
    fn number(&self) -> u16 {
        self.port.unwrap_or(5432)
    }

    /// The database `postgres` as its owner, over the socket.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_as("postgres", "postgres")
    }

    /// A database as some role sees it, over the socket, where nobody is asked for a password.
    #[must_use]
    pub fn url_as(&self, role: &str, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{folder}:{}/{database}", self.number())
    }

    /// The database `postgres` as its owner, with a password, over TCP at that name of 127.0.0.1.
    #[must_use]
    pub fn tcp_url(&self, host: &str) -> String {
        let port = self.port.expect("it was to be found over TCP");
        format!("postgres://postgres:{}@{host}:{port}/postgres", template::PASSWORD)
    }

    /// The certificates, where it insists on TLS.
    #[must_use]
    pub fn certificates(&self) -> &Certificates {
        self.certificates.as_ref().expect("it was to insist on TLS")
    }

    /// Makes a database with nothing in it, and says where it is.
    pub async fn database(&self, name: &str) -> String {
        self.psql(&format!("CREATE DATABASE {name}")).await.expect("a new name");
        self.url_as("postgres", name)
    }

    /// Types statements into the real `psql`, in the database `postgres`.
    pub async fn psql(&self, sql: &str) -> Result<String, String> {
        crate::run_psql(&self.url(), sql).await
    }

    /// Changes a setting, and waits until the server has heard of it.
    pub async fn set(&mut self, name: &'static str, value: &str) {
        self.settings.insert(name, value.to_owned());
        self.configure();
        let server = self.running();
        let before = server.said();
        server.signal(Signal::HUP);
        self.says(before, &format!("parameter \"{name}\"")).await;
    }

    /// Waits until the server says something after so many lines.
    async fn says(&self, after: usize, text: &str) {
        let said = self.running().says(after, text).await;
        said.unwrap_or_else(|log| panic!("the server ended, and never said {text:?}: {log}"));
    }

    /// Waits until the server has said something, be it long ago.
    pub async fn has_said(&self, text: &str) {
        self.says(0, text).await;
    }

    /// All that the server has said so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.running().log()
    }

    fn running(&self) -> &Server {
        self.server.as_ref().expect("the server runs")
    }

    fn taken(&mut self) -> Server {
        assert!(self.setup.megabytes.is_none(), "a disk of its own is gone with the server");
        self.server.take().expect("the server runs")
    }

    /// Stops the server as an operator does who does not wait for anybody.
    pub fn stop(&mut self) {
        self.taken().end(Signal::INT);
    }

    /// Kills all processes of the server. Nothing is flushed, and nobody is told.
    pub fn kill(&mut self) {
        self.taken().kill();
    }

    /// Stops the server and starts it again.
    pub async fn restart(&mut self) {
        self.stop();
        self.start().await;
    }
}

/// A port that nobody has at the moment.
fn free_port() -> u16 {
    let found = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    found.expect("there is a free port").port()
}

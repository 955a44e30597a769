//! `PgBouncer` in front of a server, in transaction mode: it assigns a connection for one transaction at a time.

use super::{
    Cluster, free_port,
    installed::{hand_over, unprivileged},
    server::PostgresServer,
};
use std::{fs, path::Path};

/// A running pooler on a port of 127.0.0.1. Dropping it stops the pooler.
pub struct PoolerProcess {
    port: u16,
    _server: PostgresServer,
}

impl Cluster {
    /// Starts a pooler in front of this server, with at most `connections` connections to it.
    pub async fn pooler(&self, connections: u32) -> PoolerProcess {
        let users = self.folder().join("users.txt");
        fs::write(&users, "\"postgres\" \"\"\n").expect("a file");
        hand_over(&users);
        for _ in 0..10 {
            let port = free_port();
            let text = format!(
                "[databases]\n* = host={folder} port={number}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
                 listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {users}\n\
                 pool_mode = transaction\ndefault_pool_size = {connections}\nmax_client_conn = 200\n\
                 server_login_retry = 0.1\nignore_startup_parameters = extra_float_digits\n",
                folder = self.folder().display(),
                number = self.number(),
                users = users.display(),
            );
            let file = self.folder().join("pgbouncer.ini");
            fs::write(&file, text).expect("a file");
            hand_over(&file);
            let mut command = unprivileged(Path::new("setpriv"));
            command.args(["--pdeathsig=TERM", "pgbouncer"]).arg(&file);
            // Debian installs PgBouncer in /usr/sbin, which is not in the PATH of every user.
            command.env("PATH", "/usr/sbin:/usr/bin:/bin:/usr/local/bin");
            match PostgresServer::start(command, "process up").await {
                Ok(server) => return PoolerProcess { port, _server: server },
                Err(log) => assert!(log.contains("ddress already in use"), "PgBouncer does not start: {log}"),
            }
        }
        panic!("no port of 127.0.0.1 stays free");
    }
}

impl PoolerProcess {
    /// Returns the URL for the database `postgres` through the pooler, as its owner and without a password.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

//! A real server process on its own port.

use super::{Process, ProcessEnd, ProcessWorld};
use crate::world::{
    Persona,
    http::{HttpAnswer, IDENTITY_HEADER, ToServer},
};
use countersign_events::Principal;
use reqwest::{Method, RequestBuilder};
use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use serde_json::Value;
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::Command,
};

/// Options for a server that believes the [`ToServer`] header in which this machine's callers say who they are, and
/// that runs in solo mode for those who send none. Tests of credentials start servers with other options.
const TRUSTING: [&str; 11] = [
    "--solo",
    "--behind-proxy",
    "127.0.0.1",
    "--behind-proxy",
    "unix",
    "--identity-header",
    IDENTITY_HEADER,
    "--identity-role",
    "approver",
    "--identity-role",
    "admin",
];

/// A server process. Its agents and people reach it over HTTP.
pub struct Server {
    /// The server's URL.
    pub url: String,
    transport: ToServer,
    process: Process,
}

impl Server {
    /// Starts a server, and returns when it listens.
    pub(super) async fn start(world: &ProcessWorld, listen: &str, words: &[&str]) -> Self {
        let command = world.countersign_over_log(&["--json", "serve", "--listen", listen]);
        Self::start_command(command, words).await
    }

    /// Starts a server over the log at this address.
    pub(super) async fn start_over(world: &ProcessWorld, address: &str) -> Self {
        let words = ["--database", address, "--json", "serve", "--listen", "127.0.0.1:0"];
        Self::start_command(world.countersign(&words), &[]).await
    }

    /// Starts a server with these variables in its environment.
    pub(super) async fn start_with_variables(
        world: &ProcessWorld,
        variables: &[(&str, &str)],
        words: &[&str],
    ) -> Self {
        let mut command = world.countersign_over_log(&["--json", "serve", "--listen", "127.0.0.1:0"]);
        command.envs(variables.iter().copied());
        Self::start_command(command, words).await
    }

    /// Starts a server that may have this many files open.
    pub(super) async fn start_with_open_files(world: &ProcessWorld, files: u32, words: &[&str]) -> Self {
        let command = world.countersign_over_log(&["--json", "serve", "--listen", "127.0.0.1:0"]);
        let mut limited = world.program("sh");
        limited.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
        limited.arg(command.as_std().get_program()).args(command.as_std().get_args());
        Self::start_command(limited, words).await
    }

    async fn start_command(mut command: Command, words: &[&str]) -> Self {
        let mut process = Process::start(command.args(TRUSTING).args(words));
        let Some(line) = process.line().await else {
            panic!("the server does not listen: {:?}", process.ended().await);
        };
        let greeting: Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = greeting["listening"].as_str().expect("an address").to_owned();
        let transport = ToServer::at(&url);
        Self { url, transport, process }
    }

    /// Returns an agent, in thread `t`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), Some(Principal::agent(name)))
    }

    /// Returns a person, in thread `t`.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), Some(Principal::user(name)))
    }

    /// Returns a caller who does not state a name.
    #[must_use]
    pub fn anonymous(&self) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), None)
    }

    /// Creates a request without a name.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.anonymous().request(method, path)
    }

    /// Sends a `GET` request without a name.
    pub async fn get(&self, path: &str) -> HttpAnswer {
        self.anonymous().get(path).await
    }

    /// Sends a `POST` request with a JSON body, without a name.
    pub async fn post(&self, path: &str, body: impl Into<String>) -> HttpAnswer {
        self.anonymous().post(path, body).await
    }

    /// Limits the number of files that the running server may have open.
    pub fn limit_open_files(&self, files: u64) {
        let pid = i32::try_from(self.process.pid()).ok().and_then(Pid::from_raw).expect("a process");
        let limit = Rlimit { current: Some(files), maximum: Some(files) };
        prlimit(Some(pid), Resource::Nofile, limit).expect("the limit can be lowered");
    }

    /// Returns the server's resident memory, in KiB.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        let pid = self.process.pid();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the status contains VmRSS");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().expect("an address")
    }

    /// Returns the number of events in the server's log.
    pub async fn event_count(&self) -> i64 {
        self.get("/readyz").await.value("events").as_i64().expect("a number")
    }

    /// Returns the next line of the process log that contains `part`. The server logs only warnings and errors, unless
    /// the test sets another level.
    pub async fn complains(&mut self, part: &str) -> String {
        self.process.complains(part).await
    }

    /// Kills the server with `SIGKILL`, and waits until it has ended.
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }

    /// Sends a request that waits in the server, and returns its connection. `head` is the request without the header `Host`.
    /// The connection sends two requests at once, and the answer to the first shows that the server has received both.
    pub async fn leave_waiting(&self, head: &str, body: &str) -> TcpStream {
        let (host, length) = (self.address(), body.len());
        let mut stream = TcpStream::connect(host).await.expect("the connection is accepted");
        let requests = format!(
            "GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n{head}\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(requests.as_bytes()).await.expect("the write succeeds");
        let mut text = String::new();
        let mut byte = [0];
        while !text.ends_with("\r\n\r\n") {
            stream.read_exact(&mut byte).await.expect("an answer");
            text.push(char::from(byte[0]));
        }
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.and_then(|length| length.parse().ok()).expect("a length");
        stream.read_exact(&mut vec![0; length]).await.expect("a body");
        stream
    }

    /// Sends a signal to the server.
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Waits until the server ends.
    pub async fn ended(self) -> ProcessEnd {
        self.process.ended().await
    }

    /// Sends `SIGTERM` to the server, and waits until it has ended.
    pub async fn terminated(self) -> ProcessEnd {
        self.signal(Signal::TERM);
        self.ended().await
    }
}

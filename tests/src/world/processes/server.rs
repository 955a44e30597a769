//! A real server process on its own port.

use super::{Process, ProcessEnd, ProcessWorld};
use crate::world::{
    Persona,
    http::{HttpAnswer, ToServer},
};
use countersign_events::Principal;
use reqwest::{Method, RequestBuilder};
use rustix::process::Signal;
use serde_json::Value;
use std::net::SocketAddr;

/// A server process. Agents and people who are named here reach it over HTTP.
pub struct Server {
    /// Its URL.
    pub url: String,
    transport: ToServer,
    process: Process,
}

impl Server {
    /// Starts it, up to the moment at which it listens.
    pub(super) async fn start(world: &ProcessWorld, listen: &str, words: &[&str]) -> Self {
        let mut command = world.countersign_over_log(&["--json", "serve", "--listen", listen]);
        let mut process = Process::start(command.args(words));
        let Some(line) = process.line().await else {
            panic!("it does not listen: {:?}", process.ended().await);
        };
        let greeting: Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = greeting["listening"].as_str().expect("an address").to_owned();
        let transport = ToServer::at(&url);
        Self { url, transport, process }
    }

    /// An agent, in thread `t`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), Some(Principal::agent(name)))
    }

    /// A person, in thread `t`.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), Some(Principal::user(name)))
    }

    /// A caller who does not state a name.
    #[must_use]
    pub fn anonymous(&self) -> Persona<ToServer> {
        Persona::new(self.transport.clone(), None)
    }

    /// A request without a name, that can still be given headers.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.anonymous().request(method, path)
    }

    /// `GET` without a name.
    pub async fn get(&self, path: &str) -> HttpAnswer {
        self.anonymous().get(path).await
    }

    /// `POST` of a JSON body without a name.
    pub async fn post(&self, path: &str, body: impl Into<String>) -> HttpAnswer {
        self.anonymous().post(path, body).await
    }

    /// Its resident memory, in KiB.
    #[must_use]
    pub fn resident_kib(&self) -> u64 {
        let pid = self.process.pid();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().expect("an address")
    }

    /// The number of events in its log.
    pub async fn event_count(&self) -> i64 {
        self.get("/readyz").await.value("events").as_i64().expect("a number")
    }

    /// The next line of its log that contains `part`. It logs warnings, unless it was told to log more.
    pub async fn complains(&mut self, part: &str) -> String {
        self.process.complains(part).await
    }

    /// `kill -9`, and waits until it is gone.
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Waits until it ends by itself.
    pub async fn ended(self) -> ProcessEnd {
        self.process.ended().await
    }

    /// Tells it to end, and waits until it has.
    pub async fn terminated(self) -> ProcessEnd {
        self.signal(Signal::TERM);
        self.ended().await
    }
}

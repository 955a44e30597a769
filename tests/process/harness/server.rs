//! A real server process on a port of its own, and requests to it as any client would send them.

use super::{Place, Process, process::Ended};
use reqwest::{Client, Method, RequestBuilder};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::net::SocketAddr;

pub(crate) struct Server {
    pub(crate) url: String,
    client: Client,
    process: Process,
}

impl Server {
    /// Starts it, as far as it listens.
    pub(crate) async fn start(place: &Place, listen: &str) -> Self {
        Self::start_with(place, listen, &[]).await
    }

    /// Starts it with more words, as far as it listens.
    pub(crate) async fn start_with(place: &Place, listen: &str, words: &[&str]) -> Self {
        let mut command = place.over_the_log(&["--json", "serve", "--listen", listen]);
        let mut process = Process::start(command.args(words));
        let Some(line) = process.line().await else {
            panic!("it does not listen: {:?}", process.ended().await);
        };
        let greeting: Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = greeting["listening"].as_str().expect("an address").to_owned();
        let client = Client::builder().no_proxy().build().expect("a client");
        Self { url, client, process }
    }

    /// What the system counts as its memory, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let pid = self.process.pid();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it is there");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().expect("an address")
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        self.answer(self.request(Method::GET, path)).await
    }

    /// Posts that text as JSON, to the byte.
    pub(crate) async fn post(&self, path: &str, body: impl Into<String>) -> (u16, String) {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        self.answer(request.body(body.into())).await
    }

    pub(crate) async fn answer(&self, request: RequestBuilder) -> (u16, String) {
        let answer = request.send().await.expect("the server answers");
        (answer.status().as_u16(), answer.text().await.expect("the answer is text"))
    }

    pub(crate) async fn propose(&self, thread: &str, id: &str) {
        let call = json!({"id": id, "name": "bash", "arguments": {"command": format!("make {id}")}});
        let (status, body) = self.post(&format!("/v1/threads/{thread}/tool-calls"), call.to_string()).await;
        assert_eq!(status, 201, "{body}");
    }

    pub(crate) async fn allow(&self, thread: &str, id: &str) {
        let path = format!("/v1/threads/{thread}/approvals/{id}");
        let (status, body) = self.post(&path, r#"{"decision": "allow_once"}"#).await;
        assert_eq!(status, 200, "{body}");
    }

    /// How long the log is.
    pub(crate) async fn tip(&self) -> i64 {
        let (_, ready) = self.get("/readyz").await;
        let ready: Value = serde_json::from_str(&ready).expect("JSON");
        ready["events"].as_i64().expect("a number")
    }

    /// What it logs next that holds `part`. It logs warnings, if it was not told to log more.
    pub(crate) async fn complains(&mut self, part: &str) -> String {
        self.process.complains(part).await
    }

    pub(crate) async fn kill(&mut self) {
        self.process.kill().await;
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Waits until it ends by itself.
    pub(crate) async fn ended(self) -> Ended {
        self.process.ended().await
    }

    /// SIGTERM; it then ends by itself.
    pub(crate) async fn terminated(self) -> Ended {
        self.signal(Signal::TERM);
        self.ended().await
    }
}

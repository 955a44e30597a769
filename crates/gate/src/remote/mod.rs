//! The gate over a server, one request at a time: what is asked again while it is away is said in
//! `patience`.

mod follow;
mod lists;
mod send;
mod threads;

use crate::{
    Error,
    api::{self, PRINCIPAL_HEADER},
    without_password,
};
use countersign_events::{CallId, Principal, ThreadId};
use countersign_store::Clock;
use reqwest::{Client, ClientBuilder, Method, Url};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// How long one request waits for a decision; the next one follows at once.
const HOLD: Duration = Duration::from_secs(25);

pub(crate) struct Remote {
    client: Client,
    base: Url,
    /// As whoever connects named it.
    name: String,
}

impl Remote {
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let bad = |why: &str| Error::BadUrl { url: without_password(url), why: why.to_owned() };
        let socket = url.strip_prefix("unix:");
        if socket == Some("") {
            return Err(bad("the path of a socket follows after unix:"));
        }
        let base = if socket.is_some() { "http://localhost" } else { url };
        let base = Url::parse(base).map_err(|why| bad(&why.to_string()))?;
        if base.scheme() != "http" {
            return Err(bad("only http is spoken, and only on this machine"));
        }
        if base.host().is_none() || base.cannot_be_a_base() {
            return Err(bad("it has no host"));
        }
        let client = Client::builder().no_proxy().connect_timeout(Duration::from_secs(5));
        let client = socket.into_iter().fold(client, ClientBuilder::unix_socket);
        let client = client.build().map_err(|why| bad(&why.to_string()))?;
        let name = if socket.is_some() { url.to_owned() } else { base.to_string() };
        Ok(Self { client, base, name })
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }

    fn of_call(&self, thread: &ThreadId, id: &CallId, end: &[&str]) -> Url {
        let path = ["threads", thread.as_str(), "tool-calls", id.as_str()];
        self.url(&[&path, end].concat())
    }

    async fn post<T: Serialize + Sync, A: DeserializeOwned>(
        &self,
        by: &Principal,
        url: Url,
        body: &T,
    ) -> Result<A, Error> {
        self.bring(by, Method::POST, url, body).await
    }

    async fn bring<T: Serialize + Sync, A: DeserializeOwned>(
        &self,
        by: &Principal,
        method: Method,
        url: Url,
        body: &T,
    ) -> Result<A, Error> {
        let request = self.client.request(method, url).json(body);
        self.send(request.header(PRINCIPAL_HEADER, header(by))).await
    }

    pub(crate) async fn propose(
        &self,
        by: &Principal,
        thread: &ThreadId,
        call: &api::Propose,
    ) -> Result<api::Call, Error> {
        self.post(by, self.url(&["threads", thread.as_str(), "tool-calls"]), call).await
    }

    /// Asks again and again, until there is a decision.
    pub(crate) async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        span: Option<Duration>,
    ) -> Result<api::Call, Error> {
        let url = self.of_call(thread, id, &[]);
        let end = span.map(|span| Clock::System.now().after(span));
        loop {
            let left = end.map(|end| end.since(Clock::System.now()));
            // Whole seconds are all that a preference can say; less than one is asked about at once.
            let hold = left.unwrap_or(HOLD).min(HOLD).as_secs();
            let request = self.client.get(url.clone()).header("prefer", format!("wait={hold}"));
            let call: api::Call = self.send(request.timeout(HOLD * 2)).await?;
            if !call.is_pending() || left.is_some_and(|left| left.is_zero()) {
                return Ok(call);
            }
            if hold == 0 {
                Clock::System.sleep(left.unwrap_or_default()).await;
            }
        }
    }

    pub(crate) async fn decide(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::Decide,
    ) -> Result<api::Call, Error> {
        let url = self.url(&["threads", thread.as_str(), "approvals", id.as_str()]);
        self.post(by, url, decide).await
    }

    pub(crate) async fn decide_all(
        &self,
        by: &Principal,
        all: &api::DecideAll,
    ) -> Result<Vec<api::Answered>, Error> {
        let url = self.url(&["approvals", "decide"]);
        let decided: api::Decided = self.post(by, url, all).await?;
        let answered = decided.results.into_iter().map(|one| {
            let api::DecidedOne { thread_id, id, call, problem } = one;
            let outcome = match (call, problem) {
                (Some(call), _) => Ok(call),
                (None, Some(problem)) => Err(Error::Remote(Box::new(problem))),
                (None, None) => Err(self.strange("a decision has neither a call nor a problem")),
            };
            api::Answered { thread_id, id, outcome }
        });
        Ok(answered.collect())
    }

    pub(crate) async fn claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::Claim,
    ) -> Result<api::Call, Error> {
        self.post(by, self.of_call(thread, id, &["claim"]), claim).await
    }

    pub(crate) async fn finish(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::Finish,
    ) -> Result<api::Call, Error> {
        self.post(by, self.of_call(thread, id, &["result"]), finish).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::Cancel,
    ) -> Result<api::Call, Error> {
        self.post(by, self.of_call(thread, id, &["cancel"]), cancel).await
    }

    pub(crate) async fn release(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        release: &api::Release,
    ) -> Result<api::Call, Error> {
        self.post(by, self.of_call(thread, id, &["release"]), release).await
    }

    pub(crate) async fn reach(
        &self,
        thread: &ThreadId,
        id: &CallId,
        width: &api::Width,
    ) -> Result<api::Reach, Error> {
        self.send(self.client.post(self.of_call(thread, id, &["reach"])).json(width)).await
    }

    /// In that thread, or everywhere.
    pub(crate) async fn stop(
        &self,
        by: &Principal,
        thread: Option<&ThreadId>,
        stop: &api::Stop,
    ) -> Result<api::Stopped, Error> {
        let url = match thread {
            Some(thread) => self.of_thread(thread, &["stop"]),
            None => self.url(&["approvals", "stop"]),
        };
        self.post(by, url, stop).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, Error> {
        self.send(self.client.get(self.of_call(thread, id, &[]))).await
    }

    pub(crate) async fn ready(&self) -> Result<api::Ready, Error> {
        let mut url = self.base.clone();
        url.set_path("/readyz");
        self.send(self.client.get(url)).await
    }
}

/// A header holds no more than ASCII, and names are any Unicode: percent-encoded, as in a URL.
fn header(by: &Principal) -> String {
    percent_encoding::utf8_percent_encode(by.as_str(), ENCODED).to_string()
}

const ENCODED: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b'%');

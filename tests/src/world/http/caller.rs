//! Agents and people who send HTTP requests to a server, in the test's own process or in another.

use super::{EventStreamReader, HttpAnswer, new_client};
use crate::world::{
    Action, Persona, PersonaCaller, Transport,
    action::{ClaimChoice, Proposal},
};
use countersign_events::Decision;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

/// The header in which test callers say who they are. Their server trusts this machine as a proxy.
pub(crate) const IDENTITY_HEADER: &str = "countersign-principal";

/// A transport that sends HTTP requests to a server.
#[derive(Clone)]
pub struct ToServer {
    client: Client,
    url: String,
}

impl ToServer {
    /// Creates a transport to the server at this URL, over the connections of `client`.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self { client, url: url.to_owned() }
    }

    /// Creates a transport to the server at this URL, over its own connections.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self::new(new_client(), url)
    }
}

impl Persona<ToServer> {
    /// Creates a request in the name of this persona.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.transport.client.request(method, format!("{}{path}", self.transport.url));
        match &self.caller.principal {
            Some(principal) => request.header(IDENTITY_HEADER, principal.as_str()),
            None => request,
        }
    }

    /// Sends a `GET` request.
    pub async fn get(&self, path: &str) -> HttpAnswer {
        HttpAnswer::to(self.request(Method::GET, path)).await
    }

    /// Sends a `GET` request with one more header.
    pub async fn get_with(&self, path: &str, name: &str, value: &str) -> HttpAnswer {
        HttpAnswer::to(self.request(Method::GET, path).header(name, value)).await
    }

    /// Sends a `POST` request. The body is declared as JSON, but may be invalid.
    pub async fn post(&self, path: &str, body: impl Into<String>) -> HttpAnswer {
        self.send_json(Method::POST, path, body.into()).await
    }

    /// Sends a `PUT` request. The body is declared as JSON, but may be invalid.
    pub async fn put(&self, path: &str, body: impl Into<String>) -> HttpAnswer {
        self.send_json(Method::PUT, path, body.into()).await
    }

    /// Sends a `DELETE` request.
    pub async fn delete(&self, path: &str) -> HttpAnswer {
        HttpAnswer::to(self.request(Method::DELETE, path)).await
    }

    /// Reads a call, which must exist.
    pub async fn call(&self, id: &str) -> HttpAnswer {
        let answer = self.get(&call_path(&self.caller, id)).await;
        assert_eq!(answer.status, 200, "{answer}");
        answer
    }

    /// Opens an event stream, which starts after the event `last_event_id` if one is given.
    pub async fn streams(&self, path: &str, last_event_id: Option<&str>) -> EventStreamReader {
        let request = self.request(Method::GET, path).header("accept", "text/event-stream");
        EventStreamReader::open(
            last_event_id.into_iter().fold(request, |all, id| all.header("last-event-id", id)),
        )
        .await
    }

    /// Sends a `POST` request that is answered with a stream.
    pub async fn posts_for_stream(&self, path: &str, body: impl Into<String>) -> EventStreamReader {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        EventStreamReader::open(request.body(body.into())).await
    }

    async fn send_json(&self, method: Method, path: &str, body: String) -> HttpAnswer {
        HttpAnswer::to(self.request(method, path).header("content-type", "application/json").body(body)).await
    }
}

/// Each action must succeed. A refusal test sends the request itself.
impl Transport for ToServer {
    type Outcome = HttpAnswer;

    async fn perform(&self, caller: &PersonaCaller, action: Action<'_>) -> HttpAnswer {
        let persona = Persona { transport: self.clone(), caller: caller.clone() };
        let thread = thread_path(caller);
        let answer = match action {
            Action::Propose(id, proposal) => {
                persona.post(&format!("{thread}/tool-calls"), propose(id, proposal)).await
            }
            Action::Decide(id, decision) => {
                persona.post(&format!("{thread}/approvals/{id}"), decide(decision)).await
            }
            Action::Claim(id, chosen) => {
                let hash = persona.call(id).await.value("argumentsHash");
                persona.post(&format!("{}/claim", call_path(caller, id)), claim(caller, chosen, &hash)).await
            }
            Action::Finish(id, content) => {
                let body = format!(r#"{{"status":"success","content":{content}}}"#);
                persona.post(&format!("{}/result", call_path(caller, id)), body).await
            }
            Action::Cancel(id) => persona.post(&format!("{}/cancel", call_path(caller, id)), "{}").await,
            Action::Revoke(grant) => persona.delete(&format!("{thread}/grants/{grant}")).await,
            Action::Close => persona.post(&format!("{thread}/close"), "{}").await,
            Action::Due(_) | Action::SetMode(_) | Action::SetToolPolicy(..) => {
                panic!("no request for {action:?}; send one")
            }
        };
        assert!(answer.status < 300, "{action:?}: {answer}");
        answer
    }
}

fn thread_path(caller: &PersonaCaller) -> String {
    format!("/v1/threads/{}", caller.thread_id)
}

fn call_path(caller: &PersonaCaller, id: &str) -> String {
    format!("{}/tool-calls/{id}", thread_path(caller))
}

fn propose(id: &str, proposal: Proposal<'_>) -> String {
    // Not with `json!`, which would parse the arguments and write their numbers and order differently.
    let (name, arguments) = (proposal.tool, proposal.arguments);
    let expires = proposal.expires_in.map(|span| format!(r#","expiresInSeconds":{}"#, span.as_secs()));
    let expires = expires.unwrap_or_default();
    format!(r#"{{"id":"{id}","name":"{name}","arguments":{arguments}{expires}}}"#)
}

fn decide(decision: Decision) -> String {
    match decision {
        Decision::AllowSession => json!({"decision": decision.as_str(), "scope": "tool"}).to_string(),
        _ => json!({"decision": decision.as_str()}).to_string(),
    }
}

fn claim(caller: &PersonaCaller, claim: ClaimChoice<'_>, hash: &Value) -> String {
    let own_name = || caller.principal.as_ref().map_or("local", |principal| principal.as_str());
    json!({"executor": claim.executor.unwrap_or_else(own_name), "argumentsHash": hash}).to_string()
}

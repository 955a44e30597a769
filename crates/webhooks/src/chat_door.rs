//! The door for clicks in chats: whose account clicked, what the message showed, and what the click decides.

use crate::{
    HttpWebhooks,
    chats::chat_types::{ChatAnswer, ChatClick, ChatRefusal, ChatReply, ChatRequest, ClickChoice},
};
use countersign_api::{self as api, SendOperation, operations};
use countersign_approvals::{
    Refused,
    access::{Right, TokenHolder},
    decide::CHAT_GRANT_SECONDS,
    webhook_directory::WebhookRecord,
};
use countersign_events::{Body, CallId, Decision, DecisionChannel, Json, Sha256, ThreadId, Timestamp};
use countersign_gate::{ChatLinkCode, ChatOffer, EmbeddedGate, GateFailure};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::sync::Arc;

/// Receives the clicks of the log's chats, and decides for the people behind the accounts.
#[derive(Clone)]
pub struct ChatDoor {
    gate: EmbeddedGate,
    sender: Arc<HttpWebhooks>,
    /// Whether the server asks for no credential.
    is_solo: bool,
}

/// A click on a message of one chat.
struct ReceivedClick<'a> {
    webhook: &'a WebhookRecord,
    log: Sha256,
    click: ChatClick,
    now: Timestamp,
}

/// Why a click decided nothing.
enum ClickRefusal {
    /// The person alone learns why, and the message stays.
    Told(String),
    /// The message shows the call as it is.
    Outdated(String),
    Failed(ChatRefusal),
}

impl From<GateFailure> for ClickRefusal {
    fn from(failure: GateFailure) -> Self {
        Self::Failed(unusable(&failure))
    }
}

/// A call with the buttons that the rules permit now.
type OfferedCall = (api::Call, ChatOffer);

impl ChatDoor {
    /// Creates the door. `is_solo` is true for a server that asks for no credential.
    #[must_use]
    pub fn new(gate: EmbeddedGate, sender: Arc<HttpWebhooks>, is_solo: bool) -> Self {
        Self { gate, sender, is_solo }
    }

    /// Answers a request of a platform to the chat with this name. What follows the answer is sent by a task of its own.
    pub async fn receive(&self, chat: &str, headers: &HeaderMap, body: &[u8]) -> Result<Value, ChatRefusal> {
        let now = self.gate.clock().now();
        let answered = self.receive_at(chat, headers, body, now).await;
        if let Err(refusal) = &answered {
            tracing::warn!(chat, reason = %refusal, "a request of a chat is refused");
        }
        answered
    }

    async fn receive_at(
        &self,
        chat: &str,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Value, ChatRefusal> {
        let (webhook, log, request) = self.read(chat, headers, body, now).await?;
        let click = match request {
            ChatRequest::Handshake(answer) => return Ok(answer),
            ChatRequest::Ignored => return Ok(json!({})),
            ChatRequest::Click(click) => *click,
        };
        let received = ReceivedClick { webhook: &webhook, log, click, now };
        let reply = self.answer(&received).await?;
        if !reply.follow_ups.is_empty() {
            let sender = Arc::clone(&self.sender);
            tokio::spawn(async move { sender.send_follow_ups(&webhook, log, reply.follow_ups, now).await });
        }
        Ok(reply.body)
    }

    async fn read(
        &self,
        chat: &str,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(WebhookRecord, Sha256, ChatRequest), ChatRefusal> {
        let webhook = self.gate.find_webhook(chat).await.map_err(|failure| match failure {
            // Nobody learns which chats there are.
            GateFailure::Refused(Refused::UnknownWebhook) => ChatRefusal::Forged,
            failure => unusable(&failure),
        })?;
        if !webhook.added.what.format.is_chat_app() {
            return Err(ChatRefusal::Forged);
        }
        let log = self.gate.log_id().await.map_err(|failure| unusable(&failure))?;
        let request = self.sender.read_chat_request(&webhook, log, headers, body, now)?;
        Ok((webhook, log, request))
    }

    /// Decides, and makes the answer.
    async fn answer(&self, received: &ReceivedClick<'_>) -> Result<ChatReply, ChatRefusal> {
        let ReceivedClick { webhook, log, click, now } = received;
        let (chat, account) = (webhook.added.what.name.as_str(), click.account.id.as_str());
        let found = self.gate.check_chat_account(webhook.id(), account, self.is_solo);
        let Some(found) = found else {
            tracing::info!(chat, account, "a click by an account that is linked to nobody");
            return self
                .reply(received, ChatAnswer::Link { url: self.link_url(webhook, *log, click, *now)? });
        };
        let person = found.record.person.clone();
        let answer = match found.holder {
            Ok(holder) => self.decide(received, &holder).await,
            Err(why) => Err(ClickRefusal::Told(format!("{person}: {why}; sign in again"))),
        };
        let note = match answer {
            Ok(()) => None,
            Err(ClickRefusal::Failed(failure)) => return Err(failure),
            Err(ClickRefusal::Told(why)) => {
                tracing::warn!(chat, account, %person, reason = why, "a click decided nothing");
                return self.reply(received, ChatAnswer::Refused(why));
            }
            Err(ClickRefusal::Outdated(why)) => {
                tracing::info!(chat, account, %person, reason = why, "a click came too late");
                Some(why)
            }
        };
        let found = self.call_of(click).await.map_err(|failure| unusable(&failure))?;
        let Some((_, (call, offer))) = found else {
            return self.reply(received, ChatAnswer::Refused("the call is not in the log".to_owned()));
        };
        self.reply(received, ChatAnswer::State { call: &call, offer, note })
    }

    /// Decides for the person behind the account, with the rights that the person has now.
    async fn decide(&self, received: &ReceivedClick<'_>, holder: &TokenHolder) -> Result<(), ClickRefusal> {
        let ReceivedClick { webhook, log, click, .. } = received;
        let told = |why: String| ClickRefusal::Told(why);
        let found = self.call_of(click).await?;
        // A thread that the webhook or the person does not see is as one that does not exist.
        let is_seen = |thread: &ThreadId| holder.threads.admits(thread) && webhook.threads.admits(thread);
        let found = found.filter(|((thread, _), _)| is_seen(thread));
        let Some(((thread, id), (call, offer))) = found else {
            return Err(told("you do not see this call".to_owned()));
        };
        match self.sender.check_click(webhook, *log, click, &call, offer).await {
            Ok(()) => {}
            Err(refusal @ (ChatRefusal::Closed | ChatRefusal::Stale | ChatRefusal::Edited)) => {
                return Err(ClickRefusal::Outdated(refusal.to_string()));
            }
            Err(refusal) => return Err(told(refusal.to_string())),
        }
        let body = self.request_of(received, &call).await;
        let gate = self.gate.acting_for(holder, Right::Decide);
        let decided = gate.send(operations::DecideCall { thread, id, body }).await;
        decided.map(|_| ()).map_err(|error| told(error.to_string()))
    }

    async fn request_of(&self, received: &ReceivedClick<'_>, call: &api::Call) -> api::DecisionRequest {
        let ReceivedClick { webhook, log, click, .. } = received;
        let plain = api::DecisionRequest {
            channel: Some(DecisionChannel::Chat),
            arguments_hash: Some(call.arguments_hash),
            ..api::DecisionRequest::plain(Decision::AllowOnce)
        };
        match click.choice {
            ClickChoice::Allow => plain,
            ClickChoice::AllowHour => api::DecisionRequest {
                decision: Decision::AllowSession,
                scope: Some(Json::string("exact")),
                expires_in_seconds: Some(CHAT_GRANT_SECONDS),
                ..plain
            },
            ClickChoice::Deny => {
                let comment = self.sender.read_replies(webhook, *log, click).await;
                api::DecisionRequest { decision: Decision::Deny, comment, ..plain }
            }
        }
    }

    /// The call whose request the clicked message is about.
    async fn call_of(
        &self,
        click: &ChatClick,
    ) -> Result<Option<((ThreadId, CallId), OfferedCall)>, GateFailure> {
        let Some(event) = self.gate.event(click.seq).await? else { return Ok(None) };
        let body = Body::read(event.seq, event.kind, &event.data).ok();
        // Whether the event is the request of the call, the comparison with the call says.
        let Some(id) = body.and_then(|body| body.call_id().cloned()) else { return Ok(None) };
        let thread = event.thread_id.clone();
        Ok(self.gate.call_for_chat(&thread, &id).await?.map(|offered| ((thread, id), offered)))
    }

    fn reply(&self, received: &ReceivedClick<'_>, answer: ChatAnswer<'_>) -> Result<ChatReply, ChatRefusal> {
        let ReceivedClick { webhook, log, click, .. } = received;
        self.sender.answer_click(webhook, *log, click, answer)
    }

    /// The page on which a signed-in person links the account.
    fn link_url(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        click: &ChatClick,
        now: Timestamp,
    ) -> Result<String, ChatRefusal> {
        let account = ChatLinkCode {
            webhook: webhook.id(),
            account: click.account.id.clone(),
            name: click.account.name.clone(),
        };
        let code = self.sender.make_link_code(log, &account, now);
        let code = code.map_err(|why| unusable(&why))?;
        let base = self.sender.base().trim_end_matches('/');
        Ok(format!("{base}/settings?chat={code}"))
    }
}

fn unusable(why: &impl ToString) -> ChatRefusal {
    ChatRefusal::Unusable(why.to_string())
}

//! Sends messages to chat apps: the message about a call is posted once, and changes with the call from then on.

use crate::{
    HttpWebhooks,
    chats::{
        chat_call::{ChatCall, PlatformAnswer, PlatformFailure},
        open_chat::OpenChat,
    },
    delivery_queue::FailedAttempt,
    http_webhooks::OpenTarget,
    posted_messages::PostedChange,
    webhook_message::WebhookMessage,
};
use countersign_api as api;
use countersign_client::{read_limited_body, read_retry_after};
use countersign_events::{Timestamp, WebhookTopic};
use countersign_gate::{ChatOffer, PostedMessage};
use reqwest::header;
use serde_json::Value;
use std::time::Duration;

/// The largest answer of a platform, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// The time for the answer to a question while a person waits: Slack shows a failure after three seconds.
const SHORT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The current state of the call that a message is about.
pub(crate) struct ChatState {
    pub(crate) call: api::Call,
    pub(crate) offer: ChatOffer,
}

impl HttpWebhooks {
    /// Sends the message about an event to a chat app: the call's message shows the call as it is now. `posted` is the message, if
    /// there is one.
    pub(crate) async fn send_state(
        &self,
        target: &OpenTarget,
        message: &WebhookMessage,
        state: &ChatState,
        posted: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<PostedChange>, FailedAttempt> {
        let message = &message.for_target(target.has_arguments());
        let Some(chat) = target.chat() else { return Ok(None) };
        // A mismatch may be about a call about which nobody was asked.
        let Some(request) = state.call.request.as_ref().filter(|_| shows_state(message.topic)) else {
            let call = chat.platform.render_note(&chat.address, posted, &message.chat_note());
            self.ask_platform(target, &call, now).await?;
            return Ok(None);
        };
        let is_final = matches!(message.topic, WebhookTopic::Decided | WebhookTopic::Expired);
        if posted.is_none() && !state.call.is_pending() && !is_final {
            // The message about the decision is the next one, or was sent already.
            return Ok(None);
        }
        self.set_up_quietly(target, now).await;
        let card = chat.card(&state.call, state.offer);
        let Some(posted) = posted else {
            let call = chat.platform.render_post(&chat.address, &card);
            let Some(message) = self.ask_platform(target, &call, now).await? else {
                return Err(FailedAttempt::new("the platform named no message"));
            };
            let kept = PostedMessage { request: request.seq, message };
            return Ok(state.call.is_pending().then_some(PostedChange::Keep(kept)));
        };
        let edit = chat.platform.render_edit(&chat.address, posted, &card);
        self.ask_platform(target, &edit, now).await?;
        let is_alert = matches!(message.topic, WebhookTopic::Reminded | WebhookTopic::Escalated);
        if is_alert && state.call.is_pending() {
            // A changed message alerts nobody.
            let call =
                chat.platform.render_note(&chat.address, Some(posted), &message.chat_note().without_facts());
            self.ask_platform(target, &call, now).await?;
        }
        Ok(is_final.then_some(PostedChange::Forget(request.seq)))
    }

    /// Sends a request to the platform of a chat app. Returns the name of a posted message.
    pub(crate) async fn ask_platform(
        &self,
        target: &OpenTarget,
        call: &ChatCall,
        now: Timestamp,
    ) -> Result<Option<String>, FailedAttempt> {
        let chat = target.chat().ok_or_else(|| FailedAttempt::new("the webhook is none of a chat app"))?;
        let answer = self.exchange(target, call, Some(now), None).await?;
        Ok(chat.platform.read_outcome(&answer)?)
    }

    /// Reads from the platform while a person waits; `None` if it does not answer well and soon.
    pub(crate) async fn read_platform(&self, target: &OpenTarget, call: &ChatCall) -> Option<Value> {
        let answer = self.exchange(target, call, None, Some(SHORT_TIMEOUT)).await.ok()?;
        (200..300).contains(&answer.status).then_some(answer.body)
    }

    async fn exchange(
        &self,
        target: &OpenTarget,
        call: &ChatCall,
        now: Option<Timestamp>,
        timeout: Option<Duration>,
    ) -> Result<PlatformAnswer, FailedAttempt> {
        let client = self.client(target)?;
        let mut request = client.request(call.method.clone(), call.url.clone());
        if let Some(token) = &call.authorization {
            request = request.header(header::AUTHORIZATION, token);
        }
        if let Some(body) = &call.body {
            // Slack warns if the character set is not named.
            let kind = "application/json; charset=utf-8";
            request = request.header(header::CONTENT_TYPE, kind).body(body.to_string());
        }
        if let Some(timeout) = timeout {
            request = request.timeout(timeout);
        }
        let mut answer = request.send().await.map_err(|why| FailedAttempt::unanswered(&why))?;
        let (status, retry_after) = (answer.status(), read_retry_after(answer.headers(), now));
        let body = read_limited_body(&mut answer, MAX_ANSWER).await.unwrap_or_default();
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(PlatformAnswer { status: status.as_u16(), body, retry_after })
    }

    /// Tells the platform where clicks go, once in this process. Without it, messages are still sent.
    async fn set_up_quietly(&self, target: &OpenTarget, now: Timestamp) {
        if let Err(failed) = self.set_up(target, now, false).await {
            tracing::warn!(reason = failed.reason, "the platform sends no clicks to this server");
        }
    }

    /// Tells the platform where clicks go, if it asks for that.
    pub(crate) async fn set_up(
        &self,
        target: &OpenTarget,
        now: Timestamp,
        again: bool,
    ) -> Result<(), FailedAttempt> {
        let call = target.chat().and_then(|chat: &OpenChat| chat.platform.render_setup(&chat.address));
        let Some(call) = call.filter(|_| again || !self.is_set_up(target.id())) else { return Ok(()) };
        self.ask_platform(target, &call, now).await?;
        self.note_set_up(target.id());
        Ok(())
    }
}

/// Returns true if the call's message shows what the topic is about.
const fn shows_state(topic: WebhookTopic) -> bool {
    matches!(
        topic,
        WebhookTopic::Opened
            | WebhookTopic::Reminded
            | WebhookTopic::Escalated
            | WebhookTopic::Voted
            | WebhookTopic::Decided
            | WebhookTopic::Expired
    )
}

impl From<PlatformFailure> for FailedAttempt {
    fn from(failure: PlatformFailure) -> Self {
        Self { reason: failure.reason, retry_after: failure.retry_after, is_gone: false }
    }
}

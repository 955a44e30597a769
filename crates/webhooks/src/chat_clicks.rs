//! Requests of chat platforms: what they say, whether a click is about what the message showed, and what is answered.
//!
//! The order: `read_chat_request`; the call, which the event with the click's `seq` names; `check_click`; for a denial
//! `read_replies`; the decision; `answer_click`; and when the answer is sent, `send_follow_ups`. A platform waits three seconds.

use crate::{
    HttpWebhooks, WebhookKeyError,
    chats::{
        chat_platform::{GivenRequest, PlatformRequest, ReplyContent},
        chat_types::{ChatAnswer, ChatClick, ChatFollowUps, ChatRefusal, ChatReply, ChatRequest},
        open_chat::OpenChat,
    },
    http_webhooks::OpenTarget,
    link_code::make_link_code,
};
use countersign_api as api;
use countersign_approvals::webhook_directory::WebhookRecord;
use countersign_events::{Sha256, Timestamp};
use countersign_gate::{ChatLinkCode, ChatOffer};
use reqwest::header::HeaderMap;

/// The largest request of a platform, in bytes.
const MAX_REQUEST: usize = 64 * 1024;

/// The longest comment from a reply, in characters.
const MAX_COMMENT: usize = 2_000;

/// The longest note for a person, in characters.
const MAX_NOTE: usize = 1_000;

impl HttpWebhooks {
    /// Reads a request that came to `/chats/NAME`. `log` is the log id, and `body` the bytes before any parsing. The sender is
    /// proven first, so that nothing of a forged request is parsed.
    pub(crate) fn read_chat_request(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<ChatRequest, ChatRefusal> {
        let given = GivenRequest { headers, body, now };
        self.prove_request(webhook, log, &given).inspect_err(|refusal| {
            let webhook = webhook.added.what.name.as_str();
            tracing::info!(webhook, %refusal, "a request of a chat was refused");
        })
    }

    fn prove_request(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        given: &GivenRequest<'_>,
    ) -> Result<ChatRequest, ChatRefusal> {
        if given.body.len() > MAX_REQUEST {
            return Err(ChatRefusal::TooLarge);
        }
        let target = self.open_for_clicks(webhook, log)?;
        let chat = target.chat().ok_or_else(no_chat)?;
        let click = match chat.platform.read_request(&chat.address, given)? {
            PlatformRequest::Handshake(answer) => return Ok(ChatRequest::Handshake(answer)),
            PlatformRequest::Ignored => return Ok(ChatRequest::Ignored),
            PlatformRequest::Click(click) => click,
        };
        let proven = chat.signer.read(&click.value).ok_or(ChatRefusal::Forged)?;
        let is_permitted = |address: &str| target.allows_private() || chat.platform.may_answer_to(address);
        Ok(ChatRequest::Click(Box::new(ChatClick {
            account: click.account,
            choice: proven.choice,
            seq: proven.seq,
            seen: proven.seen,
            message: click.message,
            shown: click.shown,
            label: click.label,
            answer_to: click.answer_to.filter(|address| is_permitted(address.expose())),
        })))
    }

    /// Checks a click against the call as it is now: it waits for a decision, the message shows its text and nobody changed the
    /// message, and the button is offered. `offer` says which buttons the rules permit now. Whether this person may decide, the
    /// caller checks. Mattermost does not send the message with the click, so it is asked for it.
    pub(crate) async fn check_click(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        click: &ChatClick,
        call: &api::Call,
        offer: ChatOffer,
    ) -> Result<(), ChatRefusal> {
        if !call.is_pending() {
            return Err(ChatRefusal::Closed);
        }
        if call.request.as_ref().is_none_or(|request| request.seq != click.seq) {
            return Err(ChatRefusal::Stale);
        }
        let target = self.open_for_clicks(webhook, log)?;
        let chat = target.chat().ok_or_else(no_chat)?;
        let card = chat.card(call, offer);
        if chat.signer.seen(call.arguments_hash, &card.text()) != click.seen {
            return Err(ChatRefusal::Stale);
        }
        if !card.buttons.iter().any(|button| button.choice == click.choice) {
            return Err(ChatRefusal::NotOffered);
        }
        let shown = match &click.shown {
            Some(shown) => Some(shown.clone()),
            None => self.look_up_message(&target, chat, click).await,
        };
        // Whoever can change the message could write another word on a button.
        let is_own_label = click.label.as_ref().is_none_or(|label| label == click.choice.label());
        // A message that cannot be read counts as changed.
        if is_own_label && shown == Some(chat.platform.visible_text(&card)) {
            Ok(())
        } else {
            Err(ChatRefusal::Edited)
        }
    }

    async fn look_up_message(
        &self,
        target: &OpenTarget,
        chat: &OpenChat,
        click: &ChatClick,
    ) -> Option<String> {
        let call = chat.platform.render_lookup(&chat.address, click)?;
        chat.platform.find_visible_text(&self.read_platform(target, &call).await?)
    }

    /// Makes the answer to a click. Its follow-ups are sent by [`send_follow_ups`](Self::send_follow_ups), after the answer.
    pub(crate) fn answer_click(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        click: &ChatClick,
        answer: ChatAnswer<'_>,
    ) -> Result<ChatReply, ChatRefusal> {
        let target = self.open_for_clicks(webhook, log)?;
        let chat = target.chat().ok_or_else(no_chat)?;
        let short = |text: String| text.chars().take(MAX_NOTE).collect::<String>();
        let content = match answer {
            ChatAnswer::State { call, offer, note } => {
                let card = Some(chat.card(call, offer));
                ReplyContent { card, note: note.map(short), link: None }
            }
            ChatAnswer::Refused(text) => ReplyContent { note: Some(short(text)), ..ReplyContent::default() },
            ChatAnswer::Link { url } => {
                let note = Some("Link your account first:".to_owned());
                ReplyContent { note, link: Some(url), card: None }
            }
        };
        Ok(chat.platform.render_reply(&chat.address, click, &content))
    }

    /// Sends what follows an answer, each request once. A failure is logged.
    pub(crate) async fn send_follow_ups(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        follow_ups: ChatFollowUps,
        now: Timestamp,
    ) {
        let Ok(target) = self.open(webhook, log) else { return };
        for call in follow_ups.0 {
            if let Err(failed) = self.ask_platform(&target, &call, now).await {
                let webhook = webhook.added.what.name.as_str();
                tracing::warn!(webhook, reason = failed.reason, "a chat did not get an answer");
            }
        }
    }

    /// Reads the last reply to the clicked message by the person who clicked, as the comment of a denial. A failure gives
    /// none, and so does a platform whose messages cannot be read.
    pub(crate) async fn read_replies(
        &self,
        webhook: &WebhookRecord,
        log: Sha256,
        click: &ChatClick,
    ) -> Option<String> {
        let target = self.open_for_clicks(webhook, log).ok()?;
        let chat = target.chat()?;
        let call = chat.platform.render_replies(&chat.address, click)?;
        let body = self.read_platform(&target, &call).await?;
        let text = chat.platform.find_reply(click, &body)?;
        let text: String = text.trim().chars().take(MAX_COMMENT).collect();
        (!text.is_empty()).then_some(text)
    }

    /// Makes the code with which a signed-in person links an account to themselves.
    pub fn make_link_code(
        &self,
        log: Sha256,
        account: &ChatLinkCode,
        now: Timestamp,
    ) -> Result<String, WebhookKeyError> {
        Ok(make_link_code(&self.key.read()?, log, account, now))
    }

    fn open_for_clicks(&self, webhook: &WebhookRecord, log: Sha256) -> Result<OpenTarget, ChatRefusal> {
        self.open(webhook, log).map_err(|why| ChatRefusal::Unusable(why.to_string()))
    }
}

fn no_chat() -> ChatRefusal {
    ChatRefusal::Unusable("it is none of a chat app".to_owned())
}

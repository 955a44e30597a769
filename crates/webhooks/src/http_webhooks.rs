//! Sends messages over HTTP: to the address that was checked, without redirects, within time limits.

use crate::{
    SigningSecret, WebhookKeyError, WebhookKeyFile,
    alert_step::OPENING_TOPICS,
    chats::{button_value::ButtonSigner, chat_address::ChatAddress, open_chat::OpenChat, platform_of},
    delivery_queue::FailedAttempt,
    formats::{KeyHeader, render},
    link_code::{BadLinkCode, read_link_code},
    sealed_target::SealedTarget,
    signing_secrets::{SigningSecrets, seconds_of},
    target_url::TargetUrl,
    webhook_message::WebhookMessage,
};
use async_trait::async_trait;
use countersign_api::{self as api, random_id};
use countersign_approvals::{Refused, webhook_directory::WebhookRecord};
use countersign_client::{
    ServiceClients, describe_request_failure, find_private_address, read_limited_body, read_retry_after,
};
use countersign_events::{Sha256, Timestamp, WebhookAdded, WebhookFormat, WebhookSecretSet, WebhookTopic};
use countersign_gate::{ChatLinkCode, PreparedSecret, PreparedWebhook, SecretChange, WebhookTransport};
use reqwest::{StatusCode, header};
use std::{
    collections::HashSet,
    sync::{Mutex, OnceLock},
    time::Duration,
};

/// The connect timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer timeout.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How many bytes of an answer are read, so that the connection can be reused. The content is never used.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

const UNSIGNED: &str = "only the format standard is signed";

const NO_RANDOMNESS: &str = "the system has no randomness";

/// Sends the messages of webhooks, and seals their addresses.
pub struct HttpWebhooks {
    pub(crate) key: WebhookKeyFile,
    /// The server address in links.
    base: String,
    /// Created when the first message is sent, because the system's certificate authorities take time to read.
    clients: OnceLock<Result<ServiceClients, String>>,
    /// The webhooks whose platform knows where clicks go.
    set_up: Mutex<HashSet<i64>>,
}

/// The opened part of a webhook.
pub(crate) struct OpenTarget {
    url: TargetUrl,
    secrets: Option<SigningSecrets>,
    format: WebhookFormat,
    allow_private: bool,
    has_arguments: bool,
    /// The log id, so that the alerts of two logs have different keys.
    log: Sha256,
    /// The webhook id.
    id: i64,
    chat: Option<OpenChat>,
}

impl OpenTarget {
    pub(crate) const fn id(&self) -> i64 {
        self.id
    }

    /// The chat app; `None` if the webhook is none of a chat app.
    pub(crate) const fn chat(&self) -> Option<&OpenChat> {
        self.chat.as_ref()
    }

    pub(crate) const fn has_arguments(&self) -> bool {
        self.has_arguments
    }

    pub(crate) const fn allows_private(&self) -> bool {
        self.allow_private
    }

    pub(crate) const fn log(&self) -> Sha256 {
        self.log
    }
}

impl HttpWebhooks {
    /// Creates a sender with the key in this file, which need not exist yet. `base` is the server address in links.
    #[must_use]
    pub fn new(key: WebhookKeyFile, base: &str) -> Self {
        Self { key, base: base.to_owned(), clients: OnceLock::new(), set_up: Mutex::default() }
    }

    /// The server address in links.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Opens the sealed part of a webhook in the log with this id.
    pub(crate) fn open(&self, webhook: &WebhookRecord, log: Sha256) -> Result<OpenTarget, WebhookKeyError> {
        let added = &webhook.added.what;
        let sealed = self.open_sealed(webhook)?;
        let url = TargetUrl::parse(sealed.url.expose(), added.format, added.allow_private);
        let url = url.map_err(|_| WebhookKeyError::Changed)?;
        Ok(OpenTarget {
            chat: self.open_chat(webhook, &url, log)?,
            url,
            secrets: sealed.secrets().map_err(|_| WebhookKeyError::Changed)?,
            format: added.format,
            allow_private: added.allow_private,
            has_arguments: added.arguments,
            log,
            id: webhook.id(),
        })
    }

    fn open_chat(
        &self,
        webhook: &WebhookRecord,
        url: &TargetUrl,
        log: Sha256,
    ) -> Result<Option<OpenChat>, WebhookKeyError> {
        let added = &webhook.added.what;
        let Some((platform, address)) = platform_of(added.format).zip(url.chat(added.format)) else {
            return Ok(None);
        };
        let signer = ButtonSigner::new(&self.key.read()?, log, webhook.id());
        let clicks = format!("{}/chats/{}", self.base.trim_end_matches('/'), added.name);
        let address = ChatAddress { clicks, derived: signer.platform_secret(), ..address };
        Ok(Some(OpenChat {
            platform,
            address,
            signer,
            base: self.base.clone(),
            has_arguments: added.arguments,
        }))
    }

    /// The client for a target.
    pub(crate) fn client(&self, target: &OpenTarget) -> Result<&reqwest::Client, FailedAttempt> {
        let clients = self.clients.get_or_init(new_clients).as_ref();
        let clients = clients.map_err(|why| FailedAttempt::new(why.clone()))?;
        Ok(clients.for_target(target.allow_private))
    }

    pub(crate) fn is_set_up(&self, webhook: i64) -> bool {
        self.set_up.lock().is_ok_and(|known| known.contains(&webhook))
    }

    pub(crate) fn note_set_up(&self, webhook: i64) {
        if let Ok(mut known) = self.set_up.lock() {
            known.insert(webhook);
        }
    }

    fn open_sealed(&self, webhook: &WebhookRecord) -> Result<SealedTarget, WebhookKeyError> {
        let text = self.key.open(&webhook.added.what.name, webhook.sealed())?;
        serde_json::from_str(text.expose()).map_err(|_| WebhookKeyError::Changed)
    }

    /// Sends a message once. Returns the HTTP status if the answer accepts it.
    pub(crate) async fn send(
        &self,
        target: &OpenTarget,
        message: &WebhookMessage,
        now: Timestamp,
    ) -> Result<StatusCode, FailedAttempt> {
        let message = &message.for_target(target.has_arguments);
        if let Some(chat) = &target.chat {
            let note = chat.platform.render_note(&chat.address, None, &message.chat_note());
            self.ask_platform(target, &note, now).await?;
            return Ok(StatusCode::OK);
        }
        let rendered = render(target.format, message, &target.url, target.log);
        let body = rendered.body.to_string();
        let mut request =
            self.client(target)?.post(rendered.url).header(header::CONTENT_TYPE, "application/json");
        request = request.header(header::USER_AGENT, concat!("countersign/", env!("CARGO_PKG_VERSION")));
        if let Some(secrets) = &target.secrets {
            request = request
                .header("webhook-id", &message.id)
                .header("webhook-timestamp", seconds_of(now))
                .header("webhook-signature", secrets.sign(&message.id, now, &body));
        }
        if let Some(KeyHeader { name, value }) = rendered.key_header {
            request = request.header(name, value);
        }
        let mut answer = request.body(body).send().await.map_err(|why| FailedAttempt::unanswered(&why))?;
        let (status, retry_after) = (answer.status(), read_retry_after(answer.headers(), Some(now)));
        // The rest is read so that the connection can be used again.
        let _ = read_limited_body(&mut answer, MAX_ANSWER_BYTES).await;
        let is_missing = status == StatusCode::NOT_FOUND && rendered.accepts_missing;
        if status.is_success() || is_missing {
            return Ok(status);
        }
        let redirected = if status.is_redirection() { ", and redirects are not followed" } else { "" };
        let reason = format!("the target answered {}{redirected}", status.as_u16());
        Err(FailedAttempt { reason, retry_after, is_gone: status == StatusCode::GONE })
    }

    fn seal(&self, name: &str, target: &SealedTarget) -> Result<String, Refused> {
        let text = target.to_text().map_err(|why| invalid("url", &why.to_string()))?;
        self.key.seal(name, text.expose()).map_err(|why| invalid("key", &why.to_string()))
    }
}

fn new_clients() -> Result<ServiceClients, String> {
    let limits = |builder: reqwest::ClientBuilder| builder.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT);
    ServiceClients::new(limits).map_err(|why| why.to_string())
}

#[async_trait]
impl WebhookTransport for HttpWebhooks {
    async fn prepare(&self, request: &api::WebhookRequest) -> Result<PreparedWebhook, Refused> {
        let url = TargetUrl::parse(&request.url, request.format, request.allow_private)
            .map_err(|why| invalid("url", &why.to_string()))?;
        if !request.allow_private {
            url.check_name().await.map_err(|why| invalid("url", &why.to_string()))?;
        }
        let secret = new_secret(request)?;
        let sealed = SealedTarget::new(request.url.trim(), secret.as_ref());
        let added = WebhookAdded {
            name: request.name.clone(),
            format: request.format,
            host: url.host(),
            sealed: self.seal(&request.name, &sealed)?,
            topics: complete_topics(request),
            threads: request.threads.clone(),
            allow_private: request.allow_private,
            arguments: request.arguments,
        };
        Ok(PreparedWebhook { added, secret: secret.map(|secret| secret.expose().expose().clone()) })
    }

    fn change_secret(
        &self,
        webhook: &WebhookRecord,
        change: SecretChange<'_>,
    ) -> Result<PreparedSecret, Refused> {
        let name = &webhook.added.what.name;
        let sealed = self.open_sealed(webhook).map_err(|why| invalid("key", &why.to_string()))?;
        let secrets = sealed.secrets().map_err(|why| invalid("key", &why.to_string()))?;
        let secrets = secrets.ok_or_else(|| invalid("name", UNSIGNED))?;
        let (current, old) = match change {
            SecretChange::EndOld => (secrets.current, None),
            SecretChange::Rotate { secret, old_until } => {
                let new = secret.map_or_else(random_secret, read_secret)?;
                if new == secrets.current {
                    return Err(invalid("secret", "it is the current one"));
                }
                (new, old_until.map(|until| (secrets.current, until)))
            }
        };
        let secret = current.expose().expose().clone();
        let old_secret_until = old.as_ref().map(|(_, until)| *until);
        let sealed = self.seal(name, &sealed.with_secrets(&SigningSecrets { current, old }))?;
        let set = WebhookSecretSet { webhook: webhook.id(), sealed, old_secret_until };
        Ok(PreparedSecret { set, secret })
    }

    fn read_link_code(&self, code: &str, log: Sha256, now: Timestamp) -> Result<ChatLinkCode, Refused> {
        // Without a key there was no chat that could make a code.
        let key = self.key.read().map_err(|_| invalid("code", &BadLinkCode::Unknown.to_string()))?;
        read_link_code(&key, log, code, now).map_err(|why| invalid("code", &why.to_string()))
    }

    async fn test(&self, webhook: &WebhookRecord, now: Timestamp) -> api::WebhookTestReport {
        let report = |delivered, detail| api::WebhookTestReport { delivered, detail };
        // A test is about no call of the log, so its alert needs no log id.
        let target = match self.open(webhook, Sha256::ZERO) {
            Ok(target) => target,
            Err(why) => return report(false, why.to_string()),
        };
        let message = WebhookMessage::test(random_id("test_"), now, &self.base);
        if let Err(failed) = self.set_up(&target, now, true).await {
            return report(false, failed.reason);
        }
        let mut sent = self.send(&target, &message, now).await;
        if target.format.is_pager() && sent.is_ok() {
            // The test leaves no open alert.
            let closing = WebhookMessage { topic: WebhookTopic::Decided, ..message };
            sent = self.send(&target, &closing, now).await;
        }
        match sent {
            Ok(status) => report(true, format!("the target answered {}", status.as_u16())),
            Err(failed) => report(false, failed.reason),
        }
    }
}

/// A new webhook's secret: as the request says, or a random one. Only the format `standard` is signed.
fn new_secret(request: &api::WebhookRequest) -> Result<Option<SigningSecret>, Refused> {
    match (&request.secret, request.format) {
        (Some(text), WebhookFormat::Standard) => read_secret(text).map(Some),
        (Some(_), _) => Err(invalid("secret", UNSIGNED)),
        (None, WebhookFormat::Standard) => random_secret().map(Some),
        (None, _) => Ok(None),
    }
}

/// The topics. The message of a chat app about a call ends with the call.
fn complete_topics(request: &api::WebhookRequest) -> Vec<WebhookTopic> {
    let mut topics = request.topics.clone();
    let is_opening = |topic: &WebhookTopic| OPENING_TOPICS.contains(topic) || *topic == WebhookTopic::Voted;
    if request.format.is_chat_app() && topics.iter().any(is_opening) {
        for topic in [WebhookTopic::Decided, WebhookTopic::Expired] {
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
    }
    topics
}

fn read_secret(text: &str) -> Result<SigningSecret, Refused> {
    SigningSecret::parse(text).map_err(|why| invalid("secret", &why.to_string()))
}

fn random_secret() -> Result<SigningSecret, Refused> {
    SigningSecret::random().ok_or_else(|| invalid("secret", NO_RANDOMNESS))
}

impl FailedAttempt {
    /// Describes a failure without the address, which may be a secret.
    pub(crate) fn unanswered(error: &reqwest::Error) -> Self {
        Self::new(match find_private_address(error) {
            Some(private) => format!("{private}; --allow-private permits it"),
            None => describe_request_failure(error, TIMEOUT),
        })
    }
}

fn invalid(field: &'static str, why: &str) -> Refused {
    Refused::Invalid { field, why: why.to_owned() }
}

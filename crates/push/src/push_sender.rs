//! Sends messages to push services: to the address that was checked, without redirects, within time limits.

use crate::{device_address::DeviceAddress, encryption::encrypt, push_key::PushKeyFile};
use async_trait::async_trait;
use countersign_api as api;
use countersign_approvals::{Refused, access::PushDeviceRecord};
use countersign_client::{
    ServiceClients, describe_request_failure, find_private_address, read_limited_body, read_retry_after,
};
use countersign_events::Timestamp;
use countersign_gate::{PreparedDevice, PushTransport};
use countersign_webhooks::WebhookKeyFile;
use reqwest::{StatusCode, header};
use std::{path::Path, sync::OnceLock, time::Duration};

/// The connect timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer timeout.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How many bytes of an answer are read, so that the connection can be reused. The content is never used.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// The longest time for which a push service keeps a message for a device that is off.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Sends notifications, and seals the addresses of devices.
pub struct PushSender {
    key: PushKeyFile,
    seal: WebhookKeyFile,
    /// The contact that push services get: the server's address.
    subject: String,
    allow_private: bool,
    /// Created when the first message is sent, because the system's certificate authorities take time to read.
    clients: OnceLock<Result<ServiceClients, String>>,
}

/// How a push service handles a message.
#[derive(Debug, Clone)]
pub(crate) struct PushTerms {
    /// A message of the same topic that waits for its device is replaced.
    pub(crate) topic: String,
    /// Whether the device shall be woken at once.
    pub(crate) is_urgent: bool,
    /// When the message is of no use any more.
    pub(crate) ends_at: Option<Timestamp>,
}

/// A message that was not sent.
#[derive(Debug)]
pub(crate) struct PushFailure {
    pub(crate) reason: String,
    pub(crate) outcome: FailureOutcome,
}

/// What follows from a failure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FailureOutcome {
    /// The subscription is over.
    Gone,
    /// The service refuses this message.
    Refused,
    /// Another attempt may succeed, after the time for which the service asks.
    Again(Option<Duration>),
}

impl PushSender {
    /// Creates a sender. The key pair is in the file `key`, and `seal` seals the addresses of devices; neither file need exist
    /// yet. `base` is the server's address for people. `allow_private` permits push services with private addresses.
    #[must_use]
    pub fn new(key: &Path, seal: WebhookKeyFile, base: &str, allow_private: bool) -> Self {
        let subject = if base.starts_with("https://") { base } else { "mailto:countersign@localhost" };
        Self {
            key: PushKeyFile::new(key),
            seal,
            subject: subject.to_owned(),
            allow_private,
            clients: OnceLock::new(),
        }
    }

    /// Opens the sealed address of a device.
    pub(crate) fn open(&self, device: &PushDeviceRecord) -> Result<DeviceAddress, String> {
        DeviceAddress::open(&device.set.id, &device.set.sealed, &self.seal, self.allow_private)
    }

    /// Prepares the first message: reading the system's certificate authorities would delay it.
    pub(crate) fn prepare_clients(&self) {
        self.clients.get_or_init(new_clients);
    }

    /// Sends a message once.
    pub(crate) async fn send(
        &self,
        address: &DeviceAddress,
        message: &str,
        terms: &PushTerms,
        now: Timestamp,
    ) -> Result<(), PushFailure> {
        let refused = |reason: String| PushFailure { reason, outcome: FailureOutcome::Refused };
        let body = encrypt(&address.keys, message.as_bytes());
        let body = body.ok_or_else(|| refused("the message cannot be encrypted".to_owned()))?;
        let key = self.key.read_or_create().map_err(again)?;
        let authorization = key.authorize(&address.service.host(), &self.subject, now);
        let authorization = authorization.ok_or_else(|| again("the system has no randomness".to_owned()))?;
        let wait = terms.ends_at.map_or(LONGEST_WAIT, |end| end.since(now).min(LONGEST_WAIT));
        let clients = self.clients.get_or_init(new_clients).as_ref().map_err(|why| again(why.clone()))?;
        let request = clients
            .for_target(self.allow_private)
            .post(address.service.url().clone())
            .header(header::AUTHORIZATION, authorization)
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::CONTENT_ENCODING, "aes128gcm")
            .header("ttl", wait.as_secs().to_string())
            .header("urgency", if terms.is_urgent { "high" } else { "normal" })
            .header("topic", &terms.topic);
        let mut answer = request.body(body).send().await.map_err(|why| describe_failure(&why))?;
        let (status, retry_after) = (answer.status(), read_retry_after(answer.headers(), Some(now)));
        // The rest is read so that the connection can be used again.
        let _ = read_limited_body(&mut answer, MAX_ANSWER_BYTES).await;
        if status.is_success() {
            return Ok(());
        }
        let outcome = match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => FailureOutcome::Gone,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => FailureOutcome::Again(retry_after),
            status if status.is_server_error() => FailureOutcome::Again(retry_after),
            _ => FailureOutcome::Refused,
        };
        Err(PushFailure { reason: format!("the push service answered {}", status.as_u16()), outcome })
    }
}

fn new_clients() -> Result<ServiceClients, String> {
    let limits = |builder: reqwest::ClientBuilder| builder.connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT);
    ServiceClients::new(limits).map_err(|why| why.to_string())
}

fn again(reason: String) -> PushFailure {
    PushFailure { reason, outcome: FailureOutcome::Again(None) }
}

/// Describes a failure without the address, which is a secret. A name that leads to a private address gets no other attempt.
fn describe_failure(error: &reqwest::Error) -> PushFailure {
    match find_private_address(error) {
        Some(private) => PushFailure { reason: private.to_string(), outcome: FailureOutcome::Refused },
        None => again(describe_request_failure(error, TIMEOUT)),
    }
}

fn invalid(field: &'static str, why: &str) -> Refused {
    Refused::Invalid { field, why: why.to_owned() }
}

#[async_trait]
impl PushTransport for PushSender {
    fn public_key(&self) -> Result<String, Refused> {
        Ok(self.key.read_or_create().map_err(|why| invalid("key", &why))?.public_key())
    }

    async fn prepare(&self, request: &api::PushDeviceRequest) -> Result<PreparedDevice, Refused> {
        let keys = &request.keys;
        let address = DeviceAddress::parse(&request.endpoint, &keys.p256dh, &keys.auth, self.allow_private);
        let address = address.map_err(|(field, why)| invalid(field, &why))?;
        if !self.allow_private {
            address.service.check_name().await.map_err(|why| invalid("endpoint", &why.to_string()))?;
        }
        let id = address.id();
        let sealed = DeviceAddress::seal(request, &id, &self.seal).map_err(|why| invalid("key", &why))?;
        Ok(PreparedDevice { id, host: address.service.host(), sealed })
    }
}

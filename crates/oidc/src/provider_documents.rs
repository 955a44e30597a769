//! The provider's documents: its endpoints and keys. They are read when they are first needed, so that a provider that
//! is down stops no server from starting, and again after an hour or when a key is unknown.

use crate::{
    ProviderSettings, SignInError,
    http_client::{RequestFailure, send_request},
};
use countersign_events::Timestamp;
use openidconnect::{DiscoveryError, HttpRequest, IssuerUrl, ProviderMetadataWithLogout};
use reqwest::Client;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// The age from which the documents are read again.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The time for which an attempt's failure answers other requests, so that they do not each try again.
const FAILURE_AGE: Duration = Duration::from_secs(1);

/// The provider's document and keys.
pub(crate) type ProviderDocument = ProviderMetadataWithLogout;

type ReadingOutcome = Result<Arc<ProviderDocument>, SignInError>;

/// An attempt to read the documents, whose outcome all requests share that wait for it.
type ReadingAttempt = watch::Receiver<Option<ReadingOutcome>>;

/// The provider's documents, as they were last read. The lock is never held while the provider is asked: that may take
/// long, and other sign-ins need the documents that are there.
#[derive(Default)]
pub(crate) struct ProviderDocuments {
    last: Arc<Mutex<LastDocuments>>,
}

#[derive(Default)]
struct LastDocuments {
    found: Option<(Arc<ProviderDocument>, Timestamp)>,
    failed: Option<(SignInError, Timestamp)>,
    /// One attempt at a time, because anyone can start a sign-in.
    reading: Option<ReadingAttempt>,
}

impl ProviderDocuments {
    /// Returns the documents, after reading them if necessary. Older ones are used if the provider does not answer, and
    /// while another request waits for its answer.
    pub(crate) async fn current(
        &self,
        settings: &ProviderSettings,
        client: &Client,
        now: Timestamp,
    ) -> Result<Arc<ProviderDocument>, SignInError> {
        let (older, reading) = {
            let last = lock(&self.last);
            let older = match &last.found {
                Some((found, read_at)) if now.since(*read_at) < MAX_AGE => return Ok(Arc::clone(found)),
                older => older.as_ref().map(|(found, _)| Arc::clone(found)),
            };
            if let Some((error, failed_at)) = &last.failed
                && now.since(*failed_at) < FAILURE_AGE
            {
                return older.ok_or_else(|| error.clone());
            }
            match (last.find_running(), older) {
                (Some(_), Some(older)) => return Ok(older),
                (reading, older) => (older, reading),
            }
        };
        let reading = reading.unwrap_or_else(|| self.start_reading(settings, client, now));
        match (await_outcome(reading, settings).await, older) {
            (Err(error), Some(older)) => {
                tracing::warn!(%error, "the documents of the identity provider are outdated");
                Ok(older)
            }
            (outcome, _) => outcome,
        }
    }

    /// Reads the documents again, because a key is unknown.
    pub(crate) async fn reload(
        &self,
        settings: &ProviderSettings,
        client: &Client,
        now: Timestamp,
    ) -> Result<Arc<ProviderDocument>, SignInError> {
        await_outcome(self.start_reading(settings, client, now), settings).await
    }

    /// Starts an attempt, unless one runs. It is a task of its own, so that it ends and is noted even if the browser
    /// that needed it has gone.
    fn start_reading(&self, settings: &ProviderSettings, client: &Client, now: Timestamp) -> ReadingAttempt {
        let mut state = lock(&self.last);
        if let Some(running) = state.find_running() {
            return running;
        }
        let (sender, reading) = watch::channel(None);
        state.reading = Some(reading.clone());
        let (last, settings, client) = (Arc::clone(&self.last), settings.clone(), client.clone());
        tokio::spawn(async move {
            let outcome = read_documents(&settings, &client).await.map(Arc::new);
            lock(&last).note(&outcome, now);
            sender.send_replace(Some(outcome));
        });
        reading
    }
}

impl LastDocuments {
    /// The attempt that runs now. One whose task has ended without an outcome does not count.
    fn find_running(&self) -> Option<ReadingAttempt> {
        self.reading.clone().filter(|reading| reading.has_changed().is_ok())
    }

    fn note(&mut self, outcome: &ReadingOutcome, now: Timestamp) {
        self.reading = None;
        match outcome {
            Ok(documents) => (self.found, self.failed) = (Some((Arc::clone(documents), now)), None),
            Err(error) => self.failed = Some((error.clone(), now)),
        }
    }
}

async fn await_outcome(mut reading: ReadingAttempt, settings: &ProviderSettings) -> ReadingOutcome {
    let ended = reading.wait_for(Option::is_some).await;
    let outcome = ended.ok().and_then(|outcome| outcome.clone());
    outcome.unwrap_or_else(|| Err(SignInError::unavailable(&settings.issuer, "was not asked to the end")))
}

/// The state. A task that ended while it had the lock leaves a complete one.
fn lock(last: &Mutex<LastDocuments>) -> MutexGuard<'_, LastDocuments> {
    last.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the provider's document and keys.
pub(crate) async fn read_documents(
    settings: &ProviderSettings,
    client: &Client,
) -> Result<ProviderDocument, SignInError> {
    let issuer = &settings.issuer;
    let fails = |why: &str| SignInError::unavailable(issuer, why);
    let address = IssuerUrl::new(issuer.clone()).map_err(|_| fails("is not a URL"))?;
    let (https_only, client) = (!settings.is_plain(), client.clone());
    let http = move |request: HttpRequest| send_request(client.clone(), request, https_only);
    let documents = match ProviderDocument::discover_async(address, &http).await {
        Ok(documents) => documents,
        Err(error) => {
            tracing::warn!(error = describe_failure(&error), issuer, "the identity provider cannot be used");
            return Err(fails(&describe_failure(&error)));
        }
    };
    if https_only && documents.authorization_endpoint().url().scheme() != "https" {
        return Err(fails("sends people to an address without https"));
    }
    Ok(documents)
}

/// The reason, in a short message that repeats no more than the answer's status.
fn describe_failure(error: &DiscoveryError<RequestFailure>) -> String {
    match error {
        DiscoveryError::Request(failure) => failure.to_string(),
        DiscoveryError::Response(status, ..) if !status.is_success() => {
            format!("answers with status {status}")
        }
        DiscoveryError::Validation(_) => {
            "is the address of another issuer: use the one in its document".to_owned()
        }
        _ => "does not answer as OpenID Connect requires".to_owned(),
    }
}

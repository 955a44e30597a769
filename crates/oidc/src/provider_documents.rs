//! The provider's documents: its endpoints and keys. They are read when they are first needed, so that a provider that
//! is down stops no server from starting, and again after an hour or when a key is unknown.

use crate::{
    ProviderSettings, SignInError,
    http_client::{RequestFailure, send_request},
};
use countersign_events::Timestamp;
use openidconnect::{DiscoveryError, HttpRequest, IssuerUrl, core::CoreProviderMetadata};
use reqwest::Client;
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// The age from which the documents are read again.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The time for which requests share an attempt's failure, so that those that waited for it do not each try again.
const FAILURE_AGE: Duration = Duration::from_secs(1);

/// The provider's documents, as they were last read.
#[derive(Default)]
pub(crate) struct ProviderDocuments {
    /// Held while they are read, so that one request at a time does so.
    last: Mutex<LastDocuments>,
}

#[derive(Default)]
struct LastDocuments {
    found: Option<(Arc<CoreProviderMetadata>, Timestamp)>,
    failed: Option<(SignInError, Timestamp)>,
}

impl ProviderDocuments {
    /// Returns the documents, after reading them if necessary. Older ones are used if the provider does not answer.
    pub(crate) async fn current(
        &self,
        settings: &ProviderSettings,
        client: &Client,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>, SignInError> {
        let mut last = self.last.lock().await;
        if let Some((found, read_at)) = &last.found
            && now.since(*read_at) < MAX_AGE
        {
            return Ok(Arc::clone(found));
        }
        if let Some((error, failed_at)) = &last.failed
            && now.since(*failed_at) < FAILURE_AGE
        {
            return Err(error.clone());
        }
        match (read_documents(settings, client).await, &last.found) {
            (Ok(documents), _) => Ok(last.keep(documents, now)),
            (Err(error), Some((found, _))) => {
                tracing::warn!(%error, "the documents of the identity provider are outdated");
                Ok(Arc::clone(found))
            }
            (Err(error), None) => {
                last.failed = Some((error.clone(), now));
                Err(error)
            }
        }
    }

    /// Reads the documents again, because a key is unknown.
    pub(crate) async fn reload(
        &self,
        settings: &ProviderSettings,
        client: &Client,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>, SignInError> {
        let mut last = self.last.lock().await;
        let documents = read_documents(settings, client).await?;
        Ok(last.keep(documents, now))
    }
}

impl LastDocuments {
    fn keep(&mut self, documents: CoreProviderMetadata, now: Timestamp) -> Arc<CoreProviderMetadata> {
        let documents = Arc::new(documents);
        *self = Self { found: Some((Arc::clone(&documents), now)), failed: None };
        documents
    }
}

/// Reads the provider's document and keys.
pub(crate) async fn read_documents(
    settings: &ProviderSettings,
    client: &Client,
) -> Result<CoreProviderMetadata, SignInError> {
    let issuer = &settings.issuer;
    let fails = |why: &str| SignInError::unavailable(issuer, why);
    let address = IssuerUrl::new(issuer.clone()).map_err(|_| fails("is not a URL"))?;
    let (https_only, client) = (!settings.is_plain(), client.clone());
    let http = move |request: HttpRequest| send_request(client.clone(), request, https_only);
    let documents = match CoreProviderMetadata::discover_async(address, &http).await {
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

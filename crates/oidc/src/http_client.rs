//! The requests to the provider. Answers have a limit, and redirects are not followed: an endpoint that moves is named by
//! the provider's own document.

use countersign_client::{BodyFailure, read_limited_body};
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::Client;
use std::time::Duration;

/// The most bytes of an answer. The documents of large providers have some ten kilobytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// The time for one request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestFailure {
    #[error("cannot be reached")]
    Connection(#[from] reqwest::Error),
    #[error("sends an answer of more than 1 MiB")]
    TooLarge,
    #[error("names an address without https")]
    NotEncrypted,
    #[error("names an address that is not a URL")]
    BadRequest,
}

/// Sends a request to the provider, if `https_only` only with TLS.
pub(crate) async fn send_request(
    client: Client,
    request: HttpRequest,
    https_only: bool,
) -> Result<HttpResponse, RequestFailure> {
    let mut request = reqwest::Request::try_from(request).map_err(|_| RequestFailure::BadRequest)?;
    if https_only && request.url().scheme() != "https" {
        return Err(RequestFailure::NotEncrypted);
    }
    *request.timeout_mut() = Some(TIMEOUT);
    let mut response = client.execute(request).await?;
    let body = read_limited_body(&mut response, MAX_ANSWER).await.map_err(|why| match why {
        BodyFailure::TooLarge(_) => RequestFailure::TooLarge,
        BodyFailure::Request(why) => why.into(),
    })?;
    let mut answer = HttpResponse::new(body);
    *answer.status_mut() = response.status();
    *answer.headers_mut() = response.headers().clone();
    Ok(answer)
}

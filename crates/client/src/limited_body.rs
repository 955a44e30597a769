//! Reading the body of an answer up to a limit, because the other side may never stop.

use reqwest::Response;

/// Why a body was not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyFailure {
    /// It has more bytes than the limit.
    #[error("it has more than {0} bytes")]
    TooLarge(usize),
    /// The connection failed.
    #[error(transparent)]
    Request(#[from] reqwest::Error),
}

/// Reads a body of at most `limit` bytes.
pub async fn read_limited_body(response: &mut Response, limit: usize) -> Result<Vec<u8>, BodyFailure> {
    let announced = response.content_length().map(usize::try_from);
    if announced.is_some_and(|length| length.map_or(true, |length| length > limit)) {
        return Err(BodyFailure::TooLarge(limit));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Err(BodyFailure::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

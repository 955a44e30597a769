//! One request, one answer: JSON, or a problem.

use super::Remote;
use crate::{Error, api::Problem};
use reqwest::{RequestBuilder, Response};
use serde::de::DeserializeOwned;

impl Remote {
    pub(super) async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, Error> {
        let answer = self.answer(request).await?;
        let body = answer.bytes().await.map_err(|why| self.unreachable(&why))?;
        serde_json::from_slice(&body).map_err(|why| self.strange(&why.to_string()))
    }

    /// The answer, if it is no problem.
    pub(super) async fn answer(&self, request: RequestBuilder) -> Result<Response, Error> {
        let answer = request.send().await.map_err(|why| self.unreachable(&why))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (status, retry_after) = (answer.status(), retry_after(&answer));
        let body = answer.bytes().await.map_err(|why| self.unreachable(&why))?;
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Err(Error::Remote(Box::new(Problem { retry_after, ..problem }))),
            // A proxy says so when none of the servers behind it answers.
            Err(_) if matches!(status.as_u16(), 502..=504) => {
                let why = format!("a proxy before it says {status}");
                Err(Error::Unreachable { server: self.name.clone(), why })
            }
            Err(_) => Err(self.strange(&format!("it says {status} and no more"))),
        }
    }

    pub(super) fn unreachable(&self, error: &reqwest::Error) -> Error {
        // What went wrong stands at the end of the chain; what is before it only repeats the address.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        Error::Unreachable { server: self.name.clone(), why: cause.to_string() }
    }

    pub(super) fn strange(&self, why: &str) -> Error {
        Error::Strange { server: self.name.clone(), why: why.to_owned() }
    }
}

/// After how many seconds the server would like to be asked again.
fn retry_after(answer: &Response) -> Option<u64> {
    answer.headers().get(reqwest::header::RETRY_AFTER)?.to_str().ok()?.parse().ok()
}

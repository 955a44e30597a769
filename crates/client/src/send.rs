//! Sends one request and reads its response: JSON, or a problem.

use crate::connection::ServerConnection;
use countersign_api::{ErrorCode, GateError, Problem};
use reqwest::{RequestBuilder, Response};
use rustls::{CertificateError, Error};
use serde::de::DeserializeOwned;

impl ServerConnection {
    pub(crate) async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, GateError> {
        let body = self.read_body(request).await?;
        serde_json::from_slice(body.as_ref()).map_err(|why| self.strange(&why.to_string()))
    }

    /// Sends the request and returns the response's body.
    pub(crate) async fn read_body(&self, request: RequestBuilder) -> Result<impl AsRef<[u8]>, GateError> {
        let answer = self.answer(request).await?;
        answer.bytes().await.map_err(|why| self.unreachable(&why))
    }

    /// Sends the request and returns the response. Fails if the server does not answer or answers with a problem.
    pub(crate) async fn answer(&self, request: RequestBuilder) -> Result<Response, GateError> {
        let answer =
            request.headers(self.headers.clone()).send().await.map_err(|why| self.unreachable(&why))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (status, retry_after) = (answer.status(), retry_after(&answer));
        let body = answer.bytes().await.map_err(|why| self.unreachable(&why))?;
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Err(Problem { retry_after, ..problem }.into()),
            // A proxy answers with these statuses if the server behind it does not.
            Err(_) if matches!(status.as_u16(), 502..=504) => {
                Err(with_arrival(self.no_answer(&format!("a proxy answers {status}"))))
            }
            Err(_) => Err(self.strange(&format!("it answers {status} without a problem"))),
        }
    }

    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> GateError {
        // The last error of the chain names the cause; those before it only repeat the address.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        // A system error hides the error that it wraps from the chain.
        let wrapped = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        match wrapped.and_then(|wrapped| wrapped.downcast_ref::<Error>()) {
            Some(tls) => self.untrusted(tls),
            None if error.is_connect() => self.no_answer(&cause.to_string()),
            None => with_arrival(self.no_answer(&cause.to_string())),
        }
    }

    /// A server that answers, but whose identity or protocol is not accepted.
    fn untrusted(&self, why: &Error) -> GateError {
        let remedy = match why {
            Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
                "; if an authority of your own signed its certificate, name that authority with --tls-ca"
            }
            _ => "",
        };
        let detail = format!("no secure connection to {}: {why}{remedy}", self.name);
        GateError::new(ErrorCode::Unreachable, detail)
    }

    fn no_answer(&self, why: &str) -> GateError {
        let server = &self.name;
        let detail = format!(
            "no answer from {server}: {why}; start it with `countersign serve`, or name another with --server"
        );
        GateError::new(ErrorCode::Unreachable, detail)
    }

    pub(crate) fn strange(&self, why: &str) -> GateError {
        let detail = format!("{} does not answer as a Countersign server does: {why}", self.name);
        GateError::new(ErrorCode::StrangeServer, detail)
    }
}

/// The same error, of a request that may have arrived.
fn with_arrival(mut error: GateError) -> GateError {
    error.facts.may_have_arrived = true;
    error
}

/// Returns the pause in seconds that the server asks for before the next attempt.
fn retry_after(answer: &Response) -> Option<u64> {
    answer.headers().get(reqwest::header::RETRY_AFTER)?.to_str().ok()?.parse().ok()
}

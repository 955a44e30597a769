//! Sends one request and reads its response: JSON, or a problem.

use crate::{connection::ServerConnection, read_retry_after};
use countersign_api::{ErrorCode, GateError, Problem};
use reqwest::{RequestBuilder, Response};
use rustls::{CertificateError, Error, OtherError};
use serde::de::DeserializeOwned;
use std::{error::Error as StdError, io, iter};

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
            request.headers(self.request_headers()).send().await.map_err(|why| self.unreachable(&why))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (status, pause) = (answer.status(), read_retry_after(answer.headers(), None));
        let body = answer.bytes().await.map_err(|why| self.unreachable(&why))?;
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => Err(Problem { retry_after: pause.map(|pause| pause.as_secs()), ..problem }.into()),
            // A proxy answers with these statuses if the server behind it does not.
            Err(_) if matches!(status.as_u16(), 502..=504) => {
                Err(with_arrival(self.no_answer(&format!("a proxy answers {status}"))))
            }
            Err(_) => Err(self.strange(&format!("it answers {status} without a problem"))),
        }
    }

    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> GateError {
        if let Some(tls) = causes(error).find_map(tls_error) {
            return self.untrusted(tls);
        }
        // The last error of the chain names the cause; those before it only repeat the address.
        let why = causes(error).last().map_or_else(String::new, ToString::to_string);
        let no_answer = self.no_answer(&why);
        if error.is_connect() { no_answer } else { with_arrival(no_answer) }
    }

    /// A server that answers, but whose identity or protocol is not accepted.
    fn untrusted(&self, why: &Error) -> GateError {
        let why = match why {
            Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
                "its certificate is signed by itself, or by an authority that this machine does not know; if that is \
                 intended, name the certificate of that authority, or its own, with --tls-ca FILE"
                    .to_owned()
            }
            // What `openssl req -x509` makes.
            Error::InvalidCertificate(CertificateError::Other(other)) if is_of_authority(other) => {
                "its certificate is that of an authority, which no server may use; make one with `openssl req -x509 … \
                 -addext basicConstraints=critical,CA:FALSE`, and name it with --tls-ca FILE"
                    .to_owned()
            }
            other => other.to_string(),
        };
        let detail = format!("no secure connection to {}: {why}", self.name);
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

/// The error and its causes.
fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| (*error).source())
}

/// The TLS error in one link of the chain. A system error hides the error that it wraps from the chain, and may wrap another one.
fn tls_error<'a>(mut link: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    while let Some(system) = link.downcast_ref::<io::Error>() {
        link = system.get_ref()?;
    }
    link.downcast_ref()
}

fn is_of_authority(error: &OtherError) -> bool {
    error.0.downcast_ref::<webpki::Error>() == Some(&webpki::Error::CaUsedAsEndEntity)
}

/// The same error, of a request that may have arrived.
fn with_arrival(mut error: GateError) -> GateError {
    error.facts.may_have_arrived = true;
    error
}

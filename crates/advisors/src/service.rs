//! Sends a question over HTTP, and reads an answer of limited size. Time is limited by the caller.

use crate::{
    AdviceFault, AdvisorAccess, AdvisorKey,
    access::{check_url, not_public},
};
use countersign_client::{BodyFailure, describe_request_failure, find_private_address, read_limited_body};
use countersign_events::AdviceFailure;
use reqwest::{Response, StatusCode, header};
use std::time::Duration;

/// A service, as the policy names it.
#[derive(Clone, Copy)]
pub(crate) struct ServiceTarget<'a> {
    pub(crate) url: &'a str,
    /// Whether the address may be one of this machine or of a private network.
    pub(crate) allow_private: bool,
    /// The key's name.
    pub(crate) key: Option<&'a str>,
}

/// Sends a JSON document to a service, and returns the body of its answer, which has at most `limit` bytes.
pub(crate) async fn post_json(
    access: &AdvisorAccess,
    service: ServiceTarget<'_>,
    body: String,
    limit: usize,
) -> Result<Vec<u8>, AdviceFault> {
    let target = check_url(service.url, service.allow_private)?;
    let mut request = access.client(service.allow_private)?.post(target.url().clone());
    if let Some(name) = service.key {
        request = request.header(header::AUTHORIZATION, AdvisorKey::find(name)?.bearer());
    }
    let request = request
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .header(header::USER_AGENT, concat!("countersign/", env!("CARGO_PKG_VERSION")));
    let answer = request.body(body).send().await.map_err(|why| describe_failure(&why))?;
    let status = answer.status();
    if status != StatusCode::OK {
        let redirected = if status.is_redirection() { ", and redirects are not followed" } else { "" };
        return Err(AdviceFault::failed(format!("the service answered {}{redirected}", status.as_u16())));
    }
    read_body(answer, limit).await
}

async fn read_body(mut answer: Response, limit: usize) -> Result<Vec<u8>, AdviceFault> {
    read_limited_body(&mut answer, limit).await.map_err(|why| match why {
        BodyFailure::TooLarge(limit) => {
            AdviceFault::too_large(format!("the answer has more than {limit} bytes"))
        }
        BodyFailure::Request(why) => describe_failure(&why),
    })
}

fn describe_failure(error: &reqwest::Error) -> AdviceFault {
    match find_private_address(error) {
        Some(private) => not_public(private),
        // The client itself has no time limit, so this text never names one.
        None => AdviceFault::new(AdviceFailure::Unreachable, describe_request_failure(error, Duration::ZERO)),
    }
}

#[cfg(test)]
mod tests;

//! The approval service over HTTP, for agents and tools without their own database.
//!
//! ```no_run
//! # async fn agent() -> Result<(), Box<dyn std::error::Error>> {
//! use countersign_api::{self as api, CallGate};
//! use countersign_client::HttpGate;
//!
//! let token = std::env::var("COUNTERSIGN_TOKEN")?;
//! let gate = HttpGate::connect("http://127.0.0.1:7878")?.with_token(&token)?.with_retries();
//! let thread = api::parse_thread_id("conversation-7")?;
//! let request = api::ProposeRequest::new("call_1", "bash", r#"{"command":"make deploy"}"#)?;
//! gate.propose(&thread, &request).await?;
//! let call = gate.wait(&thread, &request.id, None).await?;
//! if call.may_run() {
//!     let call = gate.claim(&thread, &call.id, &api::ClaimRequest::for_call(&call, "builder-1")).await?;
//!     let output = format!("ran {}", call.arguments.as_str());
//!     gate.finish(&thread, &call.id, &api::ResultRequest::success(&output)).await?;
//! }
//! # Ok(())
//! # }
//! ```

mod connection;
mod follow;
mod http;
mod limited_body;
mod lists;
mod public_address;
mod retry_after;
mod secret;
mod send;
mod service_url;
mod sse;
mod tls;

pub use http::HttpGate;
pub use limited_body::{BodyFailure, read_limited_body};
pub use public_address::PrivateAddress;
pub use retry_after::read_retry_after;
pub use secret::without_password;
pub use service_url::{
    BadServiceUrl, ServiceClients, ServiceUrl, describe_request_failure, find_private_address,
};
pub use sse::{EventTooLong, SseMessage, SseParser};
pub use tls::{new_http_client, new_http_client_builder, new_service_client};

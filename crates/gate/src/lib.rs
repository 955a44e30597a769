//! The approval service over an open database, inside this process: propose, wait, decide, claim and finish.
//! An executor that uses it runs only allowed calls, and runs each once.
//!
//! ```no_run
//! # async fn agent() -> Result<(), Box<dyn std::error::Error>> {
//! use countersign_api::{self as api, CallGate, Principal};
//! use countersign_gate::EmbeddedGate;
//!
//! let gate = EmbeddedGate::open("countersign.db").await?.acting_as(Principal::agent("builder"));
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

mod active_policy;
mod active_tokens;
mod advisor_metrics;
mod call_metrics;
mod call_reader;
mod due_task_runner;
mod effect_words;
mod embedded;
mod error;
mod finish_on_drop;
mod gate;
mod known_directory;
mod large_work;
mod log_policy;
mod policy_follower;
mod policy_judge;
mod presence_keeper;
mod push_delivery;
mod secret_file;
mod view;
mod webhook_delivery;
mod withdrawal_runner;
mod written_events;

pub use call_reader::{CallReader, CallSelection, ReadLimits};
pub use embedded::KeyRegistration;
pub use error::GateFailure;
pub use gate::{
    AccountHolder, AdvisedCall, AdvisedPage, ArchiveCheck, ArchiveSummary, EmbeddedGate, PasskeySignIn,
    SessionPages, SessionSpans, add_managed_rule, remove_managed_rule,
};
pub use large_work::run_large;
pub use push_delivery::{CheckedDevice, NotifiedCall, PreparedDevice, PushTransport};
pub use secret_file::{SecretFile, SecretFileError};
pub use view::{read_grant_origin, view_call, view_caller, view_verdict, view_warning};
pub use webhook_delivery::{
    ChatLinkCode, ChatOffer, CheckedChatAccount, OpenClaim, PostedMessage, PreparedSecret, PreparedWebhook,
    SecretChange, WebhookFollower, WebhookProgress, WebhookTransport,
};
pub use written_events::{WatchedWork, has_written_events, watch_written_events};

/// The log targets under which libraries log secrets: lines of `~/.pgpass` that cannot be parsed. A subscriber must drop
/// them.
pub const NEVER_LOGGED: &[&str] = &[countersign_store::NEVER_LOGGED];

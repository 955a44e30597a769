//! What is asked of the gate and what it answers: the bodies of the HTTP API, and the types of the
//! Rust one. Requests refuse fields they do not know; answers may gain some.

mod ask;
mod call;
mod page;
mod problem;

pub use ask::{Cancel, Claim, Decide, Finish, Impact, Propose};
pub use call::{Call, Execution, Outcome, Proposal, Request, Response};
pub use page::{Closed, EventPage, Grant, Grants, MAX_PAGE, PageOf, Pending, Ready};
pub use problem::Problem;

/// The header that says who is asking, percent-encoded where a name is more than ASCII.
pub const PRINCIPAL_HEADER: &str = "countersign-principal";

//! What is asked of the gate and what it answers: the bodies of the HTTP API, and the types of the
//! Rust one. Requests refuse fields they do not know; answers may gain some.

mod ask;
mod bulk;
mod call;
mod page;
mod problem;
mod reach;
mod ready;
mod request;
mod response;
mod settings;
mod stats;

pub use ask::{Cancel, Claim, Decide, Definition, Finish, Impact, Propose, Release};
pub use bulk::{Answered, DecideAll, DecideOne, Decided, DecidedOne, MAX_DECISIONS, Stop, Stopped, Which};
pub use call::{Call, Execution, Outcome, Proposal, Released};
pub use page::{Calls, EventPage, MAX_PAGE, PageOf, Pending, Thread, Threads};
pub use problem::Problem;
pub(crate) use reach::History;
pub use reach::{Reach, Width};
pub use ready::{OpenNow, Ready};
pub use request::{Happened, Request, Vote};
pub use response::Response;
pub use settings::{Closed, Grant, Grants, ModeOf, PoliciesOf, PolicyOf, SetMode, SetPolicies};
pub(crate) use stats::Counter;
pub use stats::{Counts, Spread, Stats, ToolStats};

/// The header that says who is asking, percent-encoded where a name is more than ASCII.
pub const PRINCIPAL_HEADER: &str = "countersign-principal";

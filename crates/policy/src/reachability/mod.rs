//! Asks a policy about the future: whether any call can do something, such as reading a file, and by which rules.
//!
//! The search makes calls that certainly do it, from a table of ways, from what is known about tools and programs, and from the
//! policy's own rules, and judges each. Whatever is reported as possible is a call that the policy allows. What the search did
//! not find may still exist, so the report says what was tried and what was not.

mod candidate;
mod fill;
mod goal;
mod question;
mod report;
mod rule_calls;
mod rule_lines;
mod rule_values;
mod search;
mod sensitive;
mod things;
mod tool_calls;
mod ways;

pub use question::{BadQuestion, ReachQuestion};
pub use report::{ReachAnswer, ReachCall, ReachForm, ReachReport, ReachWitness};
pub use search::{ReachCaller, ReachLimits};
pub use sensitive::{NewlyReachable, find_newly_reachable, sensitive_questions};
pub use things::WitnessStrength;

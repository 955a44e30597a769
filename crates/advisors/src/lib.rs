//! Advisors: programs that pre-judge the calls that people would be asked about. This crate makes the question, asks it
//! in Countersign's own protocol or in a model's protocol, and reads the answer. An advisor that fails in any way
//! leaves the call to people.
//!
//! [`ask_advisor`] asks once. [`AdvisorDesk`] adds a cache and limits. [`AdvisorRunner`] asks about each request of a
//! log as it opens, records the advice, and withdraws the right to decide from advisors that people contradict too
//! often.

mod access;
mod advice_cache;
mod advice_session;
mod advisor_key;
mod answer;
mod ask;
mod chat;
mod check;
mod command;
mod desk;
mod drift_watch;
mod facts;
mod fault;
mod own_protocol;
mod program_guard;
mod question;
mod runner;
mod service;
mod shortened_text;
mod untrusted_data;

pub use access::AdvisorAccess;
pub use advisor_key::AdvisorKey;
pub use answer::{AdviceAnswer, MAX_ANSWER_BYTES};
pub use ask::{AdviceOutcome, ask_advisor};
pub use chat::SHIPPED_PROMPT;
pub use check::check_advisor_settings;
pub use desk::{AdvisorDesk, AdvisorPlace};
pub use fault::AdviceFault;
pub use program_guard::run_program_guard;
pub use question::{AdviceQuestion, MAX_QUESTION_BYTES, RECENT_CALLS};
pub use runner::AdvisorRunner;

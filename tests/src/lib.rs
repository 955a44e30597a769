//! What the tests share: a server in the test's own process, and how answers are shown.

pub mod api;
mod layout;

pub use layout::lay_out;

//! The HTTP API operations. Each is described once, by its row in a table: the server derives its routes and the
//! OpenAPI document from the rows, and the client its requests and retries.
//!
//! A program sends an operation with [`send`](crate::SendOperation::send).

mod calls;
#[cfg(feature = "openapi")]
mod examples;
mod log;
mod parameters;
mod row;
mod table;
#[cfg(test)]
mod tests;
mod threads;

#[cfg(feature = "openapi")]
pub use examples::example_answers;
pub use parameters::{CallPart, EmptyBody, OperationQuery, PathPart, QueryValues, ThreadPart};
pub use row::{HttpMethod, OperationRight, OperationRow, RetryClass};
pub use table::*;

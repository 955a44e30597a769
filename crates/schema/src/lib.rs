//! Checks JSON against a [JSON Schema](https://json-schema.org). The schema may come from an untrusted source, so a
//! budget limits the check's steps, depth and memory.
//!
//! All assertions of the drafts from 4 to 2020-12 are supported, with two differences: a reference leads to a place in
//! the same document (`#/$defs/name`), and `format` and `content…` describe a value without restricting it, which is
//! the current draft's default.

mod arrays;
mod budget;
mod combinations;
mod equality;
mod error;
mod evaluated;
mod numbers;
mod objects;
mod patterns;
mod place;
mod texts;
mod validator;

#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;

pub use error::UnusableSchema;
pub use validator::{SchemaViolation, find_violations};

//! Signed checkpoints: noted tips of a log that prove who noted them and when.

pub mod document;
pub mod folder;
pub mod keys;
pub mod make;

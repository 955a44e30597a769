//! Signed checkpoints: noted tips of a log that prove who noted them and when.

pub(crate) mod document;
pub(crate) mod folder;
pub(crate) mod keys;
pub(crate) mod make;

//! The answers that a person types.

use crate::inbox::field::TextField;

/// The answers so far, and the one that the person types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TypedAnswers {
    pub(crate) done: Vec<String>,
    pub(crate) field: TextField,
}

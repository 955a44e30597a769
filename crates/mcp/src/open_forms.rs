//! The forms of the server that wait for an answer.

use countersign_events::Json;
use std::collections::{HashMap, HashSet};
use tokio_util::sync::CancellationToken;

/// A form, as the server sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerForm {
    /// The request's id as it is written.
    pub id: Json,
    /// The id in its canonical form.
    pub id_key: String,
    /// `message` and `requestedSchema`, as arguments of a call.
    pub arguments: Json,
}

/// The forms that wait for an answer.
#[derive(Default)]
pub(crate) struct OpenForms {
    /// The end of each form's call, by the request's id.
    pub(crate) open: HashMap<String, CancellationToken>,
    /// The requests that people have answered, and whose late answer by the client is left out.
    pub(crate) answered: HashSet<String>,
}

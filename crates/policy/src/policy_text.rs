//! The texts that a policy is read from.

use countersign_events::{
    Sha256,
    event::{PolicyLayer, PolicySet},
};

/// The texts that a policy is read from: its main file, and the files of `policy.d` beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyText {
    /// The text of the main file.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    pub layers: Vec<PolicyLayer>,
}

impl PolicyText {
    /// The SHA-256 of the text. With layers, it covers the names and texts of them too.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        if self.layers.is_empty() {
            return Sha256::digest(self.text.as_bytes());
        }
        // Lengths before the parts, so that no other division of the same bytes has the same hash.
        let layers = self.layers.iter().flat_map(|layer| [&layer.name, &layer.text]);
        let mut bytes = Vec::new();
        for part in std::iter::once(&self.text).chain(layers) {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Sha256::digest(&bytes)
    }
}

impl From<&str> for PolicyText {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), layers: Vec::new() }
    }
}

impl From<&PolicySet> for PolicyText {
    fn from(set: &PolicySet) -> Self {
        Self { text: set.text.clone(), layers: set.layers.clone() }
    }
}

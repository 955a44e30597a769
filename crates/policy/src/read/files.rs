//! The policy files, and the position of each part in them.

use super::{BadPolicy, node::PolicyFault, position::line_and_column};
use crate::policy_text::PolicyText;

/// The main file's name in messages. The policy text does not record where the file was.
const MAIN_FILE: &str = "the main file";

/// The policy files as one byte sequence. A position is the distance from the start of the main file, so that one
/// number names the file, the line and the column.
pub(super) struct PolicyFiles<'a> {
    files: Vec<NumberedFile<'a>>,
}

/// A policy file, and its offset in the sequence.
pub(super) struct NumberedFile<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) start: usize,
}

/// A position for people.
pub(super) struct FilePosition {
    /// The file, or `None` if the policy has only one.
    pub(super) file: Option<String>,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl<'a> PolicyFiles<'a> {
    pub(super) fn new(policy: &'a PolicyText) -> Self {
        let layers = policy.layers.iter().map(|layer| (layer.name.as_str(), layer.text.as_str()));
        let mut start = 0;
        let numbered = |(name, text): (&'a str, &'a str)| {
            let file = NumberedFile { name, text, start };
            // A position just after the last byte still belongs to this file.
            start += text.len() + 1;
            file
        };
        Self {
            files: std::iter::once((MAIN_FILE, policy.text.as_str())).chain(layers).map(numbered).collect(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &NumberedFile<'a>> {
        self.files.iter()
    }

    /// The position at which the layers start.
    pub(super) fn layers_start(&self) -> usize {
        self.files.get(1).map_or(usize::MAX, |layer| layer.start)
    }

    /// The file name for the position, or `None` if the policy has only one file.
    pub(super) fn name_at(&self, at: usize) -> Option<&'a str> {
        let several = self.files.len() > 1;
        self.files.iter().rfind(|file| file.start <= at).filter(|_| several).map(|file| file.name)
    }

    /// The layer name for the position, or `None` in the main file.
    pub(super) fn layer_at(&self, at: usize) -> Option<&'a str> {
        self.name_at(at).filter(|_| at >= self.layers_start())
    }

    pub(super) fn position(&self, at: usize) -> FilePosition {
        let (text, start) =
            self.files.iter().rfind(|file| file.start <= at).map_or(("", 0), |file| (file.text, file.start));
        let (line, column) = line_and_column(text, at - start);
        FilePosition { file: self.name_at(at).map(str::to_owned), line, column }
    }

    /// Adds the position to an error.
    pub(super) fn bad_policy(&self, fault: PolicyFault) -> BadPolicy {
        let FilePosition { file, line, column } = self.position(fault.at);
        BadPolicy::Wrong { line, column, why: fault.why }.in_file(file.as_deref())
    }
}

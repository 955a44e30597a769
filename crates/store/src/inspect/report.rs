//! The findings about a database.

/// The findings about the schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// The objects that are missing, that differ from those of the migrations, or that may change what is written.
    pub problems: Vec<String>,
    /// The objects that others added, and that do no harm.
    pub notes: Vec<String>,
}

impl SchemaReport {
    /// Returns true if the schema is the one that the migrations make.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

/// The integrity check's findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrityReport {
    /// The damage that the check found.
    pub problems: Vec<String>,
    /// Why the check was not made, if it was not.
    pub skipped: Option<String>,
}

impl IntegrityReport {
    /// Returns true if the check found nothing, or was not made.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

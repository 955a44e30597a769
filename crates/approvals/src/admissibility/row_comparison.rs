//! The outcome of comparing rows with the rules.

/// The outcome of comparing a reconstructed command with the log.
pub(super) enum RowComparison {
    /// The command writes exactly the next rows, of this number.
    Same(usize),
    /// The command writes other rows. The reason concerns the row at this position.
    Different { position: usize, reason: String },
}

//! The unfinished-copy mark: the table `copying`, which exists in a log until its copy is complete.

use crate::{
    DatabaseName, StoreError,
    database::{ReadPool, SqlQuery},
    queries,
};

/// A mark change.
#[derive(Debug, Clone)]
pub(crate) enum CopyMark {
    /// Set the mark on a log that ends at `tip`. The mark records the source's name.
    On {
        /// The expected end of the log. Another end means that another program writes to it.
        tip: i64,
        /// The source's name.
        source: DatabaseName,
    },
    /// Clear the mark.
    Off,
}

impl CopyMark {
    /// The statements that both databases accept.
    pub(crate) fn statements(&self) -> Vec<SqlQuery> {
        match self {
            Self::On { source, .. } => vec![
                SqlQuery::new("CREATE TABLE copying (source text NOT NULL)"),
                SqlQuery::new("INSERT INTO copying (source) VALUES ($1)").bind(source.to_string()),
            ],
            Self::Off => vec![SqlQuery::new("DROP TABLE copying")],
        }
    }
}

/// Returns true if the log has the mark.
pub(crate) async fn is_half_copied(readers: &ReadPool, place: &DatabaseName) -> Result<bool, StoreError> {
    let query = SqlQuery::new(queries::HALF_COPIED.on(readers.kind()));
    let found = readers.query_all(query).await.map_err(|e| e.describe(place.clone()))?;
    Ok(found.first().and_then(|row| row.number(0)) > Some(0))
}

/// Fails with [`StoreError::HalfCopied`] if the log has the mark.
pub(crate) async fn refuse_half_copied(readers: &ReadPool, place: &DatabaseName) -> Result<(), StoreError> {
    if !is_half_copied(readers, place).await? {
        return Ok(());
    }
    // The query fails if the mark was cleared in the meantime, or if this user may not read it.
    let source = readers.query_all(SqlQuery::new("SELECT source FROM copying")).await.unwrap_or_default();
    let source = source.first().and_then(|row| row.text(0)).unwrap_or_else(|| "another log".to_owned());
    Err(StoreError::HalfCopied { place: place.clone(), from: source })
}

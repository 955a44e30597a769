//! The archiving of a thread.

use crate::Sha256;
use serde::{Deserialize, Serialize};

/// `THREAD_ARCHIVED`: the texts of a closed thread were moved to an archive file, which was complete and on disk before. The
/// rows of the thread up to `through` have their [sealed form](crate::sealed) from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadArchived {
    /// The name of the archive file, without its folder.
    pub file: String,
    /// The digest of the archive, which covers all its events. See [`ArchiveDigest`](crate::proven::ArchiveDigest).
    pub digest: Sha256,
    /// The number of events of the thread in the archive.
    pub events: u64,
    /// The `seq` of the last of them.
    pub through: i64,
}

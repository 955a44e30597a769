//! The events table: the writer, the named queries, and the feed of new events. This is the only crate that uses SQL.
//!
//! A [`Store`] is an open log, which is an SQLite file or a PostgreSQL database. Any number of processes can open the
//! same log. Each sees the others' commits in the same order, usually within milliseconds. Only the module `database`
//! contains the differences between the two databases.

mod address;
mod advice;
mod archive;
mod backup;
mod clock;
mod conversation;
mod copy;
mod copy_mark;
mod copy_speed;
mod database;
mod database_kind;
mod database_name;
mod erasure;
mod error;
mod feed;
mod filter;
mod history;
mod inspect;
mod lock_holder;
mod log_user;
mod metrics;
mod open;
mod options;
mod page;
mod page_limit;
mod partial_file;
mod presence;
pub mod queries;
mod read;
mod recent_calls;
mod recent_tools;
mod restore;
mod row;
mod row_structure;
mod schema;
mod search;
mod store;
mod task_lease;
mod verify;
mod verify_from;
mod writer;

pub use address::{DatabaseUrl, NEVER_LOGGED, PostgresAddress};
pub use archive::{ArchiveContents, ArchivePlan, EVENTS_AT_ONCE, read_archive};
pub use backup::{BackupSummary, backup};
pub use clock::{Clock, ManualClock};
pub use copy::{CopyStep, CopySummary, copy};
pub use copy_speed::measure_copy_speed;
pub use countersign_approvals::admissibility::InadmissibleRow;
pub use database::{
    postgres::{OLDEST_POSTGRES, RoleRights, SETTINGS as POSTGRES_SETTINGS, ServerExamination, examine},
    sqlite::{DiskSpace, find_lock_holder, read_disk_space, sqlite_version},
};
pub use database_kind::DatabaseKind;
pub use database_name::DatabaseName;
pub use error::{StoreError, UnavailableDatabase};
pub use feed::{EventFollower, EventWaiter};
pub use filter::EventFilter;
pub use inspect::{IntegrityReport, POSTGRES_OBJECTS, SchemaReport};
pub use lock_holder::LockHolder;
pub use log_user::{LogUser, MigrationRecord};
pub use options::{LogMigration, StoreAccess, StoreOptions, SyncMode};
pub use page::ResultPage;
pub use presence::ProposerPresence;
pub use read::CallInContext;
pub use recent_calls::{CallFate, CallSpan};
pub use restore::{ReplacedLog, RestoreOptions, RestoreSummary, restore};
pub use schema::{SchemaLayout, migrations};
pub use search::ThreadOutline;
pub use store::Store;
pub use task_lease::{LeaseTask, LeasedTask, TaskLease};
pub use verify::{MAX_FINDINGS, VerifyReport};
pub use verify_from::{CheckpointMismatch, CheckpointReport};
pub use writer::CommandOutcome;

//! PostgreSQL: one log for any number of machines.

mod change_listener;
pub(super) mod error;
mod examine;
mod inline;
mod lock_holder;
mod read_pool;
mod schema;
mod session;
mod write_session;

pub(crate) use error::error;
pub use examine::{RoleRights, ServerExamination, examine};
pub(crate) use read_pool::PostgresReadPool;
pub use session::{OLDEST_VERSION as OLDEST_POSTGRES, SETTINGS};

use crate::{MigrationRecord, PostgresAddress, StoreError, StoreOptions, schema::SchemaLayout};
use change_listener::PostgresChangeListener;
use session::{SessionFactory, check_server};
use write_session::PostgresWriteSession;

/// Store parts.
pub(crate) struct OpenedServer {
    /// The connection that writes; `None` if the log can only be read.
    pub(crate) session: Option<PostgresWriteSession>,
    pub(crate) listener: PostgresChangeListener,
    pub(crate) readers: PostgresReadPool,
    /// The layout before the update.
    pub(crate) found: SchemaLayout,
    /// The migration from an older layout, if there was one.
    pub(crate) migration: Option<MigrationRecord>,
}

/// Connects and updates the schema.
pub(crate) async fn open(
    address: PostgresAddress,
    options: &StoreOptions,
) -> Result<OpenedServer, StoreError> {
    let mut sessions = SessionFactory::new(&address, options.synchronous);
    let failed = |e| error(address.database_name(), &e);
    let mut conn = sessions.open().await.map_err(failed)?;
    check_server(&mut conn, &address).await?;
    let (found, migration) = schema::update_schema(&mut conn, &address, &sessions, options).await?;
    let channel = schema::channel(&mut conn, &sessions).await.map_err(failed)?;
    let is_read_only = matches!(found, SchemaLayout::Newer { .. });
    if is_read_only {
        sessions.restrict_to_reading();
    }
    let readers = PostgresReadPool::new(&sessions, options.readers);
    let listener = PostgresChangeListener::new(&address, &sessions, channel.clone(), options.poll);
    let session = (!is_read_only).then(|| PostgresWriteSession::new(address, sessions, conn, channel));
    Ok(OpenedServer { session, listener, readers, found, migration })
}

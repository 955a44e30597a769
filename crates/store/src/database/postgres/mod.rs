//! PostgreSQL: one log for any number of machines.

mod door;
mod ear;
mod error;
mod examine;
mod readers;
mod schema;
mod session;

pub(crate) use error::error;
pub use examine::{RoleRights, ServerExamination, examine};
pub(crate) use readers::PostgresReadPool;
pub use session::{LEAST as OLDEST_POSTGRES, SETTINGS};

use super::ReadPool as EitherReaders;
use crate::{PostgresAddress, StoreError, StoreOptions, schema::SchemaLayout};
use door::PostgresWriteSession;
use ear::PostgresChangeListener;
use session::{SessionFactory, check};
use std::sync::Arc;

/// What a store is put together from.
pub(crate) struct OpenedServer {
    pub(crate) door: PostgresWriteSession,
    pub(crate) ear: PostgresChangeListener,
    pub(crate) readers: EitherReaders,
    /// The layout that was found.
    pub(crate) found: SchemaLayout,
}

/// Connects, and brings the layout up to date.
pub(crate) async fn open(
    address: PostgresAddress,
    options: &StoreOptions,
) -> Result<OpenedServer, StoreError> {
    let sessions = SessionFactory::new(&address, options.synchronous);
    let failed = |e| error(address.place(), &e);
    let mut conn = sessions.open().await.map_err(failed)?;
    check(&mut conn, &address).await?;
    let found = schema::bring_up_to_date(&mut conn, &address, &sessions, options.create).await?;
    let channel = schema::channel(&mut conn, &sessions).await.map_err(failed)?;
    let readers = EitherReaders::Postgres(Arc::new(PostgresReadPool::new(&sessions, options.readers)));
    let ear = PostgresChangeListener::new(&address, &sessions, channel.clone(), options.poll);
    Ok(OpenedServer {
        door: PostgresWriteSession::new(address, sessions, conn, channel),
        ear,
        readers,
        found,
    })
}

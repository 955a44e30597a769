//! PostgreSQL: one log for any number of machines.

mod door;
mod ear;
mod error;
mod examine;
mod readers;
mod schema;
mod session;

pub(crate) use error::error;
pub use examine::{Examined, Rights, examine};
pub(crate) use readers::Readers;
pub use session::{LEAST as OLDEST_POSTGRES, SETTINGS};

use super::Readers as EitherReaders;
use crate::{Error, Options, PostgresAddress, schema::Layout};
use door::Door;
use ear::Ear;
use session::{Sessions, check};
use std::sync::Arc;

/// What a store is put together from.
pub(crate) struct Opened {
    pub(crate) door: Door,
    pub(crate) ear: Ear,
    pub(crate) readers: EitherReaders,
    /// The layout that was found.
    pub(crate) found: Layout,
}

/// Connects, and brings the layout up to date.
pub(crate) async fn open(address: PostgresAddress, options: &Options) -> Result<Opened, Error> {
    let sessions = Sessions::new(&address, options.synchronous);
    let failed = |e| error(address.place(), &e);
    let mut conn = sessions.open().await.map_err(failed)?;
    check(&mut conn, &address).await?;
    let found = schema::bring_up_to_date(&mut conn, &address, &sessions, options.create).await?;
    let channel = schema::channel(&mut conn, &sessions).await.map_err(failed)?;
    let readers = EitherReaders::Postgres(Arc::new(Readers::new(&sessions, options.readers)));
    let ear = Ear::new(&address, &sessions, channel.clone(), options.poll);
    Ok(Opened { door: Door::new(address, sessions, conn, channel), ear, readers, found })
}

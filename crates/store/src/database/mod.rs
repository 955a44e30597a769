//! The differences between the two databases: how to connect, take the write lock, wake a reader and classify an error.
//! All code outside this module is the same for both.

mod backend;
mod bounded_rows;
pub(crate) mod postgres;
mod query;
mod query_error;
mod read_connection;
mod read_pool;
pub(crate) mod sqlite;

pub(crate) use backend::{
    BatchFailure, BegunTransaction, ChangeListener, FirstReads, LogEnd, MOST_NEW_EVENTS, WriteSession,
};
pub(crate) use bounded_rows::BoundedRows;
pub(crate) use query::{SqlArgument, SqlQuery, SqlRow, SqlValue};
pub(crate) use query_error::QueryError;
pub(crate) use read_connection::ReadConnection;
pub(crate) use read_pool::ReadPool;

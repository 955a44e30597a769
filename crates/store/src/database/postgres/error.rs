//! The meaning of PostgreSQL's errors, by SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use crate::{DatabaseName, StoreError, UnavailableDatabase, database::BatchFailure};
use countersign_approvals::Refused;
use sqlx::error::DatabaseError;

/// The SQLSTATE that the schema guards raise.
const GUARD: &str = "CS001";

/// Converts an error of PostgreSQL.
pub(crate) fn error(place: DatabaseName, error: &sqlx::Error) -> StoreError {
    let why = message(error);
    match error {
        sqlx::Error::Database(e) => convert_sqlstate(place, &state(&**e), why),
        sqlx::Error::PoolTimedOut => {
            UnavailableDatabase::Busy { place, why: "no connection came free in time".to_owned() }.into()
        }
        sqlx::Error::PoolClosed => StoreError::ShuttingDown,
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
            UnavailableDatabase::Unreachable { place, why }.into()
        }
        sqlx::Error::Configuration(_) => UnavailableDatabase::Login { place, why }.into(),
        _ => UnavailableDatabase::IoError { place, why }.into(),
    }
}

fn convert_sqlstate(place: DatabaseName, state: &str, why: String) -> StoreError {
    match state {
        // The server is starting or stopping, or ended the connection.
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => {
            UnavailableDatabase::Unreachable { place, why }.into()
        }
        "53100" => UnavailableDatabase::Full(place).into(),
        "55P03" => UnavailableDatabase::Locked { place, holder: None }.into(),
        "57014" | "53000" | "53200" | "53300" | "53400" | "40001" | "40P01" => {
            UnavailableDatabase::Busy { place, why }.into()
        }
        "25006" => UnavailableDatabase::Standby(place).into(),
        "28000" | "28P01" => UnavailableDatabase::Login { place, why }.into(),
        "3D000" => UnavailableDatabase::NoSuchDatabase(place).into(),
        "42501" => UnavailableDatabase::Forbidden { place, why }.into(),
        "42P01" | "42703" | "42883" | "3F000" => StoreError::NotCountersign { place, why },
        // A statement that was prepared on one connection is executed on another.
        "42P05" | "26000" => StoreError::BadAddress {
            why: format!(
                "{place} is behind a pooler that lends connections for one transaction; add pooler=transaction to the address"
            ),
        },
        "XX001" | "XX002" => StoreError::DamagedFile { place, why },
        state if state.starts_with("08") => UnavailableDatabase::Unreachable { place, why }.into(),
        _ => UnavailableDatabase::IoError { place, why }.into(),
    }
}

/// Classifies a batch failure. A guard, a constraint or a value that PostgreSQL cannot store is an error of one
/// command. If the connection is lost before the commit, nothing is written and the batch can be retried. Any other
/// error fails the batch.
pub(super) fn batch_failure(place: DatabaseName, e: &sqlx::Error) -> BatchFailure {
    if let sqlx::Error::Database(refused) = e {
        let state = state(&**refused);
        if state == GUARD
            || state.starts_with("22")
            || state.starts_with("54")
            || state.starts_with("23")
            || state.starts_with("P0")
        {
            let why = refused.message().to_owned();
            tracing::error!(why, state, "the database refused what the rules allowed");
            return BatchFailure::Some(Refused::Invalid { field: "event", why }.into());
        }
    }
    match error(place, e) {
        lost @ StoreError::DatabaseUnavailable(UnavailableDatabase::Unreachable { .. }) => {
            BatchFailure::Lost(lost)
        }
        error => BatchFailure::Whole(error),
    }
}

/// Returns true if the connection was lost or could not be opened.
pub(super) fn is_lost(e: &sqlx::Error) -> bool {
    matches!(
        error(DatabaseName::unnamed(), e),
        StoreError::DatabaseUnavailable(UnavailableDatabase::Unreachable { .. })
    )
}

fn state(error: &dyn DatabaseError) -> String {
    error.code().unwrap_or_default().into_owned()
}

/// The server or system message, without the driver's prefix.
fn message(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(e) => e.message().to_owned(),
        sqlx::Error::Io(e) => e.to_string(),
        e => e.to_string(),
    }
}

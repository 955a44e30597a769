//! Schema and integrity checks on PostgreSQL.

use super::{compare::SchemaObject, report::IntegrityReport};
use crate::{
    Store, StoreError,
    database::{QueryError, SqlQuery},
};

/// The objects that the migrations make: kind, name, table and definition, separated by tabs. A test compares the list
/// with a new log. A log user cannot make a second schema to compare with, as on SQLite.
pub const EXPECTED_OBJECTS: &str = include_str!("postgres_objects.tsv");

/// Prepares both lists for the comparison. The servers of different major versions format views in different ways, so
/// only the names of views are compared, unless the list was made by the same version.
pub(super) fn comparable_objects(found: Vec<SchemaObject>) -> (Vec<SchemaObject>, Vec<SchemaObject>) {
    let expected: Vec<_> = EXPECTED_OBJECTS.lines().filter_map(parse_object).collect();
    let version = |objects: &[SchemaObject]| {
        objects.iter().find(|object| object.kind == "version").map(|object| object.definition.clone())
    };
    let is_same_version = version(&expected) == version(&found);
    let comparable = |objects: Vec<SchemaObject>| {
        let objects = objects.into_iter().filter(|object| object.kind != "version");
        let reduce = |object: SchemaObject| match object.kind.as_str() {
            "view" if !is_same_version => SchemaObject { definition: String::new(), ..object },
            _ => object,
        };
        objects.map(reduce).collect()
    };
    (comparable(expected), comparable(found))
}

fn parse_object(line: &str) -> Option<SchemaObject> {
    let mut parts = line.splitn(4, '\t').map(str::to_owned);
    let (kind, name, table) = (parts.next()?, parts.next()?, parts.next()?);
    Some(SchemaObject { kind, name, table, definition: parts.next()? })
}

/// Whether this user may run the check that the extension `amcheck` provides; NULL if it is not installed.
const MAY_CHECK: &str = "SELECT has_function_privilege(to_regprocedure('bt_index_check(regclass,boolean)'), 'EXECUTE')::int::bigint";

/// The class of SQLSTATEs that report damage.
const DAMAGE: &str = "XX";

/// The log's indexes.
const INDEXES: &str = "SELECT indexrelid::regclass::text FROM pg_index
    WHERE indrelid IN (to_regclass('events'), to_regclass('open_requests'))
    ORDER BY 1";

/// Compares an index with its table. Run it only after [`MAY_CHECK`], because a database without the extension does not
/// know the function.
const CHECK_INDEX: &str = "SELECT bt_index_check(CAST($1 AS text)::regclass, true)";

/// Checks each index with the extension `amcheck`, if this user may.
pub(super) async fn check_integrity(store: &Store) -> Result<IntegrityReport, StoreError> {
    let skipped = match store.query_optional_number("may_check", SqlQuery::new(MAY_CHECK)).await? {
        Some(1) => None,
        Some(_) => {
            Some("this user may not run amcheck: GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean)")
        }
        None => Some("the extension amcheck is not installed: a superuser can run CREATE EXTENSION amcheck"),
    };
    if let Some(skipped) = skipped {
        return Ok(IntegrityReport { problems: Vec::new(), skipped: Some(skipped.to_owned()) });
    }
    let mut report = IntegrityReport::default();
    for row in store.query_rows("indexes", SqlQuery::new(INDEXES)).await? {
        let Some(index) = row.text(0) else { continue };
        let check = SqlQuery::new(CHECK_INDEX).bind(index.as_str());
        let Err(error) = store.inner.readers.query_all(check).await else { continue };
        let is_damage = matches!(&error, QueryError::Postgres(e) if e
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .is_some_and(|code| code.starts_with(DAMAGE)));
        if is_damage {
            report.problems.push(format!("the index {index}: {error}"));
        } else {
            report.skipped = Some(format!("amcheck did not finish the index {index}: {error}"));
        }
    }
    Ok(report)
}

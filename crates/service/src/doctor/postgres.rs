//! Checks of a PostgreSQL server, its settings, and the rights of this user.

use crate::doctor::{file::check_write_lock, results::CheckResults};
use countersign_store::{PostgresAddress, RoleRights, ServerExamination, examine};

/// The accepted clock difference between the server and this machine, in milliseconds.
const APART: u64 = 1_000;
/// With a larger difference, requests expire noticeably early or late.
const FAR_APART: u64 = 30_000;
/// The maximum number of connections of a process: one writer, four readers, one listener, one notifier.
const CONNECTIONS: i64 = 7;

/// Checks the server. Returns whether the log can be opened.
pub(crate) async fn check_postgres(address: &PostgresAddress, results: &mut CheckResults) -> bool {
    let found = match examine(address).await {
        Ok(found) => found,
        Err(error) => {
            results.fail_with("database", &error, error.reason().unwrap_or(error.code()));
            return false;
        }
    };
    let trip = found.round_trip.as_secs_f64() * 1_000.0;
    results.ok("database", format!("PostgreSQL {}, round trip {trip:.1} ms", found.version));
    way(&found, results);
    clock(&found, results);
    durability(&found, results);
    if found.rights.is_some() {
        check_write_lock(found.lock_holder.clone(), results);
    }
    rights(&found, results);
    true
}

/// Checks the connection.
fn way(found: &ServerExamination, results: &mut CheckResults) {
    match (found.encrypted, found.is_local) {
        (true, _) => results.ok("TLS", "the connection is encrypted"),
        (false, true) => results.ok("TLS", "off; the server is on this machine"),
        (false, false) => results.warn(
            "TLS",
            "off: others on the network can read and change the traffic",
            "add sslmode=verify-full and sslrootcert=FILE to the address",
        ),
    }
    if found.unnamed_pooler {
        results.warn(
            "pooler",
            "the connection existed before it was requested, so there seems to be a pooler",
            "for a pooler in transaction mode, add pooler=transaction to the address",
        );
    }
    match &found.notification {
        None => {}
        Some(Ok(())) => results.ok("bell", "notifications arrive"),
        Some(Err(why)) => results.warn(
            "bell",
            format!(
                "notifications do not arrive ({why}), so changes by other processes are found by polling"
            ),
            "with a pooler, name the server itself with listen_host and listen_port",
        ),
    }
    let (most, used) = found.connections;
    let said = format!("{used} of {most} are in use; an instance needs up to {CONNECTIONS}");
    if most - used < CONNECTIONS {
        results.warn("connections", said, "raise max_connections, or use a pooler");
    } else {
        results.ok("connections", said);
    }
}

fn clock(found: &ServerExamination, results: &mut CheckResults) {
    let (theirs, ahead) = found.clock;
    let apart = ahead.unsigned_abs();
    let which = if ahead > 0 { "ahead of" } else { "behind" };
    let said = format!("the clock of the server is {apart} ms {which} this machine: {theirs}");
    let remedy = "use NTP on both: requests expire by the clocks of the instances";
    match apart {
        0..APART => results.ok("clocks", said),
        APART..FAR_APART => results.warn("clocks", said, remedy),
        _ => results.fail("clocks", said, remedy),
    }
}

/// Checks whether acknowledged events survive a crash.
fn durability(found: &ServerExamination, results: &mut CheckResults) {
    if let Some(settings) = &found.unsafe_settings {
        results.fail(
            "durability",
            format!("{settings} off: a crash of the server can damage the log"),
            "set it to on in postgresql.conf",
        );
    } else {
        let commit = &found.synchronous_commit;
        results.ok("durability", format!("commits are flushed to disk (synchronous_commit {commit})"));
    }
    let waiting = !found.synchronous_standbys.is_empty();
    let waits = waiting && !matches!(found.synchronous_commit.as_str(), "local" | "off");
    match (found.standbys, waits) {
        (0, false) => results.ok("standbys", "none is connected"),
        (0, true) => results.fail(
            "standbys",
            format!(
                "a commit waits for {}, and none is connected: nothing can be written",
                found.synchronous_standbys
            ),
            "start a standby, or empty synchronous_standby_names",
        ),
        (standbys, true) => results.ok(
            "standbys",
            format!("a commit waits for {}; {standbys} connected", found.synchronous_standbys),
        ),
        (standbys, false) => results.warn(
            "standbys",
            format!(
                "{standbys} connected, but commits do not wait for them: a failover may lose the last events"
            ),
            "list them in synchronous_standby_names; see docs/postgresql.md",
        ),
    }
    if found.encoding != "UTF8" {
        let said = format!("the encoding of the database is {}", found.encoding);
        results.fail("encoding", said, "create a database with ENCODING 'UTF8', and copy the log into it");
    }
    if found.conforming_strings != "on" {
        results.warn(
            "strings",
            "standard_conforming_strings is off: a backslash in SQL that a person writes is read as an escape",
            "set standard_conforming_strings to on for this database",
        );
    }
    if found.isolation != "read committed" {
        results.warn(
            "isolation",
            format!("the default is {}, so decisions with SQL will often be refused", found.isolation),
            "set default_transaction_isolation to read committed for this database",
        );
    }
}

/// Checks the rights of this user and the database triggers.
fn rights(found: &ServerExamination, results: &mut CheckResults) {
    let roles = "use a role without ownership: see packaging/postgres/roles.sql and docs/postgresql.md";
    let Some(rights) = found.rights else { return };
    match rights {
        RoleRights::Read => results.warn("rights", "this user can only read: it cannot add events", roles),
        RoleRights::Add => results.ok("rights", "this user can add events, but not change or delete them"),
        RoleRights::Change => {
            let said = "this user has rights to change and delete events; only triggers prevent it";
            results.warn("rights", said, roles);
        }
        RoleRights::Own => {
            results.warn("rights", "this user owns the log, and can remove its triggers", roles);
        }
    }
    match &found.missing_guards {
        None => results.ok("guards", "all triggers are enabled"),
        Some(missing) => results.fail(
            "guards",
            format!("not enabled: {missing}"),
            "run ALTER TABLE events ENABLE ALWAYS TRIGGER for each, then `countersign verify`",
        ),
    }
}

//! A PostgreSQL server, its settings, and what this user may do there.

use crate::commands::doctor::results::CheckResults;
use countersign_gate::{Examined, PostgresAddress, Rights, examine};

/// Clocks of a server and of this machine may be apart by so many milliseconds.
const APART: u64 = 1_000;
/// Beyond so many, requests lapse too early or too late for everybody to see.
const FAR_APART: u64 = 30_000;
/// DecideOptions many connections a process has at most: one that writes, four that read, one that listens, one that rings.
const CONNECTIONS: i64 = 7;

/// Looks at it. Whether it is worth asking for the log.
pub(crate) async fn look(address: &PostgresAddress, results: &mut CheckResults) -> bool {
    let found = match examine(address).await {
        Ok(found) => found,
        Err(error) => {
            results.fail_with("database", &error);
            return false;
        }
    };
    let trip = found.round_trip.as_secs_f64() * 1_000.0;
    results.ok("database", format!("PostgreSQL {}, {trip:.1} ms there and back", found.version));
    way(&found, results);
    clock(&found, results);
    durability(&found, results);
    rights(&found, results);
    true
}

/// DecideOptions one gets there, and what is in between.
fn way(found: &Examined, results: &mut CheckResults) {
    match (found.encrypted, found.near) {
        (true, _) => results.ok("TLS", "what goes to the server is encrypted"),
        (false, true) => results.ok("TLS", "off, and the server is on this machine"),
        (false, false) => results.warn(
            "TLS",
            "off: who is on the way reads and changes what goes to the server",
            "say sslmode=verify-full and sslrootcert=FILE in the address",
        ),
    }
    if found.pooled_unsaid {
        results.warn(
            "pooler",
            "this connection is older than the question for it, so a pooler seems to be in between",
            "one that lends connections for a transaction only needs pooler=transaction in the address",
        );
    }
    match &found.heard {
        None => {}
        Some(Ok(())) => results.ok("bell", "what others write is heard of at once"),
        Some(Err(why)) => results.warn(
            "bell",
            format!("notifications do not arrive ({why}), so what others write is seen by the poll only"),
            "where a pooler is in between, name the server itself with listen_host and listen_port",
        ),
    }
    let (most, used) = found.connections;
    let said = format!("{used} of {most} are in use; an instance has up to {CONNECTIONS}");
    if most - used < CONNECTIONS {
        results.warn("connections", said, "raise max_connections, or have a pooler in between");
    } else {
        results.ok("connections", said);
    }
}

fn clock(found: &Examined, results: &mut CheckResults) {
    let (theirs, ahead) = found.clock;
    let apart = ahead.unsigned_abs();
    let which = if ahead > 0 { "ahead of" } else { "behind" };
    let said = format!("the server's is {apart} ms {which} this machine's: {theirs}");
    let remedy = "have both follow NTP: requests lapse by the clocks of the instances";
    match apart {
        0..APART => results.ok("clocks", said),
        APART..FAR_APART => results.warn("clocks", said, remedy),
        _ => results.fail("clocks", said, remedy),
    }
}

/// Whether what is acknowledged stays.
fn durability(found: &Examined, results: &mut CheckResults) {
    if let Some(settings) = &found.unsafe_settings {
        results.fail(
            "durability",
            format!("{settings} off: a crash of its machine damages the log"),
            "set it to on in postgresql.conf",
        );
    } else {
        let commit = &found.synchronous_commit;
        results.ok("durability", format!("a commit is on the server's disk (synchronous_commit {commit})"));
    }
    let waiting = !found.synchronous_standbys.is_empty();
    let waits = waiting && !matches!(found.synchronous_commit.as_str(), "local" | "off");
    match (found.standbys, waits) {
        (0, false) => results.ok("standbys", "none is connected"),
        (standbys, true) => results.ok(
            "standbys",
            format!("a commit waits for {}; {standbys} connected", found.synchronous_standbys),
        ),
        (standbys, false) => results.warn(
            "standbys",
            format!("{standbys} connected, and no commit waits for any: a failover may lose the last events"),
            "name them in synchronous_standby_names; docs/postgresql.md says what is promised then",
        ),
    }
    if found.encoding != "UTF8" {
        let said = format!("the database keeps text as {}", found.encoding);
        results.fail("encoding", said, "make a database with ENCODING 'UTF8', and copy the log into it");
    }
    if found.isolation != "read committed" {
        results.warn(
            "isolation",
            format!("{} is usual here, and rows by hand will often be refused", found.isolation),
            "set default_transaction_isolation to read committed for this database",
        );
    }
}

/// What this user may do, and what keeps everybody from the rest.
fn rights(found: &Examined, results: &mut CheckResults) {
    let roles = "give instances a role that owns nothing: packaging/postgres/roles.sql, docs/postgresql.md";
    let Some(rights) = found.rights else { return };
    match rights {
        Rights::Look => results.warn("rights", "this user can only look: it may add no events", roles),
        Rights::Add => results.ok("rights", "this user may add events, and change or delete none"),
        Rights::Change => {
            let said = "this user has a right to change or delete events, which only guards refuse";
            results.warn("rights", said, roles);
        }
        Rights::Own => {
            results.warn("rights", "this user owns the log, and could take its guards away", roles);
        }
    }
    match &found.missing_guards {
        None => results.ok("guards", "all are in force"),
        Some(missing) => results.fail(
            "guards",
            format!("not in force: {missing}"),
            "ALTER TABLE events ENABLE ALWAYS TRIGGER, for each; then countersign verify",
        ),
    }
}

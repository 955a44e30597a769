//! Guarantees that need real processes: several processes on one log, killed at any moment, and used from a terminal,
//! over HTTP and from a plain SQL shell. No test sleeps: it continues when a process prints a line or ends, within one
//! time limit.

use countersign_tests::{Database, ProcessWorld, Programs, programs};

const PROGRAMS: Programs = programs!();

/// Creates a world with the programs that cargo built for these tests.
async fn new_world(database: Database) -> ProcessWorld {
    ProcessWorld::of_processes(PROGRAMS, database).await
}

/// Defines two tests for each story, which is an `async fn` of a world: `story::sqlite` and `story::postgres`.
macro_rules! on_each_database {
    ($($story:ident),+ $(,)?) => {
        $(mod $story {
            use crate::new_world;
            use countersign_tests::{Database, in_time};

            #[tokio::test]
            async fn sqlite() {
                in_time(async { super::$story(new_world(Database::Sqlite).await).await }).await;
            }

            #[tokio::test]
            async fn postgres() {
                in_time(async { super::$story(new_world(Database::Postgres).await).await }).await;
            }
        })+
    };
}

mod advisor_damage;
mod advisor_decisions;
mod advisor_drift;
mod advisor_examples;
mod advisor_extents;
mod advisor_measurement;
mod advisor_programs;
mod advisor_webhooks;
mod advisors;
mod arguments;
mod backups;
mod chats;
mod creation;
mod descriptors;
mod due;
mod expiry;
mod held_lock;
mod interrupted;
mod kills;
mod log_policy;
mod lost_answers;
mod main_job;
mod memory;
mod outage;
mod places;
mod policies;
mod push;
mod races;
mod readers;
mod refused_runs;
mod replay;
mod request_lines;
mod retention;
mod secrets;
mod shell;
mod shutdown;
mod soak;
mod stop;
mod takeover;
mod unread_log;
mod webhook_alerts;
mod webhook_chats;
mod webhooks;

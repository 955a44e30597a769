//! Guarantees that only real processes can prove: several processes on one log, killed at any moment, and reached
//! from a terminal, over HTTP and from a plain SQL shell. No test waits for a clock: it goes on when a process
//! prints a line or ends, and one time limit surrounds it.

use countersign_tests::{Database, ProcessWorld, Programs, programs};

const PROGRAMS: Programs = programs!();

/// A world of the programs that cargo built beside these tests.
async fn new_world(database: Database) -> ProcessWorld {
    ProcessWorld::of_processes(PROGRAMS, database).await
}

/// Makes two tests of each story, an `async fn` of a world: `story::sqlite` and `story::postgres`.
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

mod arguments;
mod creation;
mod due;
mod expiry;
mod interrupted;
mod kills;
mod lost_answers;
mod main_job;
mod outage;
mod policies;
mod races;
mod readers;
mod refused_runs;
mod secrets;
mod shell;
mod shutdown;
mod soak;
mod stop;
mod takeover;
mod unread_log;

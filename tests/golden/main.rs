//! The promise of `docs/compatibility.md`: a log that a released version has written opens in every later version, verifies
//! there, and continues.
//!
//! `tests/fixtures/golden` has one folder for each released version, with a log of every type of event. `recipe` is the
//! program that has made the newest one.

use countersign_tests::{Database, ProcessWorld, Programs, programs};

const PROGRAMS: Programs = programs!();

/// Creates a world without a log, with the programs that cargo built for these tests.
async fn new_world(database: Database) -> ProcessWorld {
    ProcessWorld::of_processes(PROGRAMS, database).await
}

/// Defines two tests for each story, which is an `async fn` of a database: `story::sqlite` and `story::postgres`.
macro_rules! on_each_database {
    ($($story:ident),+ $(,)?) => {
        $(mod $story {
            use countersign_tests::{Database, in_time};

            #[tokio::test]
            async fn sqlite() {
                in_time(super::$story(Database::Sqlite)).await;
            }

            #[tokio::test]
            async fn postgres() {
                in_time(super::$story(Database::Postgres)).await;
            }
        })+
    };
}

mod continuing;
mod dump;
mod future;
mod golden_log;
mod newer_layout;
mod press;
mod reading;
mod recipe;
mod released_migrations;
mod upgrade;
mod walk;

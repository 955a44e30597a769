//! What holds only if it holds over real processes: several on one log, killed at any moment, reached
//! by a terminal, over HTTP and by a plain SQL shell. Nothing here waits for a clock: a test goes on when
//! a process says something or ends, and one time limit stands round the whole of it.

/// Makes two tests of each story, an `async fn` of a place: `story::sqlite` and `story::postgres`.
macro_rules! on_each_database {
    ($($story:ident),+ $(,)?) => {
        $(mod $story {
            use crate::harness::{Place, in_time};

            #[tokio::test]
            async fn sqlite() {
                in_time(super::$story(Place::new())).await;
            }

            #[tokio::test]
            async fn postgres() {
                in_time(super::$story(Place::on_postgres().await)).await;
            }
        })+
    };
}

mod arguments;
mod beginnings;
mod due;
mod expiry;
mod harness;
mod interrupted;
mod kills;
mod lost_answers;
mod main_job;
mod outage;
mod policies;
mod races;
mod readers;
mod secrets;
mod shell;
mod shutdown;
mod soak;
mod stop;
mod takeover;
mod turned_down;
mod unread_log;

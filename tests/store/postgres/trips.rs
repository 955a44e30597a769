//! The round trips of a command.

use super::{ada, bot, on_a_server, opens, options_without_polling, try_open_with};
use countersign_tests::Proxy;

/// A command begins, reads and takes the lock with one message, inserts with another, and commits. That holds for a new
/// call, which must be looked up, and after a write of another instance.
#[test]
fn command_takes_two_round_trips_and_a_commit() {
    on_a_server(async |server| {
        let proxy = Proxy::before(&server.socket()).await;
        let url = proxy.url_as("postgres", "postgres");
        let far = try_open_with(&url, options_without_polling()).await.expect("the log opens");
        let near = opens(&server.url()).await;
        // The first command prepares the statements.
        bot(&far).proposes_unlike_others("call_0").await.expect("asked");
        bot(&far).proposes_unlike_others("call_1").await.expect("asked");
        assert_eq!(proxy.trips(), 3, "a proposal");
        bot(&near).proposes_unlike_others("call_2").await.expect("asked");
        bot(&far).proposes_unlike_others("call_3").await.expect("asked");
        assert_eq!(proxy.trips(), 3, "a proposal after a write of another instance");
        ada(&near).allows("call_3").await.expect("allowed");
        bot(&far).cancels("call_3").await.expect("withdrawn");
        assert_eq!(proxy.trips(), 3, "a command on a call that another instance decided");
    });
}

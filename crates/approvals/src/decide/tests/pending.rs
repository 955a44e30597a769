//! The limits of pending calls.

use super::*;
use crate::PendingCounts;

const LIMITS: &str = "default = \"ask\"\n[limits]\npendingPerThread = 2\npendingPerAgent = 3\n\
                      [[rule]]\nname = \"reads\"\ntool = \"read\"\nverdict = \"allow\"\n";

/// A story in a log whose thread has this many open requests, and whose agent `bot` has this many.
fn with_pending(in_thread: u32, of_bot: u32) -> DecisionStory {
    let mut story = given(LIMITS);
    story.batch.set_pending(PendingCounts {
        threads: [(thread_id(), in_thread)].into(),
        proposers: [(Principal::agent("bot"), of_bot)].into(),
    });
    story
}

#[test]
fn proposal_beyond_a_limit_writes_nothing() {
    for (in_thread, of_bot, reason) in [
        (2, 0, "thread t has 2 pending calls, the most that the policy permits"),
        (0, 3, "agent:bot has 3 pending calls, the most that the policy permits"),
        (7, 7, "thread t has 2 pending calls, the most that the policy permits"),
    ] {
        let mut story = with_pending(in_thread, of_bot);
        let refused = story.proposes("call_1", "bash").expect_err("refused");
        assert_eq!(refused.code(), "too_many_pending");
        assert!(refused.to_string().starts_with(reason), "{refused}");
        assert!(story.log.is_empty());
    }
}

#[test]
fn batch_counts_its_own_requests() {
    let mut story = with_pending(0, 0);
    for id in ["call_1", "call_2"] {
        story.proposes(id, "bash").expect("asked");
    }
    assert_eq!(code(story.proposes("call_3", "bash")), "too_many_pending");
    assert_eq!(
        story.proposes("call_1", "bash"),
        Ok(Vec::new()),
        "a repeated proposal opens no second request"
    );
    story.decides("ada", "call_1", Decision::AllowOnce).expect("allowed");
    story.proposes("call_3", "make").expect("there is room again");
    assert_eq!(code(story.proposes("call_4", "cargo")), "too_many_pending");
}

#[test]
fn call_that_asks_no_one_is_not_limited() {
    let mut story = with_pending(2, 3);
    story.proposes("call_1", "read").expect("allowed");
    assert_eq!(story.state("call_1"), CallState::Allowed);
    assert_eq!(code(story.proposes("call_2", "bash")), "too_many_pending", "an allowed call frees no place");
}

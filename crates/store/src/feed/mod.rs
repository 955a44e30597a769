//! The feed: the only publisher. After a commit, ours or another process's, it hands out the new rows
//! in order. It wakes on the local writer, on the doorbell, and for writers that ring none on a slow
//! poll.
//!
//! Because `seq` has no gaps, the feed knows whether what it is offered follows on what it has. If
//! not, it reads the table; what a reader is woken by is only ever a hint.

mod call_tools;
mod catch_up;
mod event_feed;
mod feed_event;
mod follower;

mod wakeup_signals;

pub(crate) use catch_up::run;
pub(crate) use event_feed::EventFeed;
pub use follower::EventFollower;
pub use wakeup_signals::EventWaiter;

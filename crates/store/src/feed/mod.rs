//! The feed, the only publisher of events in a process. It delivers new rows in `seq` order after a commit of this or
//! of another process. It wakes on the local writer, on the doorbell, and, for writers that do not ring, on a slow
//! poll.
//!
//! Because `seq` has no gaps, the feed knows if the rows that it is offered follow the last one it delivered. If not,
//! it reads the table. Followers receive new events by broadcast, and read the table if in doubt. Other readers are
//! woken: a wake-up is a hint, and the reader must read the table to know the state.

mod call_tools;
mod catch_up;
mod event_broadcast;
mod event_feed;
mod feed_event;
mod follower;
mod table_pages;
mod wakeup_signals;

pub(crate) use catch_up::run;
pub(crate) use event_feed::EventFeed;
pub use follower::EventFollower;
pub(crate) use table_pages::TablePages;
pub use wakeup_signals::EventWaiter;

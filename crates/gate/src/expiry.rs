//! The duty of expiry: what nobody answers in time is decided by whichever process is there. All try;
//! the log lets one through.

use crate::{in_force::InForce, life::Life};
use countersign_approvals::{Command, Order, Principal, Wish};
use countersign_store::{Clock, Error, Store};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How often to look for requests that another process opened, and perhaps died over.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// How many expiries are carried out at once.
const AT_ONCE: i64 = 256;

pub(crate) struct Expiry {
    pub(crate) store: Store,
    pub(crate) policy: Arc<InForce>,
    pub(crate) life: Life,
    /// Rung when this process opens a request that can lapse.
    pub(crate) opened: Arc<Notify>,
}

impl Expiry {
    /// Carries out what lapses, until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        loop {
            let work = async {
                match self.carry_out_due().await {
                    Ok(()) => self.until_next().await,
                    Err(error) => {
                        tracing::warn!(%error, "expiry cannot be carried out; trying again");
                        Clock::System.sleep(LOOK_AGAIN).await;
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = work => {}
            }
        }
    }

    async fn carry_out_due(&self) -> Result<(), Error> {
        loop {
            let now = self.store.clock().now();
            let due = self.store.expired(now, AT_ONCE).await?;
            if due.is_empty() {
                return Ok(());
            }
            for (thread_id, id) in due {
                let order = Order {
                    thread_id,
                    wish: Wish::Call(id, Command::Expire),
                    by: Principal::system("expiry"),
                    now,
                    policy: self.policy.policy(),
                };
                self.life.tell(&self.store.carry_out(order).await?);
            }
        }
    }

    async fn until_next(&self) {
        let next = self.store.next_expiry().await.ok().flatten();
        let due = async {
            match next {
                Some(moment) => self.store.clock().sleep_until(moment).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = due => {}
            () = self.opened.notified() => {}
            () = Clock::System.sleep(LOOK_AGAIN) => {}
        }
    }
}

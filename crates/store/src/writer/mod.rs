//! The one door for writing. Orders queue up; one transaction takes all that wait, decides on them one
//! by one in memory, appends what follows, commits once and answers all. The fsync is shared, so
//! throughput grows with load while a lone order pays for one commit.

mod batch;
mod take;

pub(crate) use batch::Writer;

use crate::{Error, Place, copy::Mark, database::Door};
use countersign_approvals::{Call, Order};
use countersign_events::{Event, Timestamp};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// An order carried out.
#[derive(Debug, Clone)]
pub struct Done {
    /// The call as it stands now, where the order was about one.
    pub call: Option<Call>,
    /// What was written for it; nothing, if it was so already.
    pub events: Vec<Arc<Event>>,
}

/// Something on its way, with the place for its answer.
pub(crate) enum Request {
    /// An order.
    Order(Box<Order>, oneshot::Sender<Result<Done, Error>>),
    /// The wish to know whether the database takes writes.
    Probe(Timestamp, oneshot::Sender<Result<(), Error>>),
    /// Anything else.
    Chore(Chore, oneshot::Sender<Result<(), Error>>),
}

/// What is done in a turn of its own.
pub(crate) enum Chore {
    /// To make the index of open requests anew.
    RebuildIndex,
    /// To append events of the log that is called so, as they are.
    Take(Vec<Arc<Event>>, Place),
    /// To put the mark of half a copy there, or to take it off.
    Mark(Mark),
}

/// Queues something and waits for its answer.
pub(crate) async fn send<T>(
    orders: &mpsc::Sender<Request>,
    request: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Request,
) -> Result<T, Error> {
    let (answer, answered) = oneshot::channel();
    orders.send(request(answer)).await.map_err(|_| Error::ShuttingDown)?;
    answered.await.map_err(|_| Error::ShuttingDown)?
}

/// Takes batches until the store is closed. Orders that are queued by then are still carried out.
pub(crate) async fn run<D: Door>(
    mut writer: Writer<D>,
    mut inbox: mpsc::Receiver<Request>,
    most: usize,
    stop: CancellationToken,
) {
    let mut requests = Vec::with_capacity(most);
    loop {
        tokio::select! {
            biased;
            taken = inbox.recv_many(&mut requests, most) => if taken == 0 { break },
            () = stop.cancelled(), if !inbox.is_closed() => { inbox.close(); continue }
        }
        let (mut waiting, mut orders) = (Waiting::default(), Vec::with_capacity(requests.len()));
        for request in requests.drain(..) {
            waiting.take(request, &mut orders);
        }
        if !orders.is_empty() {
            let more = |orders: &mut Vec<Order>| {
                while orders.len() < most
                    && let Ok(request) = inbox.try_recv()
                {
                    waiting.take(request, orders);
                }
            };
            let outcomes = writer.carry_out(&mut orders, more).await;
            for (answer, outcome) in waiting.answers.drain(..).zip(outcomes) {
                // Whoever asked may have gone; the order was carried out all the same.
                let _ = answer.send(outcome);
            }
        }
        waiting.rest(&mut writer).await;
        // Lets those who were just answered queue what they want next, so that it shares this batch.
        tokio::task::yield_now().await;
    }
    writer.close().await;
}

/// Those who wait for an answer.
#[derive(Default)]
struct Waiting {
    /// To the orders, in their order.
    answers: Vec<oneshot::Sender<Result<Done, Error>>>,
    probes: Vec<(Timestamp, oneshot::Sender<Result<(), Error>>)>,
    chores: Vec<(Chore, oneshot::Sender<Result<(), Error>>)>,
}

impl Waiting {
    fn take(&mut self, request: Request, orders: &mut Vec<Order>) {
        match request {
            Request::Order(order, answer) => {
                orders.push(*order);
                self.answers.push(answer);
            }
            Request::Probe(now, answer) => self.probes.push((now, answer)),
            Request::Chore(chore, answer) => self.chores.push((chore, answer)),
        }
    }

    /// Answers those who want to know, and never before those who want something.
    async fn rest<D: Door>(self, writer: &mut Writer<D>) {
        // One write answers all.
        if let Some(now) = self.probes.iter().map(|(now, _)| *now).max() {
            let outcome = writer.probe(now).await;
            for (_, answer) in self.probes {
                let _ = answer.send(outcome.clone());
            }
        }
        for (chore, answer) in self.chores {
            let _ = answer.send(writer.see_to(chore).await);
        }
    }
}

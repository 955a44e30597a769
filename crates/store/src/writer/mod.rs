//! The one door for writing. Orders queue up; one transaction takes all that wait, decides on them one
//! by one in memory, appends what follows, commits once and answers all. The fsync is shared, so
//! throughput grows with load while a lone order pays for one commit.

mod batch;

pub(crate) use batch::Writer;

use crate::Error;
use countersign_approvals::{Call, Event, Order};
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

/// An order on its way, with the place for its answer.
pub(crate) struct Request {
    order: Order,
    answer: oneshot::Sender<Result<Done, Error>>,
}

/// Queues an order and waits for its answer.
pub(crate) async fn send(orders: &mpsc::Sender<Request>, order: Order) -> Result<Done, Error> {
    let (answer, answered) = oneshot::channel();
    orders.send(Request { order, answer }).await.map_err(|_| Error::Closed)?;
    answered.await.map_err(|_| Error::Closed)?
}

/// Takes batches until the store is closed. Orders that are queued by then are still carried out.
pub(crate) async fn run(
    mut writer: Writer,
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
        let (orders, answers): (Vec<_>, Vec<_>) =
            requests.drain(..).map(|request| (request.order, request.answer)).unzip();
        let outcomes = writer.carry_out(&orders).await;
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            // Whoever asked may have gone; the order was carried out all the same.
            let _ = answer.send(outcome);
        }
        // Lets those who were just answered queue what they want next, so that it shares this batch.
        tokio::task::yield_now().await;
    }
    writer.close().await;
}

//! Many readers of the event stream over HTTP: the server's memory per reader, the delay of events for the one reader
//! of their thread, and the time until an event has reached all readers.

use crate::{
    client::BenchClient,
    lab::{self, LabOutcome},
    load::{decide, propose},
    server::BenchServer,
    table::{BenchRow, BenchSamples, ms, times},
};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::JoinSet,
};

const FEW: usize = 10;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    // Each reader is an open file in this process, and one in the server, which inherits the limit.
    lab::allow_many_files()?;
    let (many, samples, events) = if quick { (100, 10, 3) } else { (2_000, 500, 50) };
    let mut rows = measure_one_reader(many, samples).await?;
    rows.push(measure_all_readers(many, events).await?);
    Ok(rows)
}

/// Measures the time from a decision to the one reader of its thread, alternately with many and with few readers.
async fn measure_one_reader(many: usize, samples: usize) -> LabOutcome<Vec<BenchRow>> {
    let (mut few, mut crowd) =
        (StreamCrowd::gather(FEW, true).await?, StreamCrowd::gather(many, true).await?);
    let (mut few_timing, mut many_timing) = (StreamTiming::default(), StreamTiming::default());
    for sample in 0..samples {
        few.decision(sample, &mut few_timing).await?;
        crowd.decision(sample, &mut many_timing).await?;
    }
    let ratio = times(many_timing.message.median(), few_timing.message.median());
    let kib = crowd.bytes / 1_024.0;
    few.server.stop().await?;
    crowd.server.stop().await?;
    Ok(vec![
        BenchRow {
            what: format!("memory of the server per stream reader, of {many}"),
            measured: format!("{kib:.1} KiB"),
            raw: "–".into(),
            ratio: None,
            target: "≤ 30 KiB",
            met: Some(kib <= 30.0),
        },
        BenchRow {
            what: format!("decision to the message at one of {many} readers, median of {samples}"),
            measured: many_timing.text(),
            raw: format!("{}, one of {FEW}", few_timing.text()),
            ratio: Some(ratio),
            target: "ratio ≤ 2",
            met: Some(ratio <= 2.0),
        },
    ])
}

/// Measures the time from a decision to the last reader, when all readers follow all threads.
async fn measure_all_readers(many: usize, events: usize) -> LabOutcome<BenchRow> {
    let mut crowd = StreamCrowd::gather(many, false).await?;
    let mut took = StreamTiming::default();
    for event in 0..events {
        crowd.decision(event, &mut took).await?;
    }
    crowd.server.stop().await?;
    Ok(BenchRow {
        what: format!("decision to the last of {many} readers of all threads, median of {events}"),
        measured: took.text(),
        raw: "–".into(),
        ratio: None,
        target: "–",
        met: None,
    })
}

/// The durations from sending a decision to its acknowledgement, and to the arrival of its message.
#[derive(Default)]
struct StreamTiming {
    answer: BenchSamples,
    message: BenchSamples,
}

impl StreamTiming {
    fn text(&self) -> String {
        let Self { answer, message } = self;
        format!("{} (p99 {}; acknowledged {})", ms(message.median()), ms(message.p99()), ms(answer.median()))
    }
}

/// A server, its readers, and a client that proposes and decides.
struct StreamCrowd {
    server: BenchServer,
    client: BenchClient,
    came: UnboundedReceiver<(usize, Instant)>,
    readers: JoinSet<LabOutcome<()>>,
    /// Whether each reader follows its own thread; otherwise all follow all threads.
    apart: bool,
    /// How much the server's memory grows per reader.
    bytes: f64,
    _folder: TempDir,
}

impl StreamCrowd {
    async fn gather(many: usize, apart: bool) -> LabOutcome<Self> {
        let folder = lab::folder()?;
        let server = BenchServer::start(&folder).await?;
        let mut client = BenchClient::connect(&server.target).await?;
        propose(&mut client, many, 0).await?;
        // The log begins with its policy and tokens.
        let thread = client.get(&format!("/v1/threads/thread-{many}")).await?.text()?;
        let thread: serde_json::Value = serde_json::from_str(&thread)?;
        let tip = thread["lastSeq"].as_i64().ok_or("a thread has a last event")?;
        let (says, came) = unbounded_channel();
        let (mut readers, before) = (JoinSet::new(), server.memory()?);
        for n in 0..many {
            let path = if apart {
                format!("/v1/threads/thread-{n}/events")
            } else {
                format!("/v1/events?after={tip}")
            };
            let reader = BenchClient::connect(&server.target).await?.read_stream(&path).await?;
            readers.spawn(reader.read(n, says.clone()));
        }
        let bytes = each(server.memory()?.saturating_sub(before), many);
        Ok(Self { server, client, came, readers, apart, bytes, _folder: folder })
    }

    /// Decides on a new call. Each sample uses another thread, whose number is far from the last one.
    async fn decision(&mut self, sample: usize, took: &mut StreamTiming) -> LabOutcome<()> {
        let many = self.readers.len();
        let (who, call) = (sample * 7_919 % many, sample / many);
        propose(&mut self.client, who, call).await?;
        // A proposal writes two events.
        self.await_message(who).await?;
        self.await_message(who).await?;
        let start = Instant::now();
        decide(&mut self.client, who, call).await?;
        took.answer.add(start.elapsed());
        took.message.add(self.await_message(who).await?.duration_since(start));
        Ok(())
    }

    /// Waits until each reader that receives the event has one more message. Returns when the last one arrived.
    async fn await_message(&mut self, who: usize) -> LabOutcome<Instant> {
        let expected = if self.apart { 1 } else { self.readers.len() };
        let mut last = None;
        for _ in 0..expected {
            let (reader, at) = tokio::time::timeout(Duration::from_secs(30), self.came.recv())
                .await?
                .ok_or("all readers have ended")?;
            if self.apart && reader != who {
                return Err(format!("{reader} got the message for {who}").into());
            }
            last = last.max(Some(at));
        }
        Ok(last.ok_or("the event concerns no reader")?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "megabytes")]
fn each(bytes: usize, many: usize) -> f64 {
    bytes as f64 / many as f64
}

//! Many readers that replay the log at the same time, as after a restart. They take turns, so that other requests are
//! answered in the meantime.

use crate::new_world;
use countersign_tests::{Database, Server, in_time};
use futures_util::future::join_all;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

const CALLS: usize = 750;

const READERS: usize = 200;

async fn propose_many(server: &Server) {
    for first in (0..CALLS).step_by(50) {
        // A thread may have 100 pending calls.
        let agent = server.agent("bot").in_thread(&format!("t{first}"));
        join_all((first..first + 50).map(async |n| agent.proposes_unlike_others(&format!("call_{n}")).await))
            .await;
    }
}

/// Opens a stream of all events. It starts when the connection is read.
async fn open_stream(server: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(server).await.expect("it listens");
    let request = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\
                   Countersign-Principal: user:ada\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("it reads");
    stream
}

/// Reads a stream until it has sent the event `last`, after which it is idle.
async fn read_until(mut stream: TcpStream, last: i64) {
    let (mut read, mut end, id) = (vec![0; 64 * 1024], Vec::new(), format!("id: {last}-"));
    while !String::from_utf8_lossy(&end).contains(&id) {
        let count = stream.read(&mut read).await.expect("the stream is open");
        assert_ne!(count, 0, "the stream has not ended: {}", String::from_utf8_lossy(&end));
        end.extend_from_slice(&read[..count]);
        end.drain(..end.len().saturating_sub(2_048));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replaying_readers_do_not_block_others() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = Arc::new(world.serves().await);
        propose_many(&server).await;
        let last = world.whole_log().await.last().expect("an event").seq;
        let mut replays = JoinSet::new();
        for stream in join_all((0..READERS).map(|_| open_stream(server.address()))).await {
            replays.spawn(read_until(stream, last));
        }
        for n in 0..5 {
            assert_eq!(server.get("/healthz").await.status, 200, "request {n}");
        }
        let mut finished = 0;
        while replays.try_join_next().transpose().expect("the reader has read everything").is_some() {
            finished += 1;
        }
        assert!(finished < READERS, "five requests took longer than {READERS} replays");
        replays.join_all().await;
    })
    .await;
}

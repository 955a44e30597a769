//! `POST /v1/threads/{thread}/tool-calls/{id}/claim`

use crate::ASK;
use countersign_api::{self as api, CallGate, ErrorCode, SendOperation, operations::ClaimCall};
use countersign_events::Principal;
use countersign_tests::{HttpAnswer, HttpWorld, gate_of, over_http};
use insta::assert_snapshot;
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

/// The hash of `{"command":"ls"}`, the arguments of every call here.
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

async fn claims(world: &HttpWorld, hash: &str) -> HttpAnswer {
    let claim = format!(r#"{{"executor":"worker-7","argumentsHash":"{hash}","leaseSeconds":60}}"#);
    world.agent("builder").post("/v1/threads/t/tool-calls/call_1/claim", &claim).await
}

#[tokio::test]
async fn claim_of_a_call_not_allowed_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(claims(world, HASH).await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(claims(world, HASH).await, @"409 not_allowed: the call is pending, and only an allowed call can be claimed");
        world.person("ada").denies("call_1").await;
        assert_snapshot!(claims(world, HASH).await, @"409 not_allowed: the call is denied, and only an allowed call can be claimed");
    })
    .await;
}

#[tokio::test]
async fn second_claim_is_refused_and_names_the_first() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_snapshot!(claims(world, HASH).await.fields(["state", "execution"]), @r#"
        200
        state: "running"
        execution: {"executor":"worker-7","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        "#);
        assert_snapshot!(claims(world, HASH).await, @r#"
        409 already_claimed: claimed already by worker-7 at 2026-01-31T12:00:00.000Z
        execution: {"executor":"worker-7","leaseExpiresAt":"2026-01-31T12:01:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn claim_with_other_arguments_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_snapshot!(claims(world, &"0".repeat(64)).await, @"409 arguments_changed: the arguments hash to 0000000000000000000000000000000000000000000000000000000000000000, and [hash:ls] was approved; run what was approved, or propose a new call");
        assert_snapshot!(claims(world, "abc").await, @r"
        422 invalid: a SHA-256 hash must have 64 hexadecimal digits at line 1 column 44
        column: 44
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn claim_without_an_executor_name_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let claim = format!(r#"{{"executor":"","argumentsHash":"{HASH}"}}"#);
        let answer = world.agent("builder").post("/v1/threads/t/tool-calls/call_1/claim", &claim).await;
        assert_snapshot!(answer, @"422 invalid: executor: it is empty; name the process that runs the call");
    })
    .await;
}

#[tokio::test]
async fn claim_in_a_closed_thread_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        world.agent("builder").post("/v1/threads/t/close", "{}").await;
        assert_snapshot!(claims(world, HASH).await, @"409 thread_closed: the thread was closed at 2026-01-31T12:00:00.000Z");
    })
    .await;
}

#[tokio::test]
async fn claim_of_a_since_blocked_call_is_refused() {
    let blocks =
        "[[rule]]\nname = \"no shells\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"they bite\"";
    over_http("default = \"allow\"", async |world| {
        world.agent("builder").proposes("call_1").await;
        world.apply_policy(blocks).await;
        assert_snapshot!(claims(world, HASH).await, @"409 blocked: blocked by policy:no shells: they bite");
    })
    .await;
}

/// Starts a network before the server that delivers the first request and loses its answer. Returns its address.
async fn network_losing_first_answer(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.expect("a connection");
        let mut upstream = TcpStream::connect(server).await.expect("the server listens");
        let (mut request, mut answer) = (Vec::new(), [0; 64]);
        while !request.ends_with(b"}") {
            client.read_buf(&mut request).await.expect("a request");
        }
        upstream.write_all(&request).await.expect("the server reads");
        upstream.read_exact(&mut answer).await.expect("the server has decided");
        drop((client, upstream));
        loop {
            let (mut client, _) = listener.accept().await.expect("a connection");
            let mut upstream = TcpStream::connect(server).await.expect("the server listens");
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut upstream).await });
        }
    });
    address
}

#[tokio::test]
async fn lost_answer_gives_executor_its_own_claim() {
    over_http(ASK, async |world| {
        let (thread, builder) = (api::parse_thread_id("t").expect("valid"), Principal::agent("builder"));
        for (name, is_generic) in [("call_1", false), ("call_2", true)] {
            world.agent("builder").proposes(name).await;
            world.person("ada").allows(name).await;
            let id = api::parse_call_id(name).expect("valid");
            let call = world.http_gate(&builder).call(&thread, &id).await.expect("the call");
            let network = network_losing_first_answer(world.service.address).await;
            let gate = gate_of(&format!("http://{network}"), &builder).with_retries();
            let body = api::ClaimRequest::for_call(&call, "worker-7");
            let claimed = if is_generic {
                gate.send(ClaimCall { thread: thread.clone(), id: id.clone(), body }).await
            } else {
                gate.claim(&thread, &id, &body).await
            };
            let execution = claimed.expect("its own claim").execution.expect("a claim");
            assert_eq!(execution.executor, "worker-7", "{name}");
            let other = api::ClaimRequest::for_call(&call, "worker-8");
            let refused = gate.claim(&thread, &id, &other).await.expect_err("claimed already");
            assert_eq!(refused.code, ErrorCode::AlreadyClaimed, "{name}");
        }
    })
    .await;
}

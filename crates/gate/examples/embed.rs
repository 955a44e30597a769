//! A Rust agent with the gate as its approval layer: `cargo run -p countersign-gate --example embed`,
//! then `countersign pending` and `countersign allow ID` in another terminal.

use countersign_api::{self as api, CallGate, random_id};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use std::error::Error;

/// Proposes a call, waits for the decision, runs it if it may run, and records its result.
pub(crate) async fn agent(database: &std::path::Path) -> Result<api::Call, Box<dyn Error + Send + Sync>> {
    let gate = EmbeddedGate::open(database).await?.acting_as(Principal::agent("builder"));
    let thread = api::parse_thread_id("conversation-7")?;
    let proposal =
        api::ProposeRequest::new(&random_id("call_"), "deploy", r#"{"service":"shop","version":"1.4.2"}"#)?;
    gate.propose(&thread, &proposal).await?;
    let call = gate.wait(&thread, &proposal.id, None).await?;
    if !call.may_run() {
        return Ok(call);
    }
    let call =
        gate.claim(&thread, &call.id, &api::ClaimRequest::for_call(&call, &random_id("builder-"))).await?;
    let output = format!("deployed {}", call.arguments.as_str());
    Ok(gate.finish(&thread, &call.id, &api::ResultRequest::success(&output)).await?)
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    println!("waiting for somebody to decide: countersign pending, countersign allow ID");
    let call = agent(std::path::Path::new("countersign.db")).await?;
    println!("{} is {}: {:?}", call.id, call.state, call.result.map(|result| result.content));
    Ok(())
}

//! A process that runs one part of a test. Its only argument describes the part as JSON. The process prints
//! `{"ready":true}`, waits for a line on stdin, and then prints a line of JSON for each acknowledgement. The test may
//! kill it at any moment. In another role, it is the server of a log whose time the documentation pictures set.
#![expect(clippy::print_stdout, reason = "stdout is the channel to the parent process")]

mod hold;
mod parts;
mod past;
mod race;

use countersign_api::ApprovalGate;
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_store::DatabaseUrl;
use serde::Deserialize;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Deserialize)]
struct PlayerOptions {
    database: String,
    #[serde(flatten)]
    role: PlayerRole,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum PlayerRole {
    Part(PlayerPart),
    /// A server in the past. It starts at once, and stdin sets its clock.
    Past(past::PastOptions),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum PlayerPart {
    Proposer(parts::PlayedCalls),
    Executor(parts::PlayedCalls),
    Decider(parts::PlayedCalls),
    Follower(parts::FollowOptions),
    Holder(hold::HoldOptions),
    Racer(race::RaceOptions),
}

/// Any error of a player, which it prints before it ends.
type PlayerError = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> ExitCode {
    match play().await {
        Ok(()) => {
            print_line(&json!({"done": true}));
            ExitCode::SUCCESS
        }
        Err(error) => {
            let code =
                error.downcast_ref::<countersign_api::GateError>().map(countersign_api::GateError::code);
            print_line(&json!({"failed": error.to_string(), "code": code}));
            ExitCode::FAILURE
        }
    }
}

async fn play() -> Result<(), PlayerError> {
    let options: PlayerOptions =
        serde_json::from_str(&std::env::args().nth(1).ok_or("the argument with the part is missing")?)?;
    match options.role {
        PlayerRole::Part(part) => play_part(&options.database, part).await,
        PlayerRole::Past(past) => past::serve_past(&options.database, &past).await,
    }
}

async fn play_part(database: &str, part: PlayerPart) -> Result<(), PlayerError> {
    let gate = EmbeddedGate::open(DatabaseUrl::parse(database)?).await?.acting_as(Principal::agent("player"));
    print_line(&json!({"ready": true}));
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    match part {
        PlayerPart::Proposer(calls) => parts::propose(&gate, &calls).await?,
        PlayerPart::Executor(calls) => parts::execute(&gate, &calls).await?,
        PlayerPart::Decider(calls) => parts::decide(&gate, &calls).await?,
        PlayerPart::Follower(following) => parts::follow(&gate, &following).await?,
        PlayerPart::Holder(hold) => hold::hold(&gate, &hold).await?,
        PlayerPart::Racer(race) => race::race(&gate, &race).await?,
    }
    gate.shut_down().await;
    Ok(())
}

fn print_line(report: &Value) {
    println!("{report}");
}

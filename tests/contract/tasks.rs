//! Calls that run beside the other steps: as a task in this process, or in a separate process.

use crate::{clients::StoryTool, outcome::StoryOutcome};
use countersign_tests::{Process, in_time};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A call that a story started and has not ended.
pub(crate) enum StoryTask {
    Task { work: JoinHandle<StoryOutcome>, tool: Arc<StoryTool> },
    Process(Box<Process>),
}

impl StoryTask {
    pub(crate) async fn await_run(&mut self) {
        match self {
            Self::Task { tool, .. } => {
                let mut started = tool.started.subscribe();
                in_time(started.wait_for(|started| *started)).await.expect("the tool exists");
            }
            Self::Process(process) => {
                assert_eq!(in_time(process.line()).await.as_deref(), Some("started"));
            }
        }
    }

    pub(crate) async fn let_go(&mut self) {
        match self {
            Self::Task { tool, .. } => drop(tool.released.send_replace(true)),
            Self::Process(process) => process.tell("go").await,
        }
    }

    pub(crate) async fn kill(self) {
        match self {
            Self::Task { .. } => panic!("only a process can be killed"),
            Self::Process(mut process) => process.kill().await,
        }
    }

    pub(crate) async fn end(self) -> StoryOutcome {
        match self {
            Self::Task { work, .. } => in_time(work).await.expect("the call does not panic"),
            Self::Process(process) => {
                let ended = in_time(process.ended()).await;
                let last = ended.stdout.lines().last().unwrap_or_default().to_owned();
                serde_json::from_str(&last)
                    .unwrap_or_else(|_| panic!("the agent printed no outcome: {ended:?}"))
            }
        }
    }
}

//! An agent as a separate process, which stories kill. It prints `started` when its tool starts, and its outcome at the
//! end. A line on its standard input lets a held tool go.

use crate::{
    clients::{StoryTool, ToolCallPlan, connect},
    fields::StepFields,
    print,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{path::PathBuf, sync::Arc};
use tokio::io::{AsyncBufReadExt, BufReader};

/// The option of this program that makes it an agent.
pub(crate) const OPTION: &str = "--play-agent";

/// Plays an agent.
#[derive(Serialize, Deserialize)]
pub(crate) struct AgentPart {
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) runs: PathBuf,
    pub(crate) step: Map<String, Value>,
}

pub(crate) async fn run(part: &str) {
    let part: AgentPart = serde_json::from_str(part).expect("a part");
    let mut step = StepFields::new(part.step);
    let tool = Arc::new(StoryTool::new(part.runs, &mut step));
    let (mut started, releasing) = (tool.started.subscribe(), Arc::clone(&tool));
    tokio::spawn(async move {
        started.wait_for(|started| *started).await.expect("the tool exists");
        print("started");
        let mut line = String::new();
        if BufReader::new(tokio::io::stdin()).read_line(&mut line).await.is_ok_and(|read| read > 0) {
            releasing.released.send_replace(true);
        }
    });
    let made = ToolCallPlan::new(step).make(connect(&part.url, &part.token), tool);
    // Boxed, because the future holds several calls.
    let outcome = Box::pin(made).await;
    print(&serde_json::to_string(&outcome).expect("an outcome is JSON"));
    // Dropping the runtime would wait for standard input.
    std::process::exit(0);
}

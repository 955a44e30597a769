//! Drives an MCP server with the official Rust SDK. The arguments are the server command, or the command of the gateway
//! before it. Prints one line of JSON: the tool names, and the results of the calls that stdin names, one JSON object
//! per line.

use rmcp::{ServiceExt, model::CallToolRequestParams, transport::TokioChildProcess};
use serde_json::{Value, json};
use std::{error::Error, io};
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let program = words.next().ok_or("name the command of a server")?;
    let mut command = Command::new(program);
    command.args(words);
    let client = ().serve(TokioChildProcess::new(command)?).await?;
    let tools: Vec<_> = client.list_all_tools().await?.into_iter().map(|tool| tool.name).collect();
    let mut results = Vec::new();
    for line in io::stdin().lines() {
        let params: CallToolRequestParams = serde_json::from_str(&line?)?;
        results.push(match client.call_tool(params).await {
            Ok(result) => serde_json::to_value(result)?,
            Err(error) => Value::String(error.to_string()),
        });
    }
    println!("{}", json!({"tools": tools, "results": results}));
    client.cancel().await?;
    Ok(())
}

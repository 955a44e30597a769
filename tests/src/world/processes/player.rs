//! A process that runs one part of a test and reports each acknowledgement.

use super::{Process, ProcessWorld};
use serde_json::{Value, json};

/// A running player: see `tests/player`.
pub struct Player {
    process: Process,
}

impl Player {
    pub(super) async fn start(world: &ProcessWorld, part: &Value) -> Self {
        let argument = json!({"database": world.url(), "part": part}).to_string();
        let mut command = world.program(world.service.programs.player);
        let mut player = Self { process: Process::start(command.arg(argument)) };
        assert_eq!(player.reports().await, Some(json!({"ready": true})));
        player
    }

    /// Starts the part.
    pub async fn go(&mut self) {
        self.process.tell("go").await;
    }

    /// Returns the next report, or `None` if the player has ended. A last line that is not complete is ignored.
    pub async fn reports(&mut self) -> Option<Value> {
        serde_json::from_str(&self.process.line().await?).ok()
    }

    /// Returns all reports, after the player has completed its part.
    pub async fn reports_to_its_end(mut self) -> Vec<Value> {
        let mut reports = Vec::new();
        while let Some(report) = self.reports().await {
            reports.push(report);
        }
        assert_eq!(reports.pop(), Some(json!({"done": true})), "{:?}", self.process.ended().await);
        reports
    }

    /// Kills the player with `SIGKILL`.
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }
}

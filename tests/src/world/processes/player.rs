//! A process that plays a part and reports each acknowledgement.

use super::{Process, ProcessWorld};
use serde_json::{Value, json};

/// A player: see `tests/player`.
pub struct Player {
    process: Process,
}

impl Player {
    pub(super) async fn start(world: &ProcessWorld, part: &Value) -> Self {
        let given = json!({"database": world.url(), "part": part}).to_string();
        let mut command = world.program(world.service.programs.player);
        let mut player = Self { process: Process::start(command.arg(given)) };
        assert_eq!(player.reports().await, Some(json!({"ready": true})));
        player
    }

    /// Gives it the go-ahead.
    pub async fn go(&mut self) {
        self.process.tell("go").await;
    }

    /// Its next report; `None` when it has ended. A line truncated by its end does not count.
    pub async fn reports(&mut self) -> Option<Value> {
        serde_json::from_str(&self.process.line().await?).ok()
    }

    /// All its reports until it has played its part.
    pub async fn reports_to_its_end(mut self) -> Vec<Value> {
        let mut reports = Vec::new();
        while let Some(report) = self.reports().await {
            reports.push(report);
        }
        assert_eq!(reports.pop(), Some(json!({"done": true})), "{:?}", self.process.ended().await);
        reports
    }

    /// `kill -9`
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }
}

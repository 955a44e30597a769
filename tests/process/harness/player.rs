//! A process that plays a part and says what was acknowledged to it.

use super::{Place, Process};
use serde_json::{Value, json};

pub(crate) struct Player {
    process: Process,
}

impl Player {
    /// Starts it, as far as it waits for its go-ahead.
    pub(super) async fn start(place: &Place, part: &Value) -> Self {
        let given = json!({"database": place.database(), "part": part}).to_string();
        let mut command = place.program(env!("CARGO_BIN_EXE_countersign-player"));
        let mut player = Self { process: Process::start(command.arg(given)) };
        assert_eq!(player.says().await, Some(json!({"ready": true})));
        player
    }

    pub(crate) async fn go(&mut self) {
        self.process.tell("go").await;
    }

    /// What it says next; `None` when it has ended. A line that was cut off by its end is no word.
    pub(crate) async fn says(&mut self) -> Option<Value> {
        serde_json::from_str(&self.process.line().await?).ok()
    }

    /// Everything that it says until it has done its part.
    pub(crate) async fn says_all(mut self) -> Vec<Value> {
        let mut said = Vec::new();
        while let Some(word) = self.says().await {
            said.push(word);
        }
        assert_eq!(said.pop(), Some(json!({"done": true})), "{:?}", self.process.ended().await);
        said
    }

    pub(crate) async fn kill(&mut self) {
        self.process.kill().await;
    }
}

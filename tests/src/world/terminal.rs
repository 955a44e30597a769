//! People at a terminal, who decide with the command under test.

use super::{
    Action, PersonaCaller, Transport,
    processes::{Process, ProcessEnd, ProcessWorld, Programs, program_in},
};
use countersign_events::Decision;
use std::path::PathBuf;
use tokio::process::Command;

/// A transport that runs the command under test over the log.
#[derive(Clone)]
pub struct AtTerminal {
    programs: Programs,
    folder: PathBuf,
    database: String,
}

impl AtTerminal {
    pub(super) fn new(world: &ProcessWorld) -> Self {
        Self { programs: world.service.programs, folder: world.folder().to_owned(), database: world.url() }
    }

    fn countersign(&self, caller: &PersonaCaller) -> Command {
        let mut command = program_in(&self.folder, self.programs.countersign);
        command.args(["--database", &self.database]);
        if let Some(principal) = &caller.principal {
            command.args(["--as", principal.as_str()]);
        }
        command
    }
}

/// Only decisions are supported. Agents propose and run calls with `countersign run`, which a test starts as a
/// process.
impl Transport for AtTerminal {
    type Outcome = ProcessEnd;

    async fn perform(&self, caller: &PersonaCaller, action: Action<'_>) -> ProcessEnd {
        let mut command = self.countersign(caller);
        match action {
            Action::Decide(id, Decision::AllowSession) => command.args(["allow", id, "--session", "tool"]),
            Action::Decide(id, Decision::AllowOnce) => command.args(["allow", id]),
            Action::Decide(id, _) => command.args(["deny", id]),
            _ => panic!("no single command for {action:?}"),
        };
        command.args(["--thread", caller.thread_id.as_str()]);
        Process::start(&mut command).ended().await
    }
}

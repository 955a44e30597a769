//! The options of `up`.

use super::environment::ShellSyntax;
use countersign_server::ListenAddress;

/// Options of `up`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It starts one service for each log: to repeat it starts nothing. The service has the settings of `serve`, from the \
same file and the same variables, stays when the terminal closes, and ends with `countersign down`.\n\n\
For agents of this shell: eval \"$(countersign up --env)\"\n\n\
JSON: {\"started\": false if it ran already, \"address\", \"addresses\", \"version\", \"pid\", \"startedAt\", \"startedBy\": up, serve or \
systemd, \"database\", \"messages\": the file of its messages, \"solo\", \"signInLink\" and \"signInUntil\": null if a browser needs or \
gets none, \"environment\": {name: value}}"
)]
pub struct UpArgs {
    /// The address to listen on, as for `serve`; repeatable [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Vec<ListenAddress>,
    /// Let callers without a token both propose and decide; every event and every surface shows it
    #[arg(long)]
    pub(super) solo: bool,
    /// Print only the environment for agents, as commands for a shell: sh, fish or powershell
    #[arg(long, value_name = "SHELL", num_args = 0..=1, default_missing_value = "sh", conflicts_with = "json")]
    pub(super) env: Option<ShellSyntax>,
}

//! The command line.

use crate::commands;
use clap::{Parser, Subcommand};
use countersign_console::GlobalOptions;
use countersign_service as service;

/// The text after the options in `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    failed: a file or the system; damage was found
  2    the command line or a setting is invalid
  3    refused by the rules, such as already decided
  4    no such call, thread or grant, or more than one
  5    the server or the database is unavailable
  76   policy check: the verdict is ask
  77   run: denied or blocked; policy check: block
  78   run: expired without a decision
  79   run: cancelled
  126  run: the command cannot be started
  127  run: the command was not found
  130  run: cancelled with Ctrl-C
  else run: the exit code of the command

Errors with --json:
  {\"code\", \"detail\", \"hint\": absent if there is none}

Environment:
  COUNTERSIGN_DATABASE, _SERVER, _POLICY and others
  replace options: `countersign config` lists them.
  COUNTERSIGN_TOKEN is the token for a server.
  NO_COLOR turns colours off.";

/// The approval service between AI agents and the tools they want to run.
#[derive(Debug, Parser)]
#[command(name = "countersign", bin_name = "countersign", version, after_help = EXIT_CODES)]
pub(crate) struct CliArguments {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
    #[command(flatten)]
    pub(crate) options: GlobalOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Start the service in the background, and print how people and agents use it
    Up(service::up::UpArgs),
    /// Stop the service that `up` started
    Down(service::down::DownArgs),
    /// Show who is connected, and what is pending
    Status(service::status::StatusArgs),
    /// Serve the HTTP API on this machine
    Serve(Box<service::serve::ServeArgs>),
    /// Run a command after it is approved
    Run(commands::run::RunArgs),
    /// Ask before each tool call of an MCP server
    Mcp(commands::mcp::McpArgs),
    /// Answer the permission prompts of Claude Code, as an MCP server
    PermissionPrompt(commands::permission_prompt::PermissionPromptArgs),
    /// List the pending calls
    Pending(commands::pending::PendingArgs),
    /// Decide pending calls interactively as they arrive
    Watch(commands::watch::WatchArgs),
    /// Show one call: its arguments, decision and result
    Show(commands::show::ShowArgs),
    /// Allow pending calls
    Allow(commands::decide::args::AllowArgs),
    /// Deny pending calls
    Deny(commands::decide::args::DenyArgs),
    /// Deny all pending calls at once
    Stop(commands::stop::StopArgs),
    /// Take back an approval that no executor has used
    TakeBack(commands::take_back::TakeBackArgs),
    /// Let another executor take over a call whose executor was lost
    Release(commands::release::ReleaseArgs),
    /// Complain that a call was allowed
    Flag(commands::flag::FlagArgs),
    /// Erase the arguments and other content of a call that has ended
    Erase(commands::erase::EraseArgs),
    /// Print the log's events
    Log(commands::log::LogArgs),
    /// List calls, the newest first
    Calls(commands::calls::CallsArgs),
    /// List threads, and change a thread's settings
    #[command(subcommand)]
    Thread(commands::thread::ThreadSubcommand),
    /// List and revoke grants: decisions that answer later calls of a thread
    #[command(subcommand)]
    Grant(commands::grant::GrantCommand),
    /// List the tools that the log knows, and accept changed definitions
    #[command(subcommand)]
    Tool(commands::tool::ToolSubcommand),
    /// Create, list and revoke the tokens with which callers use a server
    #[command(subcommand)]
    Token(commands::token::TokenSubcommand),
    /// Hand your queue to another person, list delegations and end them
    #[command(subcommand)]
    Delegation(commands::delegation::DelegationCommand),
    /// Add, list and remove the keys with which approvers prove their decisions
    #[command(subcommand)]
    ApproverKey(commands::approver_key::ApproverKeySubcommand),
    /// Send messages about calls to chats and other services
    #[command(subcommand)]
    Webhook(commands::webhook::WebhookSubcommand),
    /// List the advisors of the policy, and let them decide
    #[command(subcommand)]
    Advisor(commands::advisor::AdvisorSubcommand),
    /// Check a policy, test it, and compare it with the log
    #[command(subcommand)]
    Policy(commands::policy::PolicyCommand),
    /// Let a coding agent ask Countersign before it runs a tool
    Install(commands::install::InstallArgs),
    /// Remove what `install` added to a coding agent's configuration
    Uninstall(commands::install::UninstallArgs),
    /// Answer a message from a coding agent's hook
    Hook(commands::hook::HookArgs),
    /// Run an agent of the Agent Client Protocol, and answer its questions for permission
    #[command(
        after_help = "The client, such as an editor, starts this command instead of the agent: countersign acp -- AGENT. All messages \
pass unchanged, except session/request_permission: Countersign answers it, and the client does not show its own dialog. The \
thread is the session, and the tool is acp:KIND, such as acp:execute. An approval allows once; Countersign itself remembers \
what it answers for a session. The exit code is that of the agent."
    )]
    Acp(commands::agent_proxy::AgentProxyArgs),
    /// Run the app server of Codex, and answer its requests for approval
    #[command(
        after_help = "The client starts this command instead of the app server: countersign codex-app-server -- codex app-server. All \
messages pass unchanged, except requests for the approval of commands, file changes and permissions. The tools are Bash, \
apply_patch and request_permissions. An approval is for one call, and never changes the rules of Codex. The exit code is that \
of the app server."
    )]
    CodexAppServer(commands::agent_proxy::AgentProxyArgs),
    /// Count calls and decisions, and how long people took to decide
    Stats(commands::stats::StatsArgs),
    /// Check the database, the server and this machine for problems
    Doctor(service::doctor::DoctorArgs),
    /// Check the hash chain of the whole log
    Verify(commands::verify::VerifyArgs),
    /// Sign the log's tip, so that a later change to it shows
    #[command(subcommand)]
    Checkpoint(commands::checkpoint::CheckpointCommand),
    /// Upgrade a log to the schema of this version
    #[command(
        after_help = "A command that writes upgrades the log when it opens it, if no other process uses the log. This one also upgrades a log \
in use, and names the processes that use it: they continue, or, if the new layout excludes their version, only read. On PostgreSQL, run \
it as the owner of the schema if servers run as a role without these rights.\n\n\
Before, a file is copied to a new one beside it, named after the layout (`countersign.db.layout-3`). Back up PostgreSQL with its own tools.\n\n\
With --check, it changes nothing, and exits with 1 if the log must be upgraded. It then says what the upgrade does, how long it takes \
at most by the measured speed of the disk, and how to make another copy before.\n\n\
JSON: {\"database\", \"done\": made, migrated, nothing or, with --check, needed, \"copy\": null or the file, \"users\": [{\"pid\", \"program\"}], \
\"bytes\" and \"seconds\": of a file that must be upgraded, its size and the longest duration, or else null}"
    )]
    Migrate(commands::migrate::MigrateArgs),
    /// Move the content of old closed threads to a file
    Archive(commands::archive::ArchiveArgs),
    /// Build the database file again, smaller and without erased content
    #[command(
        after_help = "It takes as long as a backup and needs as much free space as the file has. Other processes can read meanwhile; \
one that writes waits up to 10 s and then fails with locked, so run it at a quiet time. It may be killed at any moment. On PostgreSQL, \
the table's owner runs VACUUM FULL events.\n\n\
JSON: {\"before\", \"after\": the file's bytes}"
    )]
    Compact,
    /// Back up the log into a new file, while processes use it
    Backup(commands::backup::BackupArgs),
    /// Restore a backup as the log
    Restore(commands::restore::RestoreArgs),
    /// Copy a whole log into another database
    Copy(commands::copy::CopyArgs),
    /// Try countersign in a minute with a scripted agent
    Demo(commands::demo::DemoArgs),
    /// Show the settings and where each was set
    Config(commands::config::ConfigArgs),
    /// Print a completion script for a shell
    Completions(commands::completions::CompletionsArgs),
    /// Print the manual, or write a page for each command
    Man(commands::man::ManArgs),
    /// Print the version and build information
    #[command(
        after_help = "JSON: {\"version\", \"commit\", \"committed\", \"target\", \"profile\", \"rustc\", \"sqlite\", \"postgresql\": the oldest supported version}, null if the build could not determine a value"
    )]
    Version,
    /// Print the reference of all commands, as in docs/commands.md
    #[command(hide = true)]
    Reference,
}

//! The `countersign` command.

mod agent_guard;
mod args;
mod call_place;
mod commands;
#[cfg(test)]
mod documented_examples;
mod filters;
mod find;
mod grant_origins;
mod integrations;
mod logging;
mod pages;
mod proof_signing;
mod scope;

use args::{CliArguments, CliCommand};
use clap::{CommandFactory, FromArgMatches};
use countersign_coding_agents::proxy::{AcpProtocol, CodexProtocol};
use countersign_console::{
    CommandContext, CommandExit, first_print_failure, print_error, print_ignored_settings, report_error,
};
use countersign_service as service;
use logging::Logging;
use std::process::ExitCode;
use tracing::Instrument;

/// Runs the command line of this process, and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    if let Some(exit) = countersign_advisors::run_program_guard(std::env::args_os()) {
        return exit;
    }
    let (exit, stops_on_failure) = match parse() {
        Ok((arguments, name)) => {
            let is_hook = matches!(arguments.command, CliCommand::Hook(_));
            if is_hook {
                commands::hook::block_on_panic();
            }
            (run_command_line(arguments, &name), is_hook)
        }
        Err(error) => (commands::version::print_parse_result(&error), false),
    };
    let exit = match first_print_failure() {
        Some(error) if exit == CommandExit::DONE => {
            print_error(&format!("countersign: the output could not be written completely: {error}"));
            CommandExit::FAILED
        }
        _ => exit,
    };
    // An agent lets the call through after any other failure of its hook.
    if stops_on_failure && exit != CommandExit::DONE { commands::hook::BLOCK.into() } else { exit.into() }
}

fn run_command_line(CliArguments { command, mut options }: CliArguments, name: &str) -> CommandExit {
    if matches!(&command, CliCommand::Mcp(args) if args.has_config()) {
        // The option of `mcp` names servers. COUNTERSIGN_CONFIG names the settings.
        options.config = None;
    }
    let bare = CommandContext::without_settings(options.clone());
    if let Some(done) = run_without_settings(&command, &bare) {
        return done.unwrap_or_else(|error| report(&bare, &error));
    }
    let context = match CommandContext::from_options(options) {
        Ok(context) => context.with_command(describe_command(&command, name)),
        Err(error) => return report(&bare, &error),
    };
    if let Err(error) = agent_guard::refuse_inside_agent(&command) {
        return report(&context, &error);
    }
    // `config` lists ignored settings itself.
    if !matches!(command, CliCommand::Config(_)) {
        print_ignored_settings(&context.settings, context.has_json_lines(), &context.error_screen());
    }
    start(&context, &command, name).unwrap_or_else(|error| report(&context, &error))
}

/// The command, as a server lists its clients.
fn describe_command(command: &CliCommand, name: &str) -> String {
    match command {
        CliCommand::Hook(args) => format!("{name} {}", args.caller().name()),
        _ => name.to_owned(),
    }
}

fn report(context: &CommandContext, error: &anyhow::Error) -> CommandExit {
    report_error(context.has_json_lines(), &context.error_screen(), error)
}

/// The parsed command line, and the command name.
fn parse() -> Result<(CliArguments, String), clap::Error> {
    let matches = CliArguments::command().try_get_matches()?;
    Ok((CliArguments::from_arg_matches(&matches)?, matches.subcommand_name().unwrap_or_default().to_owned()))
}

fn start(context: &CommandContext, command: &CliCommand, name: &str) -> anyhow::Result<CommandExit> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).enable_all().build()?;
    let is_server = matches!(command, CliCommand::Serve(_));
    let logging = Logging::start(context, is_server, runtime.handle())?;
    // The span has the name only: options may be confidential.
    let span = tracing::info_span!(target: logging::COMMAND_TARGET, "command", command = name);
    let exit = runtime.block_on(async {
        let exit = run(context, command).instrument(span).await;
        context.close_gates().await;
        exit
    });
    let exit = match exit {
        Ok(exit) => exit,
        Err(error) => report(context, &error),
    };
    logging.end();
    // A thread that still reads the terminal would block a normal shutdown.
    runtime.shutdown_background();
    Ok(exit)
}

/// The number of threads that run tasks: one processor is left for the thread of the writing connection. With one
/// more worker, each answer from that thread wakes a second worker in vain.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |processors| processors.get().saturating_sub(1).max(1))
}

/// Runs commands that do not depend on the settings, so that they work even if the settings are invalid.
fn run_without_settings(
    command: &CliCommand,
    context: &CommandContext,
) -> Option<anyhow::Result<CommandExit>> {
    match command {
        CliCommand::Completions(args) => {
            Some(Ok(commands::completions::print_completions(args, CliArguments::command())))
        }
        CliCommand::Man(args) => Some(commands::man::write_manual(args, CliArguments::command())),
        CliCommand::Version => Some(Ok(commands::version::print_version(context))),
        CliCommand::Reference => Some(Ok(commands::reference::print_reference(CliArguments::command()))),
        _ => None,
    }
}

async fn run(context: &CommandContext, command: &CliCommand) -> anyhow::Result<CommandExit> {
    match command {
        CliCommand::Serve(args) => service::serve::serve(context, args).await,
        CliCommand::Run(args) => commands::run::run_call(context, args).await,
        CliCommand::Mcp(args) => commands::mcp::run_mcp_command(context, args).await,
        CliCommand::PermissionPrompt(args) => {
            commands::permission_prompt::answer_permission_prompts(context, args).await
        }
        CliCommand::Up(args) => service::up::start_service(context, args).await,
        CliCommand::Down(args) => service::down::stop_service(context, args).await,
        CliCommand::Status(args) => {
            service::status::print_status(context, args, &integrations::find_integrations()).await
        }
        CliCommand::Pending(args) => commands::pending::list_pending(context, args).await,
        CliCommand::Watch(args) => commands::watch::watch(context, args).await,
        CliCommand::Show(args) => commands::show::show_call(context, args).await,
        CliCommand::Allow(args) => commands::decide::allow_calls(context, args).await,
        CliCommand::Deny(args) => commands::decide::deny_calls(context, args).await,
        CliCommand::Stop(args) => commands::stop::stop_calls(context, args).await,
        CliCommand::Erase(args) => commands::erase::erase_call(context, args).await,
        CliCommand::TakeBack(args) => commands::take_back::take_back_approval(context, args).await,
        CliCommand::Release(args) => commands::release::release_call(context, args).await,
        CliCommand::Flag(args) => commands::flag::flag_call(context, args).await,
        CliCommand::Log(args) => commands::log::print_log(context, args).await,
        CliCommand::Calls(args) => commands::calls::list_calls(context, args).await,
        CliCommand::Thread(command) => commands::thread::run_thread_command(context, command).await,
        CliCommand::Tool(command) => commands::tool::run_tool_command(context, command).await,
        CliCommand::Token(command) => commands::token::run_token_command(context, command).await,
        CliCommand::Delegation(command) => {
            commands::delegation::run_delegation_command(context, command).await
        }
        CliCommand::ApproverKey(command) => {
            commands::approver_key::run_approver_key_command(context, command).await
        }
        CliCommand::Webhook(command) => commands::webhook::run_webhook_command(context, command).await,
        CliCommand::Advisor(command) => commands::advisor::run_advisor_command(context, command).await,
        CliCommand::Grant(command) => commands::grant::run_grant_command(context, command).await,
        CliCommand::Policy(command) => commands::policy::run_policy_command(context, command).await,
        CliCommand::Install(args) => commands::install::install(context, args).await,
        CliCommand::Uninstall(args) => commands::install::uninstall(context, args),
        CliCommand::Hook(args) => Box::pin(commands::hook::run_hook(context, args)).await,
        CliCommand::Acp(args) => {
            commands::agent_proxy::run_agent_proxy(context, args, AcpProtocol::default(), "acp").await
        }
        CliCommand::CodexAppServer(args) => {
            let protocol = CodexProtocol::default();
            commands::agent_proxy::run_agent_proxy(context, args, protocol, "codex-app-server").await
        }
        CliCommand::Stats(args) => commands::stats::print_stats(context, args).await,
        CliCommand::Doctor(args) => {
            service::doctor::run_checks(context, args, &integrations::find_hook_integrations()).await
        }
        CliCommand::Demo(args) => commands::demo::run_demo(context, args).await,
        CliCommand::Checkpoint(command) => {
            commands::checkpoint::run_checkpoint_command(context, command).await
        }
        CliCommand::Verify(args) => commands::verify::verify_log(context, args).await,
        CliCommand::Migrate(args) => commands::migrate::migrate_log(context, args).await,
        CliCommand::Archive(args) => commands::archive::archive_threads(context, args).await,
        CliCommand::Compact => commands::compact::compact_database(context).await,
        CliCommand::Backup(args) => commands::backup::back_up_log(context, args).await,
        CliCommand::Restore(args) => commands::restore::restore_log(context, args).await,
        CliCommand::Copy(args) => commands::copy::copy_log(context, args).await,
        CliCommand::Config(args) => commands::config::print_config(context, args),
        // `run_without_settings` has run these.
        CliCommand::Completions(_) | CliCommand::Man(_) | CliCommand::Version | CliCommand::Reference => {
            Ok(CommandExit::DONE)
        }
    }
}

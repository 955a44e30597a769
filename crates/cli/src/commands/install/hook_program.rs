//! The start of a hook command: the program, and the log that it uses.

use super::config_scope::ConfigScope;
use countersign_console::{CliError, CommandContext, LogTarget, RunCache, SettingKey, called_program};
use countersign_store::DatabaseUrl;
use std::path::Path;

/// The program and its options, quoted for a shell. The log is always named: an agent or a project could otherwise lead the hook
/// to a log of its own, with a file `countersign.db` in the folder or with a variable.
pub(super) fn hook_program(context: &CommandContext, scope: ConfigScope) -> anyhow::Result<String> {
    let program = match scope {
        // Other users of the project have the program elsewhere.
        ConfigScope::Project => "countersign".to_owned(),
        ConfigScope::User => {
            let program = called_program()?;
            // Without the program, the hook blocks every call of the agent.
            let loss = "the agent then has no hook that works";
            RunCache::warn_if_it_has(&program, loss, "countersign install");
            program.display().to_string()
        }
    };
    let mut words = vec![program];
    match context.settings.target()? {
        LogTarget::Server(url) => {
            if countersign_client::without_password(&url) != url {
                let why = "the address of the server contains a password, which would be in the configuration; use a token";
                return Err(CliError::usage(why).into());
            }
            words.extend(["--server".to_owned(), url]);
        }
        LogTarget::Database(_) if scope == ConfigScope::Project => {
            let why = "--project writes a configuration for all users of the project, so it needs the address of a server: \
                       add --server URL";
            return Err(CliError::usage(why).into());
        }
        LogTarget::Database(address) => words.extend(database_words(context, &address)?),
    }
    let files = [("--tls-ca", SettingKey::TlsCa), ("--token-file", SettingKey::TokenFile)];
    for (option, key) in files {
        if let Some((path, _)) = context.settings.text_with_origin(key).filter(|_| scope == ConfigScope::User)
        {
            words.extend([option.to_owned(), absolute(Path::new(path))?]);
        }
    }
    shlex::try_join(words.iter().map(String::as_str))
        .map_err(|why| CliError::usage(format!("the command cannot be quoted: {why}")).into())
}

fn database_words(context: &CommandContext, address: &DatabaseUrl) -> anyhow::Result<[String; 2]> {
    let file = context.settings.text_with_origin(SettingKey::DatabaseFile);
    match (address, file) {
        (DatabaseUrl::File(path), _) => Ok(["--database".to_owned(), absolute(path)?]),
        (DatabaseUrl::Postgres(_), Some((file, _))) => {
            Ok(["--database-file".to_owned(), absolute(Path::new(file))?])
        }
        (DatabaseUrl::Postgres(_), None) => {
            let why = "the address of a PostgreSQL database may contain a password: write it to a file and use --database-file";
            Err(CliError::usage(why).into())
        }
    }
}

fn absolute(path: &Path) -> anyhow::Result<String> {
    Ok(std::path::absolute(path)?.display().to_string())
}

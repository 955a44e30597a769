//! Where the log is, and the file that contains its address.

use crate::{
    CliError, CommandExit, LOG_KEYS, SettingKey, Settings, find_default_log, invalid_setting,
    settings::{default_log::create_data_folder, setting::ResolvedSetting},
};
use countersign_client::without_password;
use countersign_events::SecretValue;
use countersign_store::DatabaseUrl;
use std::{fs::File, io::Read, os::unix::fs::MetadataExt, path::Path};

/// The log's location.
#[derive(Debug, Clone)]
pub enum LogTarget {
    /// A database, which the command opens itself.
    Database(DatabaseUrl),
    /// A server, by its address.
    Server(String),
}

impl Settings {
    /// The strongest of these keys. Two keys of equal strength are an error.
    fn strongest(&self, keys: &[SettingKey]) -> anyhow::Result<SettingKey> {
        let said = |key: &SettingKey| self.get(*key).map(|setting| (setting.origin.strength(), *key));
        let strongest = keys.iter().filter_map(said).max();
        let Some((strength, key)) = strongest else { return Ok(SettingKey::Database) };
        let rival = keys.iter().filter_map(said).find(|other| other.0 == strength && other.1 != key);
        match rival {
            Some((_, rival)) => Err(self.conflict(rival, key)),
            None => Ok(key),
        }
    }

    fn conflict(&self, one: SettingKey, other: SettingKey) -> anyhow::Error {
        let origin = |key| self.get(key).map(|setting| setting.origin.to_string()).unwrap_or_default();
        if other == SettingKey::DatabaseFile {
            let (one, other) = (origin(one), origin(other));
            return invalid_setting(format!("{one} and {other} both name a database; use only one of them"));
        }
        let (server, database) = if one == SettingKey::Server { (one, other) } else { (other, one) };
        invalid_setting(format!(
            "{} names a server and {} names a database; use only one of them",
            origin(server),
            origin(database)
        ))
    }

    /// The key that locates the log.
    pub fn log_key(&self) -> anyhow::Result<SettingKey> {
        self.strongest(&LOG_KEYS)
    }

    /// The log to use.
    pub fn target(&self) -> anyhow::Result<LogTarget> {
        match (self.log_key()?, self.get(SettingKey::Server)) {
            (SettingKey::Server, Some(server)) => Ok(LogTarget::Server(server.value.to_string())),
            _ => self.database().map(LogTarget::Database),
        }
    }

    /// The database, for commands that cannot use a server.
    pub fn database(&self) -> anyhow::Result<DatabaseUrl> {
        let key = self.strongest(&[SettingKey::Database, SettingKey::DatabaseFile])?;
        let Some(ResolvedSetting { value, origin }) = self.get(key) else {
            return Ok(find_default_log()?.into());
        };
        let (named, said) = match key {
            SettingKey::DatabaseFile => {
                let path = value.to_string();
                (read_address_file(Path::new(&path))?, format!("{origin}, {path}"))
            }
            _ => (value.to_string().into(), origin.to_string()),
        };
        parse_address(named.expose(), &said)
    }

    /// The database, for a command that creates it if it is missing. Creates the default log's folder.
    pub fn database_to_create(&self) -> anyhow::Result<DatabaseUrl> {
        let address = self.database()?;
        let key = self.strongest(&[SettingKey::Database, SettingKey::DatabaseFile])?;
        if let (DatabaseUrl::File(path), None) = (&address, self.get(key)) {
            create_data_folder(path)?;
        }
        Ok(address)
    }

    /// The log location as messages name it: an absolute path, or an address without a password.
    pub fn log_location(&self) -> anyhow::Result<String> {
        Ok(match self.target()? {
            LogTarget::Server(url) => without_password(&url),
            LogTarget::Database(address) => locate_database(&address),
        })
    }
}

/// Room for a usual address, in bytes. Growing the text would leave a part of it in memory.
const USUAL_ADDRESS: usize = 4_096;

/// The database location as messages name it. A relative path would mislead a reader in another folder.
#[must_use]
pub fn locate_database(address: &DatabaseUrl) -> String {
    match address {
        DatabaseUrl::File(path) => {
            let absolute = path.canonicalize().or_else(|_| std::path::absolute(path));
            absolute.as_ref().unwrap_or(path).display().to_string()
        }
        address @ DatabaseUrl::Postgres(_) => address.to_string(),
    }
}

/// Parses an address from the named origin. The error does not repeat it, because it may contain a password.
pub fn parse_address(named: &str, said: &str) -> anyhow::Result<DatabaseUrl> {
    DatabaseUrl::parse(named).map_err(|error| {
        CliError { exit: CommandExit::USAGE, code: error.code(), message: format!("{said}: {error}") }.into()
    })
}

/// The permissions of other users.
const OTHER_USERS: u32 = 0o007;
/// The write permission of the group.
const GROUP_WRITES: u32 = 0o020;

/// Reads the address from a file. The group may read the file, because systemd and Kubernetes pass secrets that
/// way. Other users may not.
pub fn read_address_file(path: &Path) -> anyhow::Result<SecretValue<String>> {
    let shown = path.display();
    let unreadable = |why| invalid_setting(format!("{shown} cannot be read: {why}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.mode();
    if mode & (OTHER_USERS | GROUP_WRITES) != 0 {
        let anybody = mode & OTHER_USERS != 0;
        let who = if anybody { "every user of this machine can access" } else { "its group can write to" };
        return Err(invalid_setting(format!(
            "{shown} is not used, because {who} it and it may contain a password; run chmod 600 (or 640 if another user owns it)"
        )));
    }
    let mut text = SecretValue::new(String::with_capacity(USUAL_ADDRESS));
    file.read_to_string(text.expose_mut()).map_err(unreadable)?;
    match text.expose().trim() {
        "" => Err(invalid_setting(format!("{shown} is empty; it must contain an address as for --database"))),
        text if text.contains(char::is_control) => {
            Err(invalid_setting(format!("{shown} must contain one line, an address as for --database")))
        }
        text => Ok(text.into()),
    }
}

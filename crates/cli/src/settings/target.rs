//! Where the log is: who says so, which of them is meant, and the file that keeps the address secret.

use super::{Key, Setting, Settings, USUAL_DATABASE, bad};
use crate::exit::{Exit, Said};
use countersign_gate::Address;
use std::{fs::File, io::Read, os::unix::fs::MetadataExt, path::Path};

/// Where the log is.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Database(Address),
    Server(String),
}

/// What names a log, each in another way.
pub(crate) const NAMES: [Key; 3] = [Key::Database, Key::DatabaseFile, Key::Server];

impl Settings {
    /// The strongest of those keys. Of two that are equally strong neither can be meant.
    fn strongest(&self, keys: &[Key]) -> anyhow::Result<Key> {
        let said = |key: &Key| self.get(*key).map(|setting| (setting.origin.strength(), *key));
        let strongest = keys.iter().filter_map(said).max();
        let Some((strength, key)) = strongest else { return Ok(Key::Database) };
        let rival = keys.iter().filter_map(said).find(|other| other.0 == strength && other.1 != key);
        match rival {
            Some((_, rival)) => Err(self.both(rival, key)),
            None => Ok(key),
        }
    }

    fn both(&self, one: Key, other: Key) -> anyhow::Error {
        let origin = |key| self.get(key).map(|setting| setting.origin.to_string()).unwrap_or_default();
        if other == Key::DatabaseFile {
            let (one, other) = (origin(one), origin(other));
            return bad(format!("{one} and {other} both name a database; only one of them can be meant"));
        }
        let (server, database) = if one == Key::Server { (one, other) } else { (other, one) };
        bad(format!(
            "{} names a server and {} a database; only one of them can be meant",
            origin(server),
            origin(database)
        ))
    }

    /// The key that says where the log is.
    pub(crate) fn names_the_log(&self) -> anyhow::Result<Key> {
        self.strongest(&NAMES)
    }

    /// The strongest of a server and the ways to name a database.
    pub(crate) fn target(&self) -> anyhow::Result<Target> {
        match (self.names_the_log()?, self.get(Key::Server)) {
            (Key::Server, Some(server)) => Ok(Target::Server(server.value.to_string())),
            _ => self.database().map(Target::Database),
        }
    }

    /// The database, for what works on the log itself and on no server.
    pub(crate) fn database(&self) -> anyhow::Result<Address> {
        let key = self.strongest(&[Key::Database, Key::DatabaseFile])?;
        let Some(Setting { value, origin }) = self.get(key) else { return Ok(USUAL_DATABASE.into()) };
        let (named, said) = match key {
            Key::DatabaseFile => {
                let path = value.to_string();
                (read_secret(Path::new(&path))?, format!("{origin}, {path}"))
            }
            _ => (value.to_string(), origin.to_string()),
        };
        address(&named, &said)
    }
}

/// Reads an address that `said` gave. It is not repeated in the error, because it may hold a password.
pub(crate) fn address(named: &str, said: &str) -> anyhow::Result<Address> {
    Address::parse(named).map_err(|error| {
        Said { exit: Exit::USAGE, code: error.code(), message: format!("{said}: {error}") }.into()
    })
}

/// What everybody may do with a file, of its mode.
const EVERYBODY: u32 = 0o007;
/// That its group may write to it.
const GROUP_WRITES: u32 = 0o020;

/// The address that a file keeps. Its group may read it, because that is how systemd and Kubernetes hand
/// secrets to a service that does not own them; everybody may not.
pub(crate) fn read_secret(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let unreadable = |why| bad(format!("the address in {shown} cannot be read: {why}"));
    let mut file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.mode();
    if mode & (EVERYBODY | GROUP_WRITES) != 0 {
        let anybody = mode & EVERYBODY != 0;
        let who = if anybody { "everybody on this machine can get at" } else { "its group can write" };
        return Err(bad(format!(
            "{shown} is not read, because {who} it, and it may hold a password: chmod 600 it (640 if it is another user's)"
        )));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    match text.trim() {
        "" => Err(bad(format!("{shown} is empty; it is to hold an address as --database takes it"))),
        text if text.contains(char::is_control) => {
            Err(bad(format!("{shown} is to hold one line, an address as --database takes it")))
        }
        text => Ok(text.to_owned()),
    }
}

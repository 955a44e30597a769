//! The files about a log's service, in their own folder in the user's state folder.

use countersign_console::{CliError, CommandExit, locate_database, read_variable};
use countersign_events::Sha256;
use countersign_store::DatabaseUrl;
use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The folder for state below the home folder, if `XDG_STATE_HOME` is not set.
const STATE_FOLDER: &str =
    if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };

/// The number of hash digits in the folder name. They distinguish logs with the same file name.
const HASH_DIGITS: usize = 12;

/// The files about the service of one log.
#[derive(Debug, Clone)]
pub(crate) struct ServiceFiles {
    pub(super) folder: PathBuf,
    /// The log location as messages name it.
    pub(crate) log: String,
}

impl ServiceFiles {
    /// The files of this log. Creates nothing. Fails if the environment names no folder for them.
    pub(crate) fn for_log(address: &DatabaseUrl) -> anyhow::Result<Self> {
        let (state, home) = (read_variable("XDG_STATE_HOME"), read_variable("HOME"));
        let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
        let state = state.map(PathBuf::from).and_then(absolute);
        let home = home.map(PathBuf::from).and_then(absolute);
        let Some(state) = state.or_else(|| home.map(|home| home.join(STATE_FOLDER))) else {
            let message =
                "there is no folder for the state of the service: neither HOME nor XDG_STATE_HOME is an \
                           absolute path; set one of them"
                    .to_owned();
            return Err(CliError { exit: CommandExit::USAGE, code: "no_state_folder", message }.into());
        };
        let log = canonical_location(address);
        let hash = Sha256::digest(log.as_bytes()).to_string();
        let name = Path::new(&log).file_stem().and_then(|name| name.to_str()).unwrap_or("log");
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
        let folder = state.join("countersign").join(format!("{name}-{}", &hash[..HASH_DIGITS]));
        Ok(Self { folder, log })
    }

    /// Creates the folder, with access for its owner only.
    pub(crate) fn create_folder(&self) -> anyhow::Result<()> {
        let created = DirBuilder::new().mode(0o700).recursive(true).create(&self.folder);
        created.map_err(|why| state_error(&self.folder, &why))
    }

    /// The file that the service locks while it runs.
    pub(crate) fn service_lock(&self) -> PathBuf {
        self.folder.join("service.lock")
    }

    /// The file that `up` and `down` lock, so that one at a time starts or stops the service.
    pub(crate) fn start_lock(&self) -> PathBuf {
        self.folder.join("start.lock")
    }

    /// The service's description, which is believed while the service holds its lock.
    pub(crate) fn record(&self) -> PathBuf {
        self.folder.join("service.json")
    }

    /// The message file of a service in the background.
    pub(crate) fn messages(&self) -> PathBuf {
        self.folder.join("service.log")
    }

    /// The token for agents.
    pub(crate) fn agent_token(&self) -> PathBuf {
        self.folder.join("agent.token")
    }

    /// The last sign-in link.
    pub(crate) fn sign_in_link(&self) -> PathBuf {
        self.folder.join("link.json")
    }
}

/// The canonical log location: the same for all ways to name the log and whether it exists or not.
fn canonical_location(address: &DatabaseUrl) -> String {
    if let DatabaseUrl::File(path) = address
        && !path.exists()
        && let Ok(path) = std::path::absolute(path)
        && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && let Ok(folder) = folder.canonicalize()
    {
        return folder.join(name).display().to_string();
    }
    locate_database(address)
}

/// Opens a lock file, and creates it if it is missing.
pub(crate) fn open_lock_file(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    opened.map_err(|why| state_error(path, &why))
}

fn state_error(path: &Path, why: &io::Error) -> anyhow::Error {
    let message = format!(
        "{} cannot be used for the state of the service: {why}; correct its owner and its mode, or name another folder with \
         XDG_STATE_HOME",
        path.display()
    );
    CliError { exit: CommandExit::FAILED, code: "state_folder", message }.into()
}

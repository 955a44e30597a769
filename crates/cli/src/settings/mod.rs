//! What is in force, and who says so: a file, the environment, the command line, each stronger than the
//! one before.

mod file;
mod keys;
pub(crate) mod notice;
mod target;
mod value;

pub(crate) use file::usual_places;
pub(crate) use keys::{Facts, KEYS, Key, Takes, distance};
pub(crate) use target::{NAMES, Target, address, read_secret};
pub(crate) use value::{Colour, LogFormat, Value};

use crate::{
    args::Args,
    exit::{Exit, Said},
};
use countersign_client::without_password;
use countersign_gate::{Policy, Principal, policy::BadPolicy};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

/// The file that is meant when nothing is said.
pub(crate) const USUAL_DATABASE: &str = "countersign.db";

/// Who says so. The later, the stronger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A file, and its line.
    File(PathBuf, usize),
    /// A variable.
    Environment(&'static str),
    /// An option.
    Option(&'static str),
}

impl Origin {
    const fn strength(&self) -> u8 {
        match self {
            Self::File(..) => 1,
            Self::Environment(_) => 2,
            Self::Option(_) => 3,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) | Self::Option(name) => f.write_str(name),
        }
    }
}

/// A value, and who gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

impl Setting {
    /// The value as it may be shown.
    pub(crate) fn shown(&self) -> Value {
        match &self.value {
            Value::Text(text) => Value::Text(without_password(text)),
            value => value.clone(),
        }
    }
}

/// What is in force.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
    set: BTreeMap<Key, Setting>,
    /// What the file in this folder sets and is not to set.
    not_taken: BTreeMap<Key, Origin>,
}

/// An error in what is set.
fn bad(message: String) -> anyhow::Error {
    Said { exit: Exit::USAGE, code: "bad_setting", message }.into()
}

/// A variable. An empty one counts as none.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl Settings {
    /// Reads the file, then the environment, then the command line.
    pub(crate) fn gather(args: &Args) -> anyhow::Result<Self> {
        let named = args.target.config.clone().or_else(|| variable("COUNTERSIGN_CONFIG").map(PathBuf::from));
        let mut settings = Self::default();
        if let Some(source) = file::find(named)? {
            for (facts, setting) in source.settings()? {
                if source.lies_here && facts.key.must_be_meant() {
                    settings.not_taken.insert(facts.key, setting.origin);
                } else {
                    settings.set.insert(facts.key, setting);
                }
            }
            settings.file = Some(source.path);
        }
        settings.take_environment()?;
        settings.take_options(args);
        Ok(settings)
    }

    /// What the file in this folder sets in vain, and nothing else sets.
    pub(crate) fn in_vain(&self) -> impl Iterator<Item = (Key, &Origin)> {
        // What names the log stands for whatever else does.
        let said = |key| match key {
            key if NAMES.contains(&key) => NAMES.iter().find_map(|key| self.get(*key)),
            key => self.get(key),
        };
        self.not_taken.iter().map(|(key, origin)| (*key, origin)).filter(move |(key, _)| said(*key).is_none())
    }

    fn take_environment(&mut self) -> anyhow::Result<()> {
        // A convention of many programs: https://no-color.org.
        if variable("NO_COLOR").is_some() {
            let never = Value::Text("never".to_owned());
            self.set.insert(Key::Colour, Setting { value: never, origin: Origin::Environment("NO_COLOR") });
        }
        for facts in KEYS {
            let Some(text) = variable(facts.variable) else { continue };
            let text = text.into_string().map_err(|_| bad(format!("{} is no UTF-8", facts.variable)))?;
            let value = Value::read(facts, &text)
                .map_err(|takes| bad(format!("{} is {text:?}, and takes {takes}", facts.variable)))?;
            self.set.insert(facts.key, Setting { value, origin: Origin::Environment(facts.variable) });
        }
        Ok(())
    }

    fn take_options(&mut self, args: &Args) {
        let target = &args.target;
        let given = [
            (Key::Database, target.database.clone()),
            (Key::DatabaseFile, target.database_file.as_ref().map(|path| path.display().to_string())),
            (Key::Server, target.server.clone()),
            (Key::Policy, target.policy.as_ref().map(|path| path.display().to_string())),
            (Key::As, target.who.clone()),
            (Key::Log, target.log.clone()),
            (Key::LogFormat, target.log_format.map(|format| format.as_str().to_owned())),
            (Key::Otlp, target.otlp.clone()),
            (Key::Colour, target.colour.map(|colour| colour.as_str().to_owned())),
        ];
        for (key, given) in given {
            if let Some(text) = given {
                let origin = Origin::Option(key.facts().option);
                self.set.insert(key, Setting { value: Value::Text(text), origin });
            }
        }
    }

    /// What a key is set to, if it is.
    pub(crate) fn get(&self, key: Key) -> Option<&Setting> {
        self.set.get(&key)
    }

    fn text(&self, key: Key) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The policy's file.
    pub(crate) fn policy_path(&self) -> Option<PathBuf> {
        self.text(Key::Policy).map(PathBuf::from)
    }

    /// The policy, read now.
    pub(crate) fn policy(&self) -> anyhow::Result<Policy> {
        self.policy_path().map_or_else(|| Ok(Policy::shipped()), |path| read_policy(&path))
    }

    /// Who is asking: as said, or the login name as `kind`.
    pub(crate) fn principal(&self, kind: fn(&str) -> Principal) -> anyhow::Result<Principal> {
        let Some(setting) = self.get(Key::As) else { return Ok(kind(&login())) };
        let (who, origin) = (setting.value.to_string(), &setting.origin);
        // A person's setting is for deciding. Calls they propose by it they could never decide.
        if kind("") == Principal::agent("")
            && who.starts_with("user:")
            && !matches!(origin, Origin::Option(_))
        {
            return Ok(kind(&login()));
        }
        // Nobody speaks for the policy or the system.
        if !who.starts_with("user:") && !who.starts_with("agent:") {
            let message = format!("{origin}: {who:?} does not begin with user: or agent:");
            return Err(Said::usage(message).into());
        }
        Ok(who.parse().map_err(|why| Said::usage(format!("{origin}: {why}")))?)
    }

    /// Where to listen, and who says so: nothing if it is the usual.
    pub(crate) fn listen(&self) -> Option<(&[String], &Origin)> {
        match self.get(Key::Listen)? {
            Setting { value: Value::Texts(texts), origin } => Some((texts, origin)),
            _ => None,
        }
    }

    /// Whether that is switched on or off, if somebody says so.
    pub(crate) fn switch(&self, key: Key) -> Option<bool> {
        match self.get(key)?.value {
            Value::Switch(switch) => Some(switch),
            _ => None,
        }
    }

    /// What is logged, if somebody says so.
    pub(crate) fn log(&self) -> Option<(&str, &Origin)> {
        Some((self.text(Key::Log)?, &self.get(Key::Log)?.origin))
    }

    pub(crate) fn log_format(&self) -> LogFormat {
        if self.text(Key::LogFormat) == Some("json") { LogFormat::Json } else { LogFormat::Human }
    }

    pub(crate) fn otlp(&self) -> Option<&str> {
        self.text(Key::Otlp)
    }

    pub(crate) fn colour(&self) -> Colour {
        match self.text(Key::Colour) {
            Some("always") => Colour::Always,
            Some("never") => Colour::Never,
            _ => Colour::Auto,
        }
    }
}

/// Reads a policy, or says what is wrong with it.
pub(crate) fn read_policy(path: &Path) -> anyhow::Result<Policy> {
    let bad = |message| Said { exit: Exit::USAGE, code: "bad_policy", message };
    let text = std::fs::read_to_string(path)
        .map_err(|why| bad(format!("the policy {} cannot be read: {why}", path.display())))?;
    // The TOML reader ends its words with a line break.
    let wrong = |why: BadPolicy| bad(format!("{}: {}", path.display(), why.to_string().trim_end()));
    Ok(Policy::read(&text).map_err(wrong)?)
}

/// Whom the system takes whoever asks for.
pub(crate) fn login() -> String {
    whoami::username().unwrap_or_else(|_| format!("uid-{}", rustix::process::getuid().as_raw()))
}

//! The effective settings.

use crate::{
    CliError, GlobalOptions, KEYS, LOG_KEYS, LogFormat, PolicyOnDisk, SettingKey, SettingOrigin,
    SettingValue, invalid_setting, read_variable,
    settings::{file::find_settings_file, setting::ResolvedSetting, value::ColourMode},
};
use countersign_events::{Principal, id::check_actor_name};
use countersign_policy::Policy;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The effective settings.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The settings file, if there is one.
    pub file: Option<PathBuf>,
    set: BTreeMap<SettingKey, ResolvedSetting>,
    /// Settings of `./countersign.toml` that need an explicit source.
    ignored_keys: BTreeMap<SettingKey, SettingOrigin>,
}

impl Settings {
    /// Reads the file, then the environment, then the command line.
    pub fn gather(options: &GlobalOptions) -> anyhow::Result<Self> {
        let named = options.config.clone().or_else(|| read_variable("COUNTERSIGN_CONFIG").map(PathBuf::from));
        let mut settings = Self::default();
        if let Some(source) = find_settings_file(named)? {
            for (facts, setting) in source.settings()? {
                if source.is_local && facts.key.needs_explicit_source() {
                    settings.ignored_keys.insert(facts.key, setting.origin);
                } else {
                    settings.set.insert(facts.key, setting);
                }
            }
            settings.file = Some(source.path);
        }
        settings.apply_environment()?;
        settings.apply_options(options);
        Ok(settings)
    }

    /// Settings of `./countersign.toml` that are ignored, and that nothing else sets.
    pub fn ignored(&self) -> impl Iterator<Item = (SettingKey, &SettingOrigin)> {
        // Any key that names the log replaces the others.
        let effective = |key| match key {
            key if LOG_KEYS.contains(&key) => LOG_KEYS.iter().find_map(|key| self.get(*key)),
            key => self.get(key),
        };
        self.ignored_keys
            .iter()
            .map(|(key, origin)| (*key, origin))
            .filter(move |(key, _)| effective(*key).is_none())
    }

    fn apply_environment(&mut self) -> anyhow::Result<()> {
        // A convention of many programs: https://no-color.org.
        if read_variable("NO_COLOR").is_some() {
            let never = SettingValue::Text("never".to_owned());
            self.set.insert(
                SettingKey::Colour,
                ResolvedSetting { value: never, origin: SettingOrigin::Environment("NO_COLOR") },
            );
        }
        for facts in KEYS {
            let Some(text) = read_variable(facts.variable) else { continue };
            let text = text
                .into_string()
                .map_err(|_| invalid_setting(format!("{} is not valid UTF-8", facts.variable)))?;
            let value = SettingValue::read(facts, &text).map_err(|takes| {
                invalid_setting(format!("{} is {text:?}, but must be {takes}", facts.variable))
            })?;
            self.set.insert(
                facts.key,
                ResolvedSetting { value, origin: SettingOrigin::Environment(facts.variable) },
            );
        }
        Ok(())
    }

    fn apply_options(&mut self, options: &GlobalOptions) {
        let given = [
            (SettingKey::Database, options.database.clone()),
            (SettingKey::DatabaseFile, options.database_file.as_ref().map(|path| path.display().to_string())),
            (SettingKey::Server, options.server.clone()),
            (SettingKey::TlsCa, options.tls_ca.as_ref().map(|path| path.display().to_string())),
            (SettingKey::Policy, options.policy.as_ref().map(|path| path.display().to_string())),
            (SettingKey::As, options.principal.clone()),
            (SettingKey::TokenFile, options.token_file.as_ref().map(|path| path.display().to_string())),
            (SettingKey::Log, options.log.clone()),
            (SettingKey::LogFormat, options.log_format.map(|format| format.as_str().to_owned())),
            (SettingKey::Otlp, options.otlp.clone()),
            (SettingKey::Colour, options.colour.map(|colour| colour.as_str().to_owned())),
        ];
        for (key, given) in given {
            if let Some(text) = given {
                let origin = SettingOrigin::Option(key.definition().option);
                self.set.insert(key, ResolvedSetting { value: SettingValue::Text(text), origin });
            }
        }
    }

    /// The setting for a key.
    #[must_use]
    pub fn get(&self, key: SettingKey) -> Option<&ResolvedSetting> {
        self.set.get(&key)
    }

    fn text(&self, key: SettingKey) -> Option<&str> {
        match &self.get(key)?.value {
            SettingValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The file with the authorities to trust for an https:// server.
    pub fn tls_authorities(&self) -> Option<PathBuf> {
        self.text(SettingKey::TlsCa).map(PathBuf::from)
    }

    /// The policy's file.
    pub fn policy_path(&self) -> Option<PathBuf> {
        self.text(SettingKey::Policy).map(PathBuf::from)
    }

    /// Reads the policy.
    pub fn policy(&self) -> anyhow::Result<Policy> {
        self.policy_path().map_or_else(|| Ok(Policy::shipped()), |path| read_policy(&path))
    }

    /// The principal of this command: as set, or the login name as `kind`.
    pub fn principal(&self, kind: fn(&str) -> Principal) -> anyhow::Result<Principal> {
        self.principal_or(kind, None)
    }

    /// The principal of this command: as set, or this name as `kind`; without a name, the login name.
    pub fn principal_or(&self, kind: fn(&str) -> Principal, name: Option<&str>) -> anyhow::Result<Principal> {
        let own = || kind(name.unwrap_or(&login_name()));
        let Some(setting) = self.get(SettingKey::As) else { return Ok(own()) };
        let (who, origin) = (setting.value.to_string(), &setting.origin);
        // A stored user: setting is for decisions. A call proposed under it could never be decided by that person.
        if kind("") == Principal::agent("")
            && who.starts_with("user:")
            && !matches!(origin, SettingOrigin::Option(_))
        {
            return Ok(own());
        }
        // Only the gate itself acts as policy: or system:.
        if !who.starts_with("user:") && !who.starts_with("agent:") {
            let message = format!("{origin}: {who:?} must begin with user: or agent:");
            return Err(CliError::usage(message).into());
        }
        let principal: Principal = who.parse().map_err(|why| CliError::usage(format!("{origin}: {why}")))?;
        check_actor_name(principal.actor_name())
            .map_err(|why| CliError::usage(format!("{origin}: {who:?}: {why}")))?;
        Ok(principal)
    }

    /// A setting that is one text, and its origin.
    #[must_use]
    pub fn text_with_origin(&self, key: SettingKey) -> Option<(&str, &SettingOrigin)> {
        self.text(key).zip(self.get(key).map(|setting| &setting.origin))
    }

    /// The addresses for `serve`, and their origin.
    #[must_use]
    pub fn listen(&self) -> Option<(&[String], &SettingOrigin)> {
        self.texts(SettingKey::Listen)
    }

    /// A setting that is a list of strings, and its origin.
    #[must_use]
    pub fn texts(&self, key: SettingKey) -> Option<(&[String], &SettingOrigin)> {
        match self.get(key)? {
            ResolvedSetting { value: SettingValue::Texts(texts), origin } => Some((texts, origin)),
            _ => None,
        }
    }

    /// An on/off setting's value.
    #[must_use]
    pub fn switch(&self, key: SettingKey) -> Option<bool> {
        match self.get(key)?.value {
            SettingValue::Switch(switch) => Some(switch),
            _ => None,
        }
    }

    /// The log filter, and its origin.
    #[must_use]
    pub fn log(&self) -> Option<(&str, &SettingOrigin)> {
        Some((self.text(SettingKey::Log)?, &self.get(SettingKey::Log)?.origin))
    }

    /// The format of log lines.
    #[must_use]
    pub fn log_format(&self) -> LogFormat {
        if self.text(SettingKey::LogFormat) == Some("json") { LogFormat::Json } else { LogFormat::Human }
    }

    /// The trace collector address.
    #[must_use]
    pub fn otlp(&self) -> Option<&str> {
        self.text(SettingKey::Otlp)
    }

    /// Whether output is coloured.
    #[must_use]
    pub fn colour(&self) -> ColourMode {
        match self.text(SettingKey::Colour) {
            Some("always") => ColourMode::Always,
            Some("never") => ColourMode::Never,
            _ => ColourMode::Auto,
        }
    }
}

/// Reads a policy file and its layers.
pub fn read_policy(path: &Path) -> anyhow::Result<Policy> {
    PolicyOnDisk::read(path)?.parse()
}

/// The current user's name.
#[must_use]
pub fn login_name() -> String {
    whoami::username().unwrap_or_else(|_| format!("uid-{}", rustix::process::getuid().as_raw()))
}

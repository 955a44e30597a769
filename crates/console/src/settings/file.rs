//! The settings file.

use super::keys::SettingDefinition;
use crate::{
    KEYS, SettingOrigin, SettingValue, invalid_setting, read_variable,
    settings::{keys::SettingKind, setting::ResolvedSetting, table::suggest_key},
};
use countersign_client::without_password;
use std::{
    fs::File,
    io::Read,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};
use toml::{Spanned, de::DeTable, de::DeValue};

/// A settings file. It is opened once, so the file that was checked is the file that is read.
pub struct SettingsFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
    /// Whether it was found in the current folder and not named by the user.
    pub is_local: bool,
}

/// The section with the identity provider settings, and the prefix of their names.
const OIDC_SECTION: &str = "oidc";

/// The settings file in the current folder.
const LOCAL_FILE: &str = "countersign.toml";

/// Finds the settings file: the named one, or the first default file that exists.
pub(crate) fn find_settings_file(named: Option<PathBuf>) -> anyhow::Result<Option<SettingsFile>> {
    if let Some(path) = named {
        let text = std::fs::read_to_string(&path).map_err(|why| unreadable(&path, &why))?;
        return Ok(Some(SettingsFile { path, text, is_local: false }));
    }
    for path in default_files() {
        if let Some(text) = read_own(&path)? {
            let is_local = path == Path::new(LOCAL_FILE);
            return Ok(Some(SettingsFile { path, text, is_local }));
        }
    }
    Ok(None)
}

/// The default files, in order.
pub fn default_files() -> Vec<PathBuf> {
    let own = read_variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = own.or_else(|| read_variable("HOME").map(|home| Path::new(&home).join(".config")));
    let mut places = vec![PathBuf::from(LOCAL_FILE)];
    places.extend(own.map(|folder| folder.join("countersign/config.toml")));
    places.push(PathBuf::from("/etc/countersign/config.toml"));
    places
}

/// Reads a default file if it exists and is trusted. The owner is read from the open file, so the file cannot be
/// replaced between the check and the read.
fn read_own(path: &Path) -> anyhow::Result<Option<String>> {
    // Do not wait for a writer if the file is a pipe.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file = match File::options().read(true).custom_flags(nonblocking).open(path) {
        Ok(file) => file,
        Err(why) if std::fs::metadata(path).is_ok_and(|found| found.is_file()) => {
            return Err(unreadable(path, &why));
        }
        Err(_) => return Ok(None),
    };
    let found = file.metadata().map_err(|why| unreadable(path, &why))?;
    if !found.is_file() {
        return Ok(None);
    }
    trusted(path, &found)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|why| unreadable(path, &why))?;
    Ok(Some(text))
}

fn unreadable(path: &Path, why: &std::io::Error) -> anyhow::Error {
    invalid_setting(format!("the settings {} cannot be read: {why}", path.display()))
}

/// Accepts a default file only if no other user can write it, because it decides what is allowed.
fn trusted(path: &Path, found: &std::fs::Metadata) -> anyhow::Result<()> {
    let ours = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
    if ours && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    let whose = if ours { "is writable by other users" } else { "belongs to another user" };
    Err(invalid_setting(format!(
        "{} {whose}, so it is not used; name it with --config to use it, or remove it",
        path.display()
    )))
}

impl SettingsFile {
    /// The settings in the file.
    pub fn settings(&self) -> anyhow::Result<Vec<(&'static SettingDefinition, ResolvedSetting)>> {
        let Self { path, text, .. } = self;
        let table = DeTable::parse(text).map_err(|why| {
            invalid_setting(without_password(&format!("{}: {}", path.display(), why.to_string().trim_end())))
        })?;
        let reader = SettingsReader { path, text };
        let mut settings = Vec::new();
        for (name, value) in table.get_ref() {
            match value.get_ref() {
                // `issuer` in the section is `oidc_issuer`. Other tables are mistakes.
                DeValue::Table(section) if name.get_ref() == OIDC_SECTION => {
                    for (key, value) in section {
                        let name = format!("{}_{}", name.get_ref(), key.get_ref());
                        settings.push(reader.setting(key.span().start, &name, value)?);
                    }
                }
                _ => settings.push(reader.setting(name.span().start, name.get_ref(), value)?),
            }
        }
        Ok(settings)
    }
}

struct SettingsReader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SettingsReader<'_> {
    fn setting(
        &self,
        start: usize,
        name: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> anyhow::Result<(&'static SettingDefinition, ResolvedSetting)> {
        let line = self.text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        let place = format!("{}, line {line}", self.path.display());
        let Some(facts) = KEYS.iter().find(|facts| facts.name == name) else {
            return Err(invalid_setting(format!("{place}: unknown setting `{name}`; {}", suggest_key(name))));
        };
        let wrong = |what: &str| invalid_setting(format!("{place}: `{name}` must be {what}"));
        let mut value = match (facts.takes, value.get_ref()) {
            (SettingKind::Switch, DeValue::Boolean(switch)) => SettingValue::Switch(*switch),
            (SettingKind::Switch, _) => return Err(wrong("true or false")),
            (SettingKind::Texts, DeValue::Array(texts)) => {
                let texts: Option<Vec<_>> =
                    texts.iter().map(|text| text.get_ref().as_str().map(str::to_owned)).collect();
                SettingValue::Texts(texts.ok_or_else(|| wrong("a string or a list of strings"))?)
            }
            (SettingKind::Number, DeValue::Integer(number)) => {
                SettingValue::read(facts, number.as_str()).map_err(|what| wrong(&what))?
            }
            (SettingKind::Path, DeValue::String(text)) => SettingValue::Text(self.resolve_path(text)),
            (_, DeValue::String(text)) => SettingValue::read(facts, text).map_err(|what| wrong(&what))?,
            _ => return Err(wrong("a string in quotation marks")),
        };
        if let SettingValue::Texts(texts) = &mut value {
            for text in texts {
                *text = text
                    .strip_prefix("unix:")
                    .map_or(text.clone(), |path| format!("unix:{}", self.resolve_path(path)));
            }
        }
        Ok((facts, ResolvedSetting { value, origin: SettingOrigin::File(self.path.to_path_buf(), line) }))
    }

    /// A path relative to the file's folder. Addresses other than paths stay as they are.
    fn resolve_path(&self, text: &str) -> String {
        let (scheme, path) = match text.split_once("://") {
            Some(("sqlite", path)) => ("sqlite://".to_owned(), path),
            Some(_) => return text.to_owned(),
            None => (String::new(), text),
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        scheme + &folder.join(path).display().to_string()
    }
}

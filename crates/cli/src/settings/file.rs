//! The file that settings are read from, and how strictly.

use super::{
    Origin, Setting, Value, bad,
    keys::{Facts, KEYS, Takes, instead_of},
    variable,
};
use countersign_client::without_password;
use std::{
    fs::File,
    io::Read,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};
use toml::{Spanned, de::DeTable, de::DeValue};

/// A file that settings are read from. It was opened once, so what was looked at is what is read.
pub(super) struct Source {
    pub(super) path: PathBuf,
    text: String,
    /// Whether nobody named it, and it only lies in the folder that somebody is in.
    pub(super) lies_here: bool,
}

/// The name of a file that lies in the folder that somebody is in.
const HERE: &str = "countersign.toml";

/// The file that is read: the one that is named, or the first that is there.
pub(super) fn find(named: Option<PathBuf>) -> anyhow::Result<Option<Source>> {
    if let Some(path) = named {
        let text = std::fs::read_to_string(&path).map_err(|why| unreadable(&path, &why))?;
        return Ok(Some(Source { path, text, lies_here: false }));
    }
    for path in usual_places() {
        if let Some(text) = read_own(&path)? {
            let lies_here = path == Path::new(HERE);
            return Ok(Some(Source { path, text, lies_here }));
        }
    }
    Ok(None)
}

/// Where a file is looked for if none is named, the first first.
pub(crate) fn usual_places() -> Vec<PathBuf> {
    let own = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = own.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".config")));
    let mut places = vec![PathBuf::from(HERE)];
    places.extend(own.map(|folder| folder.join("countersign/config.toml")));
    places.push(PathBuf::from("/etc/countersign/config.toml"));
    places
}

/// The text of a file that nobody named, if there is one. It must be one's own. What is asked for its owner
/// is the open file, to which a link may have led: nobody can put another in its place in between.
fn read_own(path: &Path) -> anyhow::Result<Option<String>> {
    // A pipe would have us wait for somebody who writes.
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
    bad(format!("the settings {} cannot be read: {why}", path.display()))
}

/// A file that nobody named counts only if nobody else wrote it: it says what is asked, and of whom.
fn trusted(path: &Path, found: &std::fs::Metadata) -> anyhow::Result<()> {
    let ours = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
    if ours && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    let whose = if ours { "can be written by others" } else { "belongs to somebody else" };
    Err(bad(format!(
        "{} {whose}, and is not taken for yours; name it with --config if you mean it, or take it away",
        path.display()
    )))
}

impl Source {
    /// What the file sets.
    pub(super) fn settings(&self) -> anyhow::Result<Vec<(&'static Facts, Setting)>> {
        let Self { path, text, .. } = self;
        let table = DeTable::parse(text).map_err(|why| {
            bad(without_password(&format!("{}: {}", path.display(), why.to_string().trim_end())))
        })?;
        let reader = Reader { path, text };
        table
            .get_ref()
            .iter()
            .map(|(name, value)| reader.setting(name.span().start, name.get_ref(), value))
            .collect()
    }
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn setting(
        &self,
        start: usize,
        name: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> anyhow::Result<(&'static Facts, Setting)> {
        let line = self.text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        let place = format!("{}, line {line}", self.path.display());
        let Some(facts) = KEYS.iter().find(|facts| facts.name == name) else {
            return Err(bad(format!("{place}: there is no setting `{name}`; {}", instead_of(name))));
        };
        let wrong = |what: &str| bad(format!("{place}: `{name}` takes {what}"));
        let mut value = match (facts.takes, value.get_ref()) {
            (Takes::Switch, DeValue::Boolean(switch)) => Value::Switch(*switch),
            (Takes::Switch, _) => return Err(wrong("true or false")),
            (Takes::Texts, DeValue::Array(texts)) => {
                let texts: Option<Vec<_>> =
                    texts.iter().map(|text| text.get_ref().as_str().map(str::to_owned)).collect();
                Value::Texts(texts.ok_or_else(|| wrong("a text, or a list of texts"))?)
            }
            (Takes::Path, DeValue::String(text)) => Value::Text(self.beside(text)),
            (_, DeValue::String(text)) => Value::read(facts, text).map_err(|what| wrong(&what))?,
            _ => return Err(wrong("a text in quotation marks")),
        };
        if let Value::Texts(texts) = &mut value {
            for text in texts {
                *text = text
                    .strip_prefix("unix:")
                    .map_or(text.clone(), |path| format!("unix:{}", self.beside(path)));
            }
        }
        Ok((facts, Setting { value, origin: Origin::File(self.path.to_path_buf(), line) }))
    }

    /// A path as it counts from the folder of the file; an address of another kind as it is.
    fn beside(&self, text: &str) -> String {
        let (scheme, path) = match text.split_once("://") {
            Some(("sqlite", path)) => ("sqlite://".to_owned(), path),
            Some(_) => return text.to_owned(),
            None => (String::new(), text),
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        scheme + &folder.join(path).display().to_string()
    }
}

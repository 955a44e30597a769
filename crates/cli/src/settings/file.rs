//! The file that settings are read from, and how strictly.

use super::{
    Origin, Setting, Value, bad,
    keys::{Facts, KEYS, Takes, instead_of},
};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};
use toml::{Spanned, de::DeTable, de::DeValue};

/// The file that is read: the one that is named, or the first that is there.
pub(super) fn find(
    named: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = named {
        return Ok(Some(path));
    }
    for path in usual_places(variable) {
        if let Ok(found) = std::fs::metadata(&path)
            && found.is_file()
        {
            return trusted(path, &found).map(Some);
        }
    }
    Ok(None)
}

/// Where a file is looked for if none is named, the first first.
pub(crate) fn usual_places(variable: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let own = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = own.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".config")));
    let mut places = vec![PathBuf::from("countersign.toml")];
    places.extend(own.map(|folder| folder.join("countersign/config.toml")));
    places.push(PathBuf::from("/etc/countersign/config.toml"));
    places
}

/// A file that nobody named counts only if nobody else wrote it: it says which policy holds.
fn trusted(path: PathBuf, found: &std::fs::Metadata) -> anyhow::Result<PathBuf> {
    let ours = [0, rustix::process::geteuid().as_raw()].contains(&found.uid());
    if ours && found.mode() & 0o002 == 0 {
        return Ok(path);
    }
    let whose = if ours { "can be written by everybody" } else { "belongs to somebody else" };
    Err(bad(format!(
        "{} {whose}, and is not taken for yours; name it with --config if you mean it, or take it away",
        path.display()
    )))
}

/// What a file sets.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<(&'static Facts, Setting)>> {
    let text = std::fs::read_to_string(path)
        .map_err(|why| bad(format!("the settings {} cannot be read: {why}", path.display())))?;
    let table = DeTable::parse(&text)
        .map_err(|why| bad(format!("{}: {}", path.display(), why.to_string().trim_end())))?;
    let reader = Reader { path, text: &text };
    table
        .get_ref()
        .iter()
        .map(|(name, value)| reader.setting(name.span().start, name.get_ref(), value))
        .collect()
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

    /// A path as it counts from the folder of the file.
    fn beside(&self, text: &str) -> String {
        let (scheme, path) = match text.split_once("://") {
            Some((scheme, path)) => (format!("{scheme}://"), path),
            None => (String::new(), text),
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        scheme + &folder.join(path).display().to_string()
    }
}

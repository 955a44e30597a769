//! A folder of signed checkpoints, one file for each.

use super::document::SignedCheckpoint;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

/// A checkpoint folder. File names sort by event number.
#[derive(Debug)]
pub struct CheckpointFolder {
    path: PathBuf,
}

impl CheckpointFolder {
    /// Names an existing folder.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        fs::read_dir(path).map_err(|error| unusable(path, &error))?;
        Ok(Self { path: path.to_owned() })
    }

    /// The newest checkpoint and its file; `None` if the folder has none.
    pub fn newest(&self) -> anyhow::Result<Option<(PathBuf, SignedCheckpoint)>> {
        let entries = fs::read_dir(&self.path).map_err(|error| unusable(&self.path, &error))?;
        let mut newest = None;
        for entry in entries {
            let name = entry.map_err(|error| unusable(&self.path, &error))?.file_name();
            newest = newest.max(name.to_str().and_then(parse_file_name));
        }
        let Some(seq) = newest else { return Ok(None) };
        let path = self.path.join(file_name(seq));
        let checkpoint = SignedCheckpoint::read(&path)?;
        Ok(Some((path, checkpoint)))
    }

    /// Writes a checkpoint into its file, which appears whole or not at all. Returns its path.
    pub fn write(&self, checkpoint: &SignedCheckpoint) -> anyhow::Result<PathBuf> {
        let path = self.path.join(file_name(checkpoint.seq));
        let partial = path.with_extension("partial");
        let line = checkpoint.to_line()?;
        let written = File::create(&partial).and_then(|mut file| {
            writeln!(file, "{line}")?;
            file.sync_all()?;
            fs::rename(&partial, &path)?;
            File::open(&self.path)?.sync_all()
        });
        written.map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", path.display()))?;
        Ok(path)
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let path = path.display();
    if error.kind() == std::io::ErrorKind::NotFound {
        return anyhow::anyhow!("there is no folder {path} for checkpoints: create it first");
    }
    anyhow::anyhow!("the folder of checkpoints {path} cannot be used: {error}")
}

/// `checkpoint-000000000027.json`
fn file_name(seq: i64) -> String {
    format!("checkpoint-{seq:012}.json")
}

fn parse_file_name(name: &str) -> Option<i64> {
    let seq = name.strip_prefix("checkpoint-")?.strip_suffix(".json")?.parse().ok()?;
    (file_name(seq) == name).then_some(seq)
}

//! Reads a policy from disk: a file, and the layers in the folder `policy.d` beside it.

use crate::exit::{CliError, CommandExit};
use countersign_advisors::check_advisor_settings;
use countersign_api as api;
use countersign_events::{AdviceFailure, PolicyLayer};
use countersign_policy::{
    BadPolicy, LAYER_ENDINGS, LAYER_FOLDER, MANAGED_LAYER, MAX_LAYERS, MAX_POLICY_BYTES, Policy, PolicyText,
};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

/// The most entries of `policy.d`, including ignored ones.
const MAX_ENTRIES: usize = 1_000;

/// A policy's content on disk.
#[derive(Debug)]
pub struct PolicyOnDisk {
    path: PathBuf,
    /// The main file and its layers.
    pub text: PolicyText,
    /// The entries of `policy.d` that are not layers, such as hidden files.
    pub ignored: Vec<String>,
}

impl PolicyOnDisk {
    /// Reads a file and its layers. `-` is stdin, which has no layers.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let mut file = Self::read_main(path)?;
        if path.as_os_str() != "-" {
            file.read_layers()?;
        }
        Ok(file)
    }

    /// Reads a file without layers. `-` is stdin.
    pub fn read_main(path: &Path) -> anyhow::Result<Self> {
        let mut file = Self { path: path.to_owned(), text: PolicyText::default(), ignored: Vec::new() };
        if path.as_os_str() == "-" {
            file.path = PathBuf::from("stdin");
            file.text.text = read_bounded(io::stdin().lock()).map_err(|why| unreadable(path, &why))?;
            return Ok(file);
        }
        file.text.text = File::open(path).and_then(read_bounded).map_err(|why| unreadable(path, &why))?;
        Ok(file)
    }

    /// The main file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The policy name, for people.
    #[must_use]
    pub fn name(&self) -> String {
        let layers: Vec<_> = self.text.layers.iter().map(|layer| layer.name.as_str()).collect();
        let path = self.path.display();
        if layers.is_empty() { path.to_string() } else { format!("{path} with {}", layers.join(", ")) }
    }

    /// Checks the policy. The error names the file, and the line and column in it.
    pub fn parse(&self) -> anyhow::Result<Policy> {
        self.parse_text(self.text.clone())
    }

    /// Checks the policy together with the active policy's managed layer, which the files keep.
    pub fn parse_beside(&self, in_force: &api::PolicyInForce) -> anyhow::Result<Policy> {
        self.parse_text(keep_managed_layer(self.text.clone(), in_force))
    }

    fn parse_text(&self, text: PolicyText) -> anyhow::Result<Policy> {
        let wrong = |error: BadPolicy| {
            let (path, error) = match error {
                BadPolicy::InFile { file, error } if file.starts_with(LAYER_FOLDER) => {
                    (self.folder().join(file), *error)
                }
                BadPolicy::InFile { error, .. } => (self.path.clone(), *error),
                error => (self.path.clone(), error),
            };
            // The TOML parser's message ends with a line break.
            bad_policy(format!("{}: {}", path.display(), error.to_string().trim_end()))
        };
        let policy = Policy::read_text(text).map_err(wrong)?;
        self.check_advisors(&policy)?;
        Ok(policy)
    }

    /// Refuses an advisor that no server could ask, such as Cedar policies with an error.
    fn check_advisors(&self, policy: &Policy) -> anyhow::Result<()> {
        for advisor in policy.advisors() {
            if let Err(fault) = check_advisor_settings(advisor)
                && fault.failure == AdviceFailure::BadConfiguration
            {
                let (path, name) = (self.path.display(), &advisor.name);
                return Err(bad_policy(format!("{path}: advisor {name:?}: {fault}")).into());
            }
        }
        Ok(())
    }

    /// The main file's folder.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    fn read_layers(&mut self) -> anyhow::Result<()> {
        let folder = self.folder().join(LAYER_FOLDER.trim_end_matches('/'));
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
            Err(why) => return Err(unreadable(&folder, &why).into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|why| unreadable(&folder, &why))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if names.len() + self.ignored.len() >= MAX_ENTRIES {
                let why = format!("{} has more than {MAX_ENTRIES} entries", folder.display());
                return Err(bad_policy(why).into());
            }
            if name.starts_with('.') || !LAYER_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                self.ignored.push(format!("{LAYER_FOLDER}{name}"));
            } else {
                names.push((name, entry.path()));
            }
        }
        if names.len() > MAX_LAYERS {
            let why = format!("{} has {} layers; the limit is {MAX_LAYERS}", folder.display(), names.len());
            return Err(bad_policy(why).into());
        }
        self.ignored.sort();
        names.sort();
        for (name, path) in names {
            let name = format!("{LAYER_FOLDER}{name}");
            if name == MANAGED_LAYER {
                let why = format!(
                    "{} has the name of the layer for rules that people accept, which only the log holds; rename the file",
                    path.display()
                );
                return Err(bad_policy(why).into());
            }
            self.text.layers.push(PolicyLayer { name, text: read_layer(&path)? });
        }
        Ok(())
    }
}

/// Adds the active policy's managed layer to policy files, so that they do not discard the rules that people
/// accepted.
#[must_use]
pub fn keep_managed_layer(files: PolicyText, in_force: &api::PolicyInForce) -> PolicyText {
    let in_force = PolicyText { text: in_force.text.clone(), layers: in_force.layers.clone() };
    files.with_managed_layer_of(&in_force)
}

/// Reads a layer. A layer that cannot be read is an error, because it may block calls.
fn read_layer(path: &Path) -> Result<String, CliError> {
    // Opening a pipe would wait for its writer.
    let found = fs::metadata(path).map_err(|why| unreadable(path, &why))?;
    if !found.is_file() {
        let why = format!("{} is not a file; remove it, or give it another ending", path.display());
        return Err(bad_policy(why));
    }
    File::open(path).and_then(read_bounded).map_err(|why| unreadable(path, &why))
}

/// Reads text, and stops where no policy could be that long.
fn read_bounded(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    source.take(MAX_POLICY_BYTES as u64 + 1).read_to_string(&mut text)?;
    if text.len() > MAX_POLICY_BYTES {
        return Err(io::Error::other(format!("it has more than {MAX_POLICY_BYTES} bytes")));
    }
    Ok(text)
}

fn unreadable(path: &Path, why: &io::Error) -> CliError {
    bad_policy(format!("the policy {} cannot be read: {why}", path.display()))
}

fn bad_policy(message: String) -> CliError {
    CliError { exit: CommandExit::USAGE, code: "bad_policy", message }
}

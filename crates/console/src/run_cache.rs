//! The caches from which launchers run programs that are not installed. They may remove a program at any time.

use crate::{escape_text, print_error};
use std::path::{Component, Path};

/// A launcher that runs a program from its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunCache {
    /// `npx`
    Npx,
    /// `uvx`
    Uvx,
    /// `pipx run`
    PipxRun,
}

impl RunCache {
    /// The cache in which this program lies, if it lies in one.
    #[must_use]
    pub fn of_program(program: &Path) -> Option<Self> {
        // A link that stays may lead into a cache.
        let target = program.canonicalize().ok();
        [Some(program), target.as_deref()].into_iter().flatten().find_map(Self::of_path)
    }

    /// Warns if the program may vanish. `loss` is what happens then, and `command` writes its path again.
    pub fn warn_if_it_has(program: &Path, loss: &str, command: &str) {
        let Some(cache) = Self::of_program(program) else { return };
        print_error(&format!(
            "warning: {} lies in the cache of `{}`, which may remove it; {loss}. Install it with `{}`, and run `{command}` again",
            escape_text(&program.display().to_string()),
            cache.launcher(),
            cache.install_command()
        ));
    }

    fn of_path(path: &Path) -> Option<Self> {
        let folders: Vec<_> = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let has_pair = |first: &str, second: &str| folders.windows(2).any(|pair| pair == [first, second]);
        let is_numbered = |name: &&str| {
            let number = name.strip_prefix("archive-v").or_else(|| name.strip_prefix("environments-v"));
            number
                .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if folders.contains(&"_npx") {
            return Some(Self::Npx);
        }
        if folders.iter().any(is_numbered) {
            return Some(Self::Uvx);
        }
        // The cache of Linux, of macOS, and of earlier versions of pipx.
        let is_pipx = has_pair(".cache", "pipx") || has_pair("Caches", "pipx") || has_pair("pipx", ".cache");
        is_pipx.then_some(Self::PipxRun)
    }

    /// The launcher, as people type it.
    #[must_use]
    pub const fn launcher(self) -> &'static str {
        match self {
            Self::Npx => "npx",
            Self::Uvx => "uvx",
            Self::PipxRun => "pipx run",
        }
    }

    /// The command that installs the program in a way that stays.
    #[must_use]
    pub const fn install_command(self) -> &'static str {
        match self {
            Self::Npx => "npm install --global countersign",
            Self::Uvx => "uv tool install countersign-server",
            Self::PipxRun => "pipx install countersign-server",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_is_known_by_its_folders() {
        for (path, cache) in [
            (
                "/home/ada/.npm/_npx/a322/node_modules/@countersign/linux-x64/bin/countersign",
                Some(RunCache::Npx),
            ),
            ("/home/ada/.cache/uv/archive-v0/kX3/bin/countersign", Some(RunCache::Uvx)),
            ("/home/ada/.cache/uv/environments-v2/kX3/bin/countersign", Some(RunCache::Uvx)),
            ("/home/ada/.cache/pipx/0f1/bin/countersign", Some(RunCache::PipxRun)),
            ("/home/ada/.local/pipx/.cache/0f1/bin/countersign", Some(RunCache::PipxRun)),
            ("/Users/ada/Library/Caches/pipx/0f1/bin/countersign", Some(RunCache::PipxRun)),
            ("/usr/bin/countersign", None),
            ("/home/ada/.local/bin/countersign", None),
            ("/home/ada/.local/share/uv/tools/countersign-server/bin/countersign", None),
            ("/home/ada/.local/share/pipx/venvs/countersign-server/bin/countersign", None),
            ("/home/ada/.cache/archive-video/countersign", None),
            ("/usr/lib/node_modules/countersign/node_modules/@countersign/linux-x64/bin/countersign", None),
        ] {
            assert_eq!(RunCache::of_path(Path::new(path)), cache, "{path}");
        }
    }
}

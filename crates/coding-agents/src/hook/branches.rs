//! The branch that is checked out where a call runs, and the default branch of its repository, which the policy cannot see. They are
//! read from files, without running Git.

use countersign_events::{Json, Place, ToolName};
use countersign_policy::branch_needs;
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The longest file of a repository that is read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// The longest name of a branch.
const MAX_NAME_BYTES: usize = 255;

/// The call's place with the branches that matter for it. A call that changes no branch keeps its place, so that a decision for the session
/// holds on every branch.
pub(super) fn add_branches(place: Place, tool: &ToolName, arguments: &Json) -> Place {
    let needs = branch_needs(tool, arguments);
    let Some(folder) = place.folder.as_deref().map(Path::new).filter(|_| needs.default) else { return place };
    let Some(repository) = Repository::find(folder) else { return place };
    let mut settings =
        repository.read_settings(&files_of_user(|name| std::env::var_os(name).map(PathBuf::from)));
    // Git then reads other settings, or another repository.
    settings.pushes_current &= ![
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_DIR",
        "GIT_COMMON_DIR",
    ]
    .iter()
    .any(|name| std::env::var_os(name).is_some());
    let branch = needs.current.then(|| repository.current_branch(&settings)).flatten();
    Place { branch, default_branch: repository.default_branch(&settings), ..place }
}

/// The files with the settings of the machine and of its user.
fn files_of_user(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let home = variable("HOME");
    let shared = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let of_user = [shared.map(|folder| folder.join("git/config")), home.map(|home| home.join(".gitconfig"))];
    [PathBuf::from("/etc/gitconfig")].into_iter().chain(of_user.into_iter().flatten()).collect()
}

/// The files of a Git repository.
struct Repository {
    /// The files of this worktree.
    own: PathBuf,
    /// The files that all worktrees share.
    shared: PathBuf,
}

impl Repository {
    fn find(folder: &Path) -> Option<Self> {
        let root = folder.ancestors().find(|folder| folder.join(".git").exists())?;
        let entry = root.join(".git");
        if entry.is_dir() {
            return Some(Self { own: entry.clone(), shared: entry });
        }
        let text = read_small(&entry)?;
        let own = root.join(text.trim().strip_prefix("gitdir: ")?);
        let shared =
            read_small(&own.join("commondir")).map_or_else(|| own.clone(), |named| own.join(named.trim()));
        Some(Self { own, shared })
    }

    /// The settings of the repository, behind those in other files.
    fn read_settings(&self, before: &[PathBuf]) -> BranchSettings {
        let own = [self.shared.join("config"), self.own.join("config.worktree")];
        let files = before.iter().cloned().chain(own);
        let texts: Vec<_> = files.filter(|file| file.exists()).map(|file| read_small(&file)).collect();
        BranchSettings::parse(&texts)
    }

    /// The branch that is checked out, if a push without a branch moves the branch of this name alone.
    fn current_branch(&self, settings: &BranchSettings) -> Option<String> {
        branch_of_reference(&read_small(&self.own.join("HEAD"))?).filter(|_| settings.pushes_current)
    }

    /// The default branch, as the last clone or fetch has recorded it, or else as the settings name it for new repositories.
    fn default_branch(&self, settings: &BranchSettings) -> Option<String> {
        let recorded = ["origin", "upstream"].iter().find_map(|remote| {
            let text = read_small(&self.shared.join("refs/remotes").join(remote).join("HEAD"))?;
            let name =
                text.trim().strip_prefix("ref: refs/remotes/")?.strip_prefix(remote)?.strip_prefix('/')?;
            valid_name(name)
        });
        recorded.or_else(|| settings.default_branch.clone())
    }
}

/// What the settings of Git say about branches.
struct BranchSettings {
    default_branch: Option<String>,
    /// Whether a push without a branch certainly pushes the branch that is checked out, to its own name.
    pushes_current: bool,
}

impl BranchSettings {
    fn parse(texts: &[Option<String>]) -> Self {
        let mut settings = Self { default_branch: None, pushes_current: texts.iter().all(Option::is_some) };
        let mut section = String::new();
        for line in texts.iter().flatten().flat_map(|text| text.lines()).map(str::trim) {
            if let Some(head) = line.strip_prefix('[') {
                section = head.split([']', ' ', '"']).next().unwrap_or_default().to_lowercase();
                // Another file may say anything.
                settings.pushes_current &= !section.starts_with("include");
            }
            let line = line.rsplit(']').next().unwrap_or(line).trim();
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            match (section.as_str(), key.trim().to_lowercase().as_str()) {
                ("init", "defaultbranch") => settings.default_branch = valid_name(value),
                ("push", "default") => {
                    settings.pushes_current &= matches!(value, "simple" | "current" | "nothing");
                }
                ("remote", "push" | "mirror") => settings.pushes_current = false,
                _ => {}
            }
        }
        settings
    }
}

fn branch_of_reference(text: &str) -> Option<String> {
    valid_name(text.trim().strip_prefix("ref: refs/heads/")?)
}

fn valid_name(name: &str) -> Option<String> {
    let is_valid = !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(|c: char| c.is_control() || c == ' ');
    is_valid.then(|| name.to_owned())
}

/// The text of a file, unless it is large.
fn read_small(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    let size = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).ok()?;
    (u64::try_from(size).ok()? <= MAX_FILE_BYTES).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    fn repository(config: &str, head: &str, remote: Option<&str>) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let git = folder.path().join(".git");
        create_dir_all(git.join("refs/remotes/origin")).expect("folders");
        write(git.join("config"), config).expect("written");
        write(git.join("HEAD"), head).expect("written");
        if let Some(remote) = remote {
            write(git.join("refs/remotes/origin/HEAD"), remote).expect("written");
        }
        folder
    }

    fn branches(folder: &Path) -> (Option<String>, Option<String>) {
        let repository = Repository::find(folder).expect("a repository");
        let settings = repository.read_settings(&[]);
        (repository.current_branch(&settings), repository.default_branch(&settings))
    }

    #[test]
    fn branches_are_read_from_files() {
        let named = |name: &str| Some(name.to_owned());
        let origin = Some("ref: refs/remotes/origin/stable/2\n");
        for (config, head, remote, expected) in [
            ("", "ref: refs/heads/feature/x\n", origin, (named("feature/x"), named("stable/2"))),
            ("[init]\n\tdefaultBranch = dev\n", "ref: refs/heads/x\n", None, (named("x"), named("dev"))),
            ("[push] default = simple\n", "ref: refs/heads/x\n", None, (named("x"), None)),
            ("[push]\n\tdefault = matching\n", "ref: refs/heads/x\n", origin, (None, named("stable/2"))),
            ("[push] default = upstream\n", "ref: refs/heads/x\n", None, (None, None)),
            (
                "[remote \"origin\"]\n\tpush = +refs/heads/x:refs/heads/main\n",
                "ref: refs/heads/x\n",
                None,
                (None, None),
            ),
            ("[include]\n\tpath = other\n", "ref: refs/heads/x\n", None, (None, None)),
            ("", "4cf29611a66934862f29acfcc817e30b905c1ab7\n", None, (None, None)),
            ("", "ref: refs/heads/a\u{7}b\n", None, (None, None)),
        ] {
            let folder = repository(config, head, remote);
            assert_eq!(branches(folder.path()), expected, "{config:?} {head:?}");
        }
    }

    #[test]
    fn worktree_has_its_own_branch() {
        let main = repository("", "ref: refs/heads/main\n", Some("ref: refs/remotes/origin/main\n"));
        let own = main.path().join(".git/worktrees/feature");
        create_dir_all(&own).expect("folders");
        write(own.join("HEAD"), "ref: refs/heads/feature\n").expect("written");
        write(own.join("commondir"), "../..\n").expect("written");
        let tree = tempfile::tempdir().expect("a folder");
        write(tree.path().join(".git"), format!("gitdir: {}\n", own.display())).expect("written");
        assert_eq!(branches(tree.path()), (Some("feature".to_owned()), Some("main".to_owned())));
    }

    #[test]
    fn only_calls_that_change_branches_get_them() {
        let folder = repository("", "ref: refs/heads/feature\n", Some("ref: refs/remotes/origin/main\n"));
        let placed = |command: &str| {
            let place = Place::folder(folder.path().display().to_string());
            let arguments = Json::encode(&serde_json::json!({ "command": command })).expect("JSON");
            let place = add_branches(place, &ToolName::new("Bash").expect("a name"), &arguments);
            (place.branch.is_some(), place.default_branch)
        };
        assert_eq!(placed("cargo test"), (false, None));
        assert_eq!(placed("git status"), (false, None));
        assert_eq!(placed("git push origin x"), (false, Some("main".to_owned())));
        assert_eq!(placed("git branch -D x"), (false, Some("main".to_owned())));
    }
}

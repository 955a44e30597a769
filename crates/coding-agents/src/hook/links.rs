//! The symbolic links on the paths that a call names, which the policy cannot see.

use countersign_events::{Json, Place, ToolName};
use countersign_policy::named_paths;
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// The most paths of a call that are looked at, and the most folders below which relative ones are.
const MAX_PATHS: usize = 512;
const MAX_BASES: usize = 16;
/// The most entries of a folder that a name pattern is compared with.
const MAX_ENTRIES: usize = 4096;

/// Folders for scratch files, whose links count like those of the project.
const SCRATCH: &[&str] = &["/tmp", "/private/tmp"];

/// The call's place with the targets of the links that lead out of its project. A call with too many paths or links gets a
/// place without a project, so that no rule takes it for one inside.
pub(super) fn add_link_targets(place: Place, tool: &ToolName, arguments: &Json) -> Place {
    add_targets_beside(place, tool, arguments, SCRATCH)
}

/// Adds the targets that are neither in the project nor in one of the `scratch` folders.
fn add_targets_beside(place: Place, tool: &ToolName, arguments: &Json, scratch: &[&str]) -> Place {
    let (Some(project), Some(folder)) = (&place.project, &place.folder) else { return place };
    let paths = named_paths(tool, arguments);
    let mut search =
        LinkSearch { project: PathBuf::from(project), scratch, targets: BTreeSet::new(), is_complete: true };
    if paths.len() > MAX_PATHS {
        return Place { project: None, ..place };
    }
    let bases = search.find_bases(Path::new(folder), &paths);
    for path in &paths {
        for base in &bases {
            search.follow(base, Path::new(path));
        }
    }
    let bytes: usize = search.targets.iter().map(String::len).sum();
    let is_small = search.targets.len() <= Place::MAX_LINK_TARGETS && bytes <= Place::MAX_BYTES / 2;
    if search.is_complete && is_small {
        Place { link_targets: search.targets.into_iter().collect(), ..place }
    } else {
        Place { project: None, ..place }
    }
}

struct LinkSearch<'a> {
    project: PathBuf,
    scratch: &'a [&'a str],
    targets: BTreeSet<String>,
    /// Whether every path was looked at.
    is_complete: bool,
}

impl LinkSearch<'_> {
    /// The folder of the call, and the folders to which its commands may change.
    fn find_bases(&mut self, folder: &Path, paths: &[String]) -> Vec<PathBuf> {
        let mut bases = vec![folder.canonicalize().unwrap_or_else(|_| folder.to_owned())];
        let mut at = 0;
        while let Some(base) = bases.get(at).cloned() {
            at += 1;
            for path in paths.iter().filter(|path| !path.starts_with('/')) {
                let Ok(named) = base.join(path).canonicalize() else { continue };
                if !named.is_dir() || bases.contains(&named) || !named.starts_with(&self.project) {
                    continue;
                }
                if bases.len() == MAX_BASES {
                    self.is_complete = false;
                    return bases;
                }
                bases.push(named);
            }
        }
        bases
    }

    /// Follows a path from a folder, as the system does, and notes where its links lead.
    fn follow(&mut self, base: &Path, path: &Path) {
        let scratch = self.scratch.iter().find(|folder| path.starts_with(folder)).map(Path::new);
        let (start, rest) = match (path.strip_prefix(&self.project), scratch) {
            (Ok(rest), _) => (self.project.clone(), rest),
            (_, Some(scratch)) => {
                let real = scratch.canonicalize().unwrap_or_else(|_| scratch.to_owned());
                (real, path.strip_prefix(scratch).unwrap_or(path))
            }
            // Any other absolute path is outside by its text.
            _ if path.is_absolute() => return,
            _ => (base.to_owned(), path),
        };
        let (mut current, mut has_link) = (start, false);
        for component in rest.components() {
            match component {
                Component::ParentDir => {
                    current.pop();
                }
                Component::Normal(name) if has_wildcard(name) => return self.note_entries(&current),
                Component::Normal(name) => {
                    current.push(name);
                    if current.is_symlink() {
                        has_link = true;
                        current = resolve_link(&current);
                    }
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        if has_link {
            self.note(&current);
        }
    }

    /// Notes the targets of all links in a folder, one of which a name pattern may mean.
    fn note_entries(&mut self, folder: &Path) {
        let Ok(entries) = folder.read_dir() else { return };
        for (at, entry) in entries.flatten().enumerate() {
            if at == MAX_ENTRIES {
                self.is_complete = false;
                return;
            }
            if entry.path().is_symlink() {
                self.note(&resolve_link(&entry.path()));
            }
        }
    }

    fn note(&mut self, target: &Path) {
        let is_scratch = |folder: &&str| {
            target.starts_with(folder)
                || Path::new(folder).canonicalize().is_ok_and(|real| target.starts_with(real))
        };
        if !target.starts_with(&self.project) && !self.scratch.iter().any(is_scratch) {
            self.targets.insert(target.to_string_lossy().replace(char::is_control, "?"));
        }
    }
}

/// Where a link leads. The target need not exist: a command may write it.
fn resolve_link(link: &Path) -> PathBuf {
    link.canonicalize().unwrap_or_else(|_| {
        let folder = link.parent().unwrap_or(link);
        let target = std::fs::read_link(link).unwrap_or_default();
        let mut resolved = if target.is_absolute() { PathBuf::new() } else { folder.to_owned() };
        for component in target.components() {
            match component {
                Component::ParentDir => {
                    resolved.pop();
                }
                other => resolved.push(other),
            }
        }
        resolved
    })
}

fn has_wildcard(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::{create_dir_all, write},
        os::unix::fs::symlink,
    };

    /// A project with links, and a folder beside it. Not below `/tmp`, whose links may lead anywhere in it.
    struct Fixture {
        folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
            let (shop, other) = (folder.path().join("shop"), folder.path().join("other"));
            create_dir_all(shop.join("src/deep")).expect("folders");
            create_dir_all(&other).expect("a folder");
            write(other.join("secret"), "x").expect("written");
            symlink(&other, shop.join("out")).expect("a link");
            symlink("../../other/secret", shop.join("src/leak")).expect("a link");
            symlink("src/deep", shop.join("in")).expect("a link");
            symlink("../other/new", shop.join("dangling")).expect("a link");
            Self { folder }
        }

        /// The targets without the folder, and whether the place keeps its project.
        fn find_targets(&self, tool: &str, arguments: &serde_json::Value) -> (Vec<String>, bool) {
            let root = self.folder.path().canonicalize().expect("a path");
            let shop = root.join("shop").display().to_string();
            let place = Place { project: Some(shop.clone()), folder: Some(shop), ..Place::default() };
            let arguments = Json::encode(arguments).expect("JSON");
            // The repository, and so this folder, may be below a folder for scratch files.
            let tool = ToolName::new(tool).expect("a name");
            let place = add_targets_beside(place, &tool, &arguments, &[]);
            let short = |target: &String| target.replace(&format!("{}/", root.display()), "");
            (place.link_targets.iter().map(short).collect(), place.project.is_some())
        }

        fn shell(&self, command: &str) -> Vec<String> {
            self.find_targets("Bash", &serde_json::json!({ "command": command })).0
        }
    }

    #[test]
    fn links_that_lead_outside_are_found() {
        let fixture = Fixture::new();
        for (command, expected) in [
            ("cat out/secret", "other/secret"),
            ("echo x > out/new", "other/new"),
            ("echo x > dangling", "other/new"),
            ("cat src/leak", "other/secret"),
            ("cd src && cat leak", "other/secret"),
            ("cat src/*", "other/secret"),
            ("grep --file=src/leak x", "other/secret"),
            ("ls out/../x", "x"),
            ("cat in/../../../other/secret", "other/secret"),
        ] {
            assert_eq!(fixture.shell(command), [expected], "{command}");
        }
        let shop = fixture.folder.path().canonicalize().expect("a path").join("shop/src/leak");
        let read =
            fixture.find_targets("Read", &serde_json::json!({ "file_path": shop.display().to_string() }));
        assert_eq!(read, (vec!["other/secret".to_owned()], true));
    }

    #[test]
    fn paths_inside_have_no_targets() {
        let fixture = Fixture::new();
        for command in ["cat src/x in/x", "ls", "echo out", "cat src/deep/* /usr/bin/env", "cat missing/x"] {
            assert_eq!(fixture.shell(command), Vec::<String>::new(), "{command}");
        }
    }

    #[test]
    fn call_with_too_many_paths_has_no_project() {
        let fixture = Fixture::new();
        let words: Vec<_> = (0..=MAX_PATHS).map(|number| format!("f{number}")).collect();
        let find = |command: String| fixture.find_targets("Bash", &serde_json::json!({ "command": command }));
        assert!(!find(format!("cat {}", words.join(" "))).1);
        assert!(find(format!("cat {}", words[..100].join(" "))).1);
    }
}

//! The project in which an agent works: the Git root of the folder in which it was started.

use std::path::{Path, PathBuf};

/// The variables in which agents name the folder in which they were started.
const START_VARIABLES: &[&str] =
    &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"];

/// The folder in which the agent was started, as it says in a variable. `None` if it says nothing: it then starts its hooks
/// there. The folder of a call is not it, because a call may change the folder.
pub fn start_folder(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let named = START_VARIABLES.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    named.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// The project of an agent that was started in the folder: its Git root, or else the folder itself, with symbolic links
/// resolved. `None` if that contains the home folder or is the root of the file system, because it then contains much that
/// belongs to no project.
#[must_use]
pub fn find_project(start: &Path, home: Option<&Path>) -> Option<String> {
    let start = start.canonicalize().ok()?;
    let root = start.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&start);
    let home = home.and_then(|home| home.canonicalize().ok());
    let contains_home = home.is_some_and(|home| home.starts_with(root));
    let is_project = root.parent().is_some() && !contains_home;
    is_project.then(|| root.to_str().map(str::to_owned)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::create_dir_all;

    #[test]
    fn project_is_the_git_root() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().canonicalize().expect("a path");
        let (shop, plain) = (home.join("shop"), home.join("notes"));
        create_dir_all(shop.join("api/src")).expect("folders");
        create_dir_all(shop.join(".git")).expect("a folder");
        create_dir_all(&plain).expect("a folder");
        let project = |start: &Path| find_project(start, Some(&home)).map(PathBuf::from);
        assert_eq!(project(&shop.join("api/src")), Some(shop.clone()));
        assert_eq!(project(&plain), Some(plain.clone()));
        assert_eq!(project(&home), None);
        assert_eq!(project(Path::new("/")), None);
        assert_eq!(project(&home.join("missing")), None);
        let linked = home.join("shop/trees/feature");
        create_dir_all(linked.join("src")).expect("folders");
        std::fs::write(linked.join(".git"), "gitdir: ../../.git/worktrees/feature\n").expect("written");
        assert_eq!(project(&linked.join("src")), Some(linked), "a linked worktree is a project of its own");
        create_dir_all(home.join(".git")).expect("a folder");
        assert_eq!(project(&plain), None, "a home folder in Git is no project");
    }

    #[test]
    fn agent_names_its_start_folder() {
        let named = |value: &'static str| {
            start_folder(move |name| (name == "CLAUDE_PROJECT_DIR").then(|| value.to_owned()))
        };
        assert_eq!(named("/srv/shop"), Some(PathBuf::from("/srv/shop")));
        assert_eq!(named("shop"), None);
        assert_eq!(named(""), None);
    }
}

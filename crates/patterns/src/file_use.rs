//! The uses of files by a call, and patterns for files that are protected from them.
//!
//! Paths are compared without case and in one normal form, because a file system may do so, and a home folder stands for
//! the home folder of any user. What a pattern might match is unclear, so that a protection asks.

use crate::{
    MatchAnswer, PathPattern, PatternError,
    command::PathAccess,
    folded_path::{after_working_folder, fold, strip_mounts, tidy, to_holes},
    glob::TextOutline,
    invisible::HOLE,
};

/// The segment that stands for a user in a path to a home folder.
const ANY_USER: char = '~';
/// The folders in which operating systems have the home folders.
const HOME_FOLDERS: [&str; 2] = ["/home/", "/users/"];
const ROOT_HOME: &str = "/root";

/// The segment that stands for a folder that is not known. No path has it, so only a pattern for any folder matches.
const SOME_FOLDER: char = '\u{1}';

/// The longest file name, in bytes: file systems allow 255 characters.
const MAX_NAME_BYTES: usize = 1024;

/// Whether this may be the name or the path of a file. A longer run of letters and digits than any file system allows, such as
/// encoded data, is none: nothing in it is a separator, a wildcard, or a character that a tool may strip.
#[must_use]
pub fn may_be_file(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'=');
    text.len() <= MAX_NAME_BYTES || !text.bytes().all(is_plain)
}

/// A use of a file, or of a folder and what is below it.
#[derive(Debug, Clone)]
pub struct FileUse {
    /// The path as written.
    pub shown: String,
    /// What happens to it.
    pub access: PathAccess,
    /// Whether the path is certainly a path, and not merely a word that may be one.
    pub is_certain: bool,
    /// The paths that it may be.
    paths: Vec<UsedPath>,
    /// The paths below that are used as well.
    reached: Vec<ReachedPath>,
    /// Whether a hole may be anything, and not only the names in a folder.
    is_open: bool,
}

/// A path, absolute and folded, with [`HOLE`] for what is unknown. A policy has many patterns, so its outline is read once.
#[derive(Debug, Clone)]
struct UsedPath {
    text: String,
    outline: TextOutline,
}

/// A path below a folder that is used.
#[derive(Debug, Clone)]
struct ReachedPath {
    path: UsedPath,
    /// Whether a name pattern for a hidden file cannot mean it.
    leaves_out_hidden: bool,
    /// Whether the call shows how the name begins.
    is_named: bool,
}

/// The files below a folder that a call uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderReach {
    /// The names of the files, with [`HOLE`] for what is unknown. Empty: nothing below the folder is used.
    names: Vec<String>,
    /// Whether names that begin with a dot are left out.
    leaves_out_hidden: bool,
}

/// A pattern for the files that a protection names.
#[derive(Debug, Clone)]
pub struct ProtectedPath {
    text: String,
    globs: Vec<PathPattern>,
    /// The same below other folders that may be home folders.
    doubtful: Vec<PathPattern>,
}

impl FolderReach {
    /// Only the path itself.
    #[must_use]
    pub fn itself() -> Self {
        Self::default()
    }

    /// Everything below the folder.
    #[must_use]
    pub fn everything() -> Self {
        Self { names: vec![HOLE.to_string()], leaves_out_hidden: false }
    }

    /// The files below the folder whose names match one of the globs; all of them if there are none.
    #[must_use]
    pub fn of_names(globs: &[String]) -> Self {
        let names: Vec<_> =
            globs.iter().filter(|glob| !glob.starts_with('!')).map(|glob| to_holes(glob)).collect();
        if names.is_empty() { Self::everything() } else { Self { names, leaves_out_hidden: false } }
    }

    /// The same files without hidden ones.
    #[must_use]
    pub fn without_hidden(self) -> Self {
        Self { leaves_out_hidden: true, ..self }
    }
}

impl FileUse {
    /// A use of the path, which is relative to one of the `folders`. `written` may contain [`HOLE`]. With `is_open`, a hole may
    /// be anything.
    #[must_use]
    pub fn new(written: &str, folders: &[String], access: PathAccess, is_open: bool) -> Self {
        let (text, is_exact) = tidy(written);
        let mut paths = Vec::new();
        if text.starts_with(['/', '~']) {
            add_full_path(&text, folders, &mut paths);
        } else if folders.is_empty() {
            let below = fold(&format!("/{text}"));
            // Steps upwards may lead anywhere.
            if text.split('/').any(|segment| segment == "..") {
                paths.push(format!("/{HOLE}{below}"));
            }
            paths.push(format!("/{SOME_FOLDER}{below}"));
        } else {
            for folder in folders {
                add_full_path(&format!("{folder}/{text}"), &[], &mut paths);
            }
            // A hole at the start may be an absolute path.
            if is_open && text.starts_with(HOLE) {
                paths.push(fold(&text));
            }
        }
        let shown = written.replace(HOLE, "*");
        Self {
            shown,
            access,
            is_certain: is_exact,
            paths: paths.into_iter().map(UsedPath::new).collect(),
            reached: Vec::new(),
            is_open: is_open || folders.is_empty(),
        }
    }

    /// The same use of a word that may also be no path.
    #[must_use]
    pub fn doubtful(self) -> Self {
        Self { is_certain: false, ..self }
    }

    /// The same use, also of files below the path.
    #[must_use]
    pub fn with_below(self, below: &FolderReach) -> Self {
        let reached = self.paths.iter().flat_map(|path| below.paths_below(&path.text)).collect();
        Self { reached, ..self }
    }

    /// Whether files below the path are used as well.
    #[must_use]
    pub fn reaches_below(&self) -> bool {
        !self.reached.is_empty()
    }

    /// The same use with the word that contains the path.
    pub(crate) fn shown_as(self, word: &str) -> Self {
        Self { shown: word.to_owned(), ..self }
    }

    /// The paths that it may be, absolute and in normal form, as far as they are known.
    pub fn known_paths(&self) -> impl Iterator<Item = &str> {
        let known = self.paths.iter().filter(|path| !path.outline.has_hole);
        known.map(|path| path.text.as_str()).filter(|path| !path.contains(SOME_FOLDER))
    }

    /// Whether it may also be another path.
    #[must_use]
    pub fn has_unknown_path(&self) -> bool {
        self.paths.iter().any(|path| path.outline.has_hole)
    }

    /// Whether the path is certainly one of the folders or below it. The folders are absolute and in normal form. A name pattern
    /// stays below the folder that precedes it.
    #[must_use]
    pub fn is_within(&self, folders: &[String]) -> bool {
        let is_in = |path: &UsedPath| {
            folders.iter().map(|folder| fold(folder)).any(|folder| {
                path.text.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let is_known = |path: &UsedPath| !path.outline.has_hole || !self.is_open;
        self.paths.iter().all(|path| is_known(path) && is_in(path))
    }
}

/// Adds what a path that is absolute, or begins in a home folder, may be. A path through a process's working folder begins in one
/// of the `folders`.
fn add_full_path(text: &str, folders: &[String], paths: &mut Vec<String>) {
    if let Some(rest) = text.strip_prefix('~') {
        let rest = rest.split_once('/').map_or("", |(_, rest)| rest);
        paths.extend(HOME_FOLDERS.map(|homes| fold(&format!("{homes}{ANY_USER}/{rest}"))));
        paths.extend(HOME_FOLDERS.map(|homes| fold(&format!("{homes}{HOLE}/{rest}"))));
        paths.push(fold(&format!("{ROOT_HOME}/{rest}")));
        return;
    }
    if let Some(rest) = after_working_folder(text) {
        paths.extend(folders.iter().map(|folder| fold(&format!("{folder}/{rest}"))));
    }
    let path = fold(text);
    let unmounted = strip_mounts(&path);
    if unmounted != path {
        paths.push(unmounted.to_owned());
    }
    paths.push(path);
}

impl ProtectedPath {
    /// Compiles a pattern. `~/` is the home folder of any user. A pattern that is neither absolute nor below `~/` matches in
    /// every folder: `.env` is `**/.env`.
    ///
    /// # Errors
    ///
    /// The error says what no path can match.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let forms: Vec<String> = match text.strip_prefix("~/") {
            Some(rest) => {
                let homes = HOME_FOLDERS.map(|homes| format!("{homes}*/{rest}"));
                homes.into_iter().chain([format!("{ROOT_HOME}/{rest}")]).collect()
            }
            None if text.starts_with('/') || text.starts_with("**") => vec![text.to_owned()],
            None => vec![format!("**/{text}")],
        };
        // The text as written is checked, too, so that the error shows it.
        if !text.starts_with('~') {
            PathPattern::new(text)?;
        }
        let other_homes = text.strip_prefix("~/").filter(|rest| !rest.starts_with('*'));
        let doubtful = other_homes.iter().flat_map(|rest| {
            [format!("**/{{home,users}}/**/{rest}"), format!("**{ROOT_HOME}/{rest}")]
                .map(|form| form.to_lowercase())
        });
        let doubtful = doubtful.map(|form| PathPattern::new(&form)).collect::<Result<_, _>>()?;
        let folded = forms.iter().map(|form| PathPattern::new(&form.to_lowercase()));
        Ok(Self { text: text.to_owned(), globs: folded.collect::<Result<_, _>>()?, doubtful })
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the use is of a file that the pattern matches, whatever its access. With `only_itself`, files below a folder
    /// count only if the call shows how their names begin.
    #[must_use]
    pub fn match_use(&self, used: &FileUse, only_itself: bool) -> MatchAnswer {
        let mut answer = MatchAnswer::No;
        for UsedPath { text, outline } in &used.paths {
            if !outline.has_hole && self.globs.iter().any(|glob| glob.matches_normal(text, outline)) {
                if used.is_certain {
                    return MatchAnswer::Yes;
                }
                answer = MatchAnswer::Unclear;
            } else if self.doubtful.iter().any(|glob| glob.matches_normal(text, outline))
                || outline.has_hole
                    && self.globs.iter().any(|glob| glob.could_match(text, outline, used.is_open))
            {
                answer = MatchAnswer::Unclear;
            }
        }
        let mut below = used.reached.iter().filter(|path| path.is_named || !only_itself);
        let mut could_be_below = || below.any(|path| self.globs.iter().any(|glob| path.could_be(glob)));
        if answer == MatchAnswer::No && could_be_below() { MatchAnswer::Unclear } else { answer }
    }
}

impl UsedPath {
    fn new(text: String) -> Self {
        Self { outline: TextOutline::of(&text), text }
    }
}

impl ReachedPath {
    fn could_be(&self, glob: &PathPattern) -> bool {
        glob.could_match(&self.path.text, &self.path.outline, true)
            && !(self.leaves_out_hidden && has_hidden_segment(glob.as_str()))
    }
}

impl FolderReach {
    /// The paths below the folder, directly and deeper.
    fn paths_below(&self, folder: &str) -> impl Iterator<Item = ReachedPath> {
        let leaves_out_hidden = self.leaves_out_hidden && !has_hidden_segment(folder);
        let folder = folder.trim_end_matches('/').to_owned();
        self.names.iter().flat_map(move |name| {
            let paths = [format!("{folder}/{name}"), format!("{folder}/{HOLE}/{name}")];
            let is_named = !name.starts_with(HOLE);
            paths.map(|path| ReachedPath { path: UsedPath::new(path), leaves_out_hidden, is_named })
        })
    }
}

fn has_hidden_segment(path: &str) -> bool {
    path.split('/').any(|segment| segment.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(pattern: &str, written: &str) -> MatchAnswer {
        let folders = ["/srv/shop".to_owned()];
        let used = FileUse::new(written, &folders, PathAccess::Unknown, false);
        ProtectedPath::new(pattern).expect("a pattern").match_use(&used, false)
    }

    #[test]
    fn spellings_of_one_file_match() {
        for (pattern, written) in [
            ("**/.env", ".env"),
            (".env", "a/../.ENV"),
            ("**/.env", "/srv/shop/.env/"),
            ("**/.env", ".env."),
            ("/srv/shop/.env", "./.env"),
            ("~/.aws/**", "~/.aws/credentials"),
            ("~/.aws/**", "/home/ada/.aws/credentials"),
            ("~/.aws/**", "/Users/ada/.aws/credentials"),
            ("~/.aws/**", "/home/ada/.aws"),
            ("~/.aws/**", "~ada/.aws/x"),
            ("~/.aws/**", r"C:\Users\ada\.aws\credentials"),
            ("~/.aws/**", "/mnt/c/Users/ada/.aws/credentials"),
            ("~/.aws/**", "/var/home/ada/.aws/credentials"),
            ("**/.env", "/proc/self/cwd/.env"),
            ("/srv/.env", "/proc/self/cwd/../.env"),
            ("**/.env", "C:.env"),
            ("**/.env", r"C:\work\.env::$DATA"),
            ("**/.env", "file:///srv/shop/.env"),
            ("**/caf\u{e9}", "cafe\u{301}"),
        ] {
            assert_eq!(answer(pattern, written), MatchAnswer::Yes, "{pattern} {written}");
        }
    }

    #[test]
    fn name_longer_than_any_is_no_file() {
        let long = "x".repeat(2000);
        assert!(!may_be_file(&long));
        for text in [
            format!("{long}/../.env"),
            format!("{long}\\..\\.env"),
            format!("*{long}"),
            format!(".en[{}]", "v".repeat(2000)),
            format!(".en{{v,{long}}}"),
            format!(".env{}", ".".repeat(2000)),
            "x".repeat(255),
        ] {
            assert!(may_be_file(&text), "{text}");
        }
    }

    #[test]
    fn mounts_of_the_root_folder_match() {
        for path in [
            "/proc/self{root}/home/ada/.aws/x",
            "/private/var{root}/.aws/x",
            "/proc/1/task/1{root}/home/ada/.aws/x",
        ] {
            let path = path.replace("{root}", ROOT_HOME);
            assert_eq!(answer("~/.aws/**", &path), MatchAnswer::Yes, "{path}");
        }
    }

    #[test]
    fn doubtful_spellings_are_unclear() {
        for (pattern, written) in [
            ("**/.env", "%2eenv"),
            ("**/.env", ".e\u{200b}nv"),
            ("/home/ada/.ssh/**", "~/.ssh/id_rsa"),
            ("**/.env", ".e\u{ffff}"),
            ("~/.aws/**", "/srv/home/corp/ada/.aws/credentials"),
        ] {
            assert_ne!(answer(pattern, written), MatchAnswer::No, "{pattern} {written}");
        }
    }

    #[test]
    fn other_files_do_not_match() {
        for (pattern, written) in [
            ("**/.env", ".envrc"),
            ("**/.env", "src/env.rs"),
            ("~/.aws/**", "/srv/.aws/x"),
            ("/etc/**", "etc/passwd"),
            ("**/.env", "src/\u{ffff}.rs"),
        ] {
            assert_eq!(answer(pattern, written), MatchAnswer::No, "{pattern} {written}");
        }
    }

    #[test]
    fn name_patterns_stay_in_their_folder() {
        let folders = ["/home/ada/shop".to_owned()];
        let is_within = |written: &str, is_open| {
            FileUse::new(written, &folders, PathAccess::Read, is_open).is_within(&folders)
        };
        assert!(is_within("src/\u{ffff}.rs", false) && is_within("src", false));
        assert!(
            !is_within("src/\u{ffff}", true)
                && !is_within("../x", false)
                && !is_within("\u{ffff}/../../x", false)
        );
    }

    #[test]
    fn patterns_for_any_folder_need_none() {
        let used = FileUse::new("src/.env", &[], PathAccess::Read, false);
        let answer = |pattern| ProtectedPath::new(pattern).expect("a pattern").match_use(&used, false);
        assert_eq!(answer("**/.env"), MatchAnswer::Yes);
        assert_eq!(answer("/srv/shop/src/.env"), MatchAnswer::No);
        let above = FileUse::new("../../etc/passwd", &[], PathAccess::Read, false);
        let etc = ProtectedPath::new("/etc/**").expect("a pattern");
        assert_eq!(etc.match_use(&above, false), MatchAnswer::Unclear);
        assert_eq!(answer("**/.envrc"), MatchAnswer::No);
        assert_eq!(used.known_paths().count(), 0);
    }

    #[test]
    fn folders_reach_what_is_below() {
        let folders = ["/srv/shop".to_owned()];
        let reach = |below: FolderReach, pattern: &str| {
            let used = FileUse::new(".", &folders, PathAccess::Read, false).with_below(&below);
            ProtectedPath::new(pattern).expect("a pattern").match_use(&used, false)
        };
        let names = |globs: &[&str]| {
            FolderReach::of_names(&globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(reach(FolderReach::itself(), "**/.env"), MatchAnswer::No);
        assert_eq!(reach(FolderReach::everything(), "**/.env"), MatchAnswer::Unclear);
        assert_eq!(reach(FolderReach::everything().without_hidden(), "**/.env"), MatchAnswer::No);
        assert_eq!(reach(FolderReach::everything().without_hidden(), "**/*.pem"), MatchAnswer::Unclear);
        assert_eq!(reach(FolderReach::everything(), "/etc/**"), MatchAnswer::No);
        assert_eq!(reach(names(&["*.rs"]), "**/.env"), MatchAnswer::No);
        assert_eq!(reach(names(&["*.rs", ".e*"]), "**/.env"), MatchAnswer::Unclear);
        assert_eq!(reach(names(&["*.{rs,pem}"]), "**/*.pem"), MatchAnswer::Unclear);
    }
}

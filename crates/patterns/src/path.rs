//! Path patterns. Paths are compared as text: the file system is not read and links are not followed.

use super::{Glob, MatchAnswer, PatternError, glob::TextOutline, invisible::is_invisible};
use icu_normalizer::ComposingNormalizerBorrowed;

/// Characters that look like a slash, a backslash or a dot.
pub(crate) const LOOK_ALIKES: &[char] = &[
    '\u{2024}', '\u{2025}', '\u{2026}', '\u{2044}', '\u{2215}', '\u{2216}', '\u{2571}', '\u{29f5}',
    '\u{29f8}', '\u{29f9}', '\u{3002}', '\u{fe52}', '\u{fe68}', '\u{ff0e}', '\u{ff0f}', '\u{ff3c}',
    '\u{ff61}',
];

/// Percent-encodings that some programs decode to a dot, a slash, a backslash, a NUL or another `%`.
const ENCODED: &[&str] = &["%2e", "%2f", "%5c", "%00", "%25", "%c0", "%c1", "%u"];

/// Characters with which many tools expand a path to the names of several files.
const EXPANDED: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// The form in which accents are part of their letters (NFC). Some file systems do not distinguish the forms.
pub(crate) fn compose(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// A pattern over normalised paths, such as `/scratch/**`.
#[derive(Debug, Clone)]
pub struct PathPattern {
    glob: Glob,
    start: PatternStart,
    /// The folder above, if the pattern outline in `/**`: a command that names the folder may reach all below.
    folder: Option<Glob>,
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternStart {
    /// In any folder: with `**`.
    Anywhere,
    Root,
    /// In the folder from which relative paths begin.
    Folder,
}

impl PathPattern {
    /// Compiles a pattern. `*` matches within a segment and `**` across segments. A pattern that starts with `**`
    /// matches absolute and relative paths. Any other pattern matches only absolute paths if it is absolute, and only
    /// relative paths if it is relative.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let error = |fault: &str| Err(PatternError::new(text, fault));
        let trimmed = text.strip_prefix('/').unwrap_or(text);
        if text.starts_with(['~', '$']) {
            return error("begins with `~` or `$`, which only a shell expands: write the full path");
        }
        if text != "/" && trimmed.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return error("cannot match a normalised path: remove `.`, `..`, `//` and the trailing `/`");
        }
        let glob = Glob::path(&compose(text))?;
        let folder = glob.as_str().strip_suffix("/**").and_then(|folder| Glob::path(folder).ok());
        let start = match glob.as_str() {
            text if text.starts_with("**") => PatternStart::Anywhere,
            text if text.starts_with('/') => PatternStart::Root,
            _ => PatternStart::Folder,
        };
        Ok(Self { glob, start, folder })
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.glob.as_str()
    }

    /// Matches the normalised path.
    #[must_use]
    pub fn matches(&self, parsed: &ParsedPath) -> MatchAnswer {
        self.match_parsed(parsed, |path, outline| self.glob.is_match_with(path, outline))
    }

    /// Matches the normalised path of a word of a command, which may be the folder of what the pattern names.
    pub(crate) fn matches_word(&self, parsed: &ParsedPath) -> MatchAnswer {
        self.match_parsed(parsed, |path, outline| self.matches_normal(path, outline))
    }

    fn match_parsed(
        &self,
        parsed: &ParsedPath,
        is_match: impl Fn(&str, &TextOutline) -> bool,
    ) -> MatchAnswer {
        let Some((path, outline)) = &parsed.normal else { return MatchAnswer::Unclear };
        let is_comparable = match self.start {
            PatternStart::Anywhere => true,
            PatternStart::Root => path.starts_with('/'),
            PatternStart::Folder => !path.starts_with('/'),
        };
        if is_comparable { MatchAnswer::from_bool(is_match(path, outline)) } else { MatchAnswer::Unclear }
    }

    /// Whether the pattern, or the folder above, is an absolute path in normal form.
    pub(crate) fn matches_normal(&self, path: &str, outline: &TextOutline) -> bool {
        self.forms().any(|glob| glob.is_match_with(path, outline))
    }

    /// Whether the pattern, or the folder above, could match the path for some value of each hole in it. A hole that is not
    /// `is_open` means names in a folder, of which none begins with a dot.
    pub(crate) fn could_match(&self, path: &str, outline: &TextOutline, is_open: bool) -> bool {
        self.forms().any(|glob| glob.could_match_with(path, outline, is_open))
    }

    fn forms(&self) -> impl Iterator<Item = &Glob> {
        std::iter::once(&self.glob).chain(&self.folder)
    }
}

/// A path that is normalised once and then matched against many patterns and zones.
#[derive(Debug, Clone)]
pub struct ParsedPath {
    text: String,
    normal: Option<(String, TextOutline)>,
}

impl ParsedPath {
    /// Parses a path. A path that cannot be normalised, or that a tool may expand to other paths, is unclear to every
    /// pattern and zone.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let path = Self::parse_literal(text);
        if text.contains(EXPANDED) { Self { normal: None, ..path } } else { path }
    }

    /// Parses a path that is certainly not expanded: `[a]` is a file name.
    #[must_use]
    pub fn parse_literal(text: &str) -> Self {
        let normal = normalise(text).map(|normal| compose(&normal));
        let with_outline = |normal: String| {
            let outline = TextOutline::of(&normal);
            (normal, outline)
        };
        Self { text: text.to_owned(), normal: normal.map(with_outline) }
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The normalised path, see [`normalise`].
    #[must_use]
    pub fn normal(&self) -> Option<&str> {
        self.normal.as_ref().map(|(normal, _)| normal.as_str())
    }

    /// Tells whether the path is `root` or lies below it. Unclear if either cannot be normalised, or if only one of
    /// them is absolute.
    #[must_use]
    pub fn is_within(&self, root: &Self) -> MatchAnswer {
        let (Some(root), Some(path)) = (root.normal(), self.normal()) else { return MatchAnswer::Unclear };
        if root.starts_with('/') != path.starts_with('/') {
            return MatchAnswer::Unclear;
        }
        if root == "." || root == "/" {
            return MatchAnswer::Yes;
        }
        MatchAnswer::from_bool(
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        )
    }

    /// A pattern for the path's folder: `/dir/**`. `None` for a path directly under `/`, because the pattern would
    /// match every path.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        let (folder, _) = self.normal()?.rsplit_once('/')?;
        if folder.is_empty() || folder.contains(['*', '?', '[', ']', '{', '}']) {
            return None;
        }
        Some(format!("{folder}/**"))
    }
}

/// Removes `.`, `..`, doubled and trailing slashes. Returns `None` if the path's target is unknown or ambiguous: an
/// empty path, a relative path that leaves its start, `~`, `$`, backticks, backslashes, percent-encoded dots and
/// slashes, drives and schemes, segments that end in a dot or a space, and characters that are invisible or look like a
/// slash or a dot.
#[must_use]
pub fn normalise(path: &str) -> Option<String> {
    if path.is_empty()
        || path.starts_with('~')
        || path.contains(['$', '\\', '`'])
        || has_drive_or_scheme(path)
    {
        return None;
    }
    if path.chars().any(|c| is_invisible(c) || LOOK_ALIKES.contains(&c)) || has_ambiguous_encoding(path) {
        return None;
    }
    let absolute = path.starts_with('/');
    let mut kept = vec![];
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | ".")) {
        match segment {
            ".." if kept.pop().is_some() || absolute => {}
            ".." => return None,
            _ if segment.ends_with(['.', ' ']) => return None,
            _ => kept.push(segment),
        }
    }
    // Removing segments can move a `~` or a scheme to the path's start.
    if !absolute && kept.first().is_some_and(|first| first.starts_with('~') || has_drive_or_scheme(first)) {
        return None;
    }
    Some(match (absolute, kept.is_empty()) {
        (true, _) => format!("/{}", kept.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => kept.join("/"),
    })
}

/// Returns true if the path starts with a drive or a URL scheme.
fn has_drive_or_scheme(path: &str) -> bool {
    let Some((before, after)) = path.split_once(':') else { return false };
    let name = !before.is_empty() && before.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c));
    let scheme = before.eq_ignore_ascii_case("file");
    name && (scheme || before.len() == 1 || after.is_empty() || after.starts_with('/'))
}

/// Returns true if the path contains one of [`ENCODED`].
fn has_ambiguous_encoding(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.contains('%') && ENCODED.iter().any(|encoded| path.contains(encoded))
}

#[cfg(test)]
mod tests {
    //! Tests of normalised paths and path patterns.

    use super::*;

    fn is_within(root: &str, path: &str) -> MatchAnswer {
        ParsedPath::parse(path).is_within(&ParsedPath::parse(root))
    }

    fn suggest(path: &str) -> Option<String> {
        ParsedPath::parse(path).suggest()
    }

    #[test]
    fn path_is_normalised_as_text() {
        for (path, normal) in [
            ("/a/./b//c/", "/a/b/c"),
            ("/a/../b", "/b"),
            ("/../..", "/"),
            ("//a", "/a"),
            ("a/b/..", "a"),
            ("a/..", "."),
            ("./", "."),
            ("/a/.hidden/..b", "/a/.hidden/..b"),
            ("/a/~x/b~", "/a/~x/b~"),
        ] {
            assert_eq!(normalise(path).as_deref(), Some(normal), "{path}");
        }
    }

    #[test]
    fn ambiguous_path_is_not_normalised() {
        for path in [
            "",
            "..",
            "a/../..",
            "~",
            "~root/x",
            "./~/x",
            "$HOME/x",
            "/a\\b",
            "/a/%2e%2E/b",
            "/a%2Fb",
            "/a%252e",
            "/a\0",
            "/a\nb",
            "/a\u{202e}b",
            "/a./b",
            "/a /b",
            "/.../b",
            "C:/x",
            "./C:/x",
            "file:///etc",
            "/a\u{2215}b",
            "`x`",
        ] {
            assert_eq!(normalise(path), None, "{path:?}");
        }
    }

    #[test]
    fn sibling_folder_is_not_within_root() {
        assert_eq!(is_within("/scratch", "/scratch/a"), MatchAnswer::Yes);
        assert_eq!(is_within("/scratch/", "/scratch"), MatchAnswer::Yes);
        assert_eq!(is_within("/scratch", "/scratchy"), MatchAnswer::No);
        assert_eq!(is_within("/scratch", "/scratch/../etc"), MatchAnswer::No);
        assert_eq!(is_within("/scratch", "/Scratch/a"), MatchAnswer::No);
        assert_eq!(is_within("/scratch", "a"), MatchAnswer::Unclear);
        assert_eq!(is_within("a", "/a"), MatchAnswer::Unclear);
        assert_eq!(is_within(".", "a/b"), MatchAnswer::Yes);
        assert_eq!(is_within("/", "/etc"), MatchAnswer::Yes);
    }

    #[test]
    fn absolute_pattern_is_unclear_for_relative_path() {
        let scratch = PathPattern::new("/scratch/**").expect("a pattern");
        assert_eq!(scratch.matches(&ParsedPath::parse("/scratch/a/../b")), MatchAnswer::Yes);
        assert_eq!(scratch.matches(&ParsedPath::parse("/scratch")), MatchAnswer::No);
        assert_eq!(scratch.matches(&ParsedPath::parse("scratch/a")), MatchAnswer::Unclear);
        let secrets = PathPattern::new("**/.env").expect("a pattern");
        assert_eq!(secrets.matches(&ParsedPath::parse(".env")), MatchAnswer::Yes);
        assert_eq!(secrets.matches(&ParsedPath::parse("/a/.env")), MatchAnswer::Yes);
        assert_eq!(secrets.matches(&ParsedPath::parse("/a/x.env")), MatchAnswer::No);
    }

    #[test]
    fn pattern_that_matches_no_path_is_rejected() {
        for pattern in ["/a/../b", "/a//b", "/a/", "./a", "~/x", "$HOME/**", ""] {
            assert!(PathPattern::new(pattern).is_err(), "{pattern}");
        }
        assert!(PathPattern::new("/").is_ok());
    }

    #[test]
    fn suggested_pattern_is_folder_below_root() {
        assert_eq!(suggest("/scratch/a/b").as_deref(), Some("/scratch/a/**"));
        assert_eq!(suggest("src/lib.rs").as_deref(), Some("src/**"));
        assert_eq!(suggest("/etc"), None);
        assert_eq!(suggest("a"), None);
        assert_eq!(suggest("/a/../b"), None);
    }
}

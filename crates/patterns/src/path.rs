//! Paths, as text: no file is looked at, so no link is followed.

use super::{Glob, MatchAnswer, PatternError, unseen::is_unseen};

/// Characters that look like a slash, a backslash or a dot.
const LOOK_ALIKES: &[char] = &[
    '\u{2024}', '\u{2025}', '\u{2026}', '\u{2044}', '\u{2215}', '\u{2216}', '\u{2571}', '\u{29f5}',
    '\u{29f8}', '\u{29f9}', '\u{3002}', '\u{fe52}', '\u{fe68}', '\u{ff0e}', '\u{ff0f}', '\u{ff3c}',
    '\u{ff61}',
];

/// What some readers decode to a dot, a slash, a backslash, a NUL or one more `%`.
const ENCODED: &[&str] = &["%2e", "%2f", "%5c", "%00", "%25", "%c0", "%c1", "%u"];

/// A pattern over normalised paths, such as `/scratch/**`.
#[derive(Debug, Clone)]
pub struct PathPattern {
    glob: Glob,
}

impl PathPattern {
    /// `*` stays within a segment, `**` crosses segments; one that begins with `**` matches relative and
    /// absolute paths alike, every other only those of its own kind.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let bad = |what: &str| Err(PatternError::new(text, what));
        let trimmed = text.strip_prefix('/').unwrap_or(text);
        if text.starts_with(['~', '$']) {
            return bad("begins with what only a shell knows: write the path out");
        }
        if text != "/" && trimmed.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return bad(
                "is never what a path looks like once it is normalised: leave out `.`, `..`, `//` and the last `/`",
            );
        }
        Ok(Self { glob: Glob::path(text)? })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.glob.as_str()
    }

    /// Whether it matches the path, once that is normalised.
    #[must_use]
    pub fn matches(&self, place: &ParsedPath) -> MatchAnswer {
        let Some(path) = place.normal() else { return MatchAnswer::Unclear };
        let anywhere = self.as_str().starts_with("**");
        if !anywhere && self.as_str().starts_with('/') != path.starts_with('/') {
            return MatchAnswer::Unclear;
        }
        MatchAnswer::of(self.glob.is_match(path))
    }
}

/// A path, read once for all the patterns and zones that are asked about it.
#[derive(Debug, Clone)]
pub struct ParsedPath {
    text: String,
    normal: Option<String>,
}

impl ParsedPath {
    /// Reads it; one whose text does not tell where it leads is unclear to every pattern and zone.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { text: text.to_owned(), normal: normalise(text) }
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Without `.`, `..`, doubled and trailing slashes. See [`normalise`].
    #[must_use]
    pub fn normal(&self) -> Option<&str> {
        self.normal.as_deref()
    }

    /// Whether it is the root or lies below it, by its text alone. Unclear if either cannot be normalised, and
    /// if one is relative and the other is not.
    #[must_use]
    pub fn is_within(&self, root: &Self) -> MatchAnswer {
        let (Some(root), Some(path)) = (root.normal(), self.normal()) else { return MatchAnswer::Unclear };
        if root.starts_with('/') != path.starts_with('/') {
            return MatchAnswer::Unclear;
        }
        if root == "." || root == "/" {
            return MatchAnswer::Yes;
        }
        MatchAnswer::of(path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// A pattern for everything in its folder: `/dir/**`. None for what lies directly under `/`, as that would be
    /// everything.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        let (folder, _) = self.normal()?.rsplit_once('/')?;
        if folder.is_empty() || folder.contains(['*', '?', '[', ']', '{', '}']) {
            return None;
        }
        Some(format!("{folder}/**"))
    }
}

/// The path without `.`, `..`, doubled and trailing slashes. `None` if where it leads cannot be known from its
/// text, or may be read in two ways: an empty one, a relative one that climbs out, `~`, `$`, backslashes,
/// percent-encoded dots and slashes, drives and schemes, segments that end in a dot or a space, and characters
/// nobody sees or that look like a slash or a dot.
#[must_use]
pub fn normalise(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('~') || path.contains(['$', '\\', '`']) || is_elsewhere(path) {
        return None;
    }
    if path.chars().any(|c| is_unseen(c) || LOOK_ALIKES.contains(&c)) || is_encoded(path) {
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
    // What stood behind something that went away may begin the path now.
    if !absolute && kept.first().is_some_and(|first| first.starts_with('~') || is_elsewhere(first)) {
        return None;
    }
    Some(match (absolute, kept.is_empty()) {
        (true, _) => format!("/{}", kept.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => kept.join("/"),
    })
}

/// Whether it begins with a drive or a scheme, and so is no path of this machine.
fn is_elsewhere(path: &str) -> bool {
    let Some((before, after)) = path.split_once(':') else { return false };
    let name = !before.is_empty() && before.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c));
    let scheme = before.eq_ignore_ascii_case("file");
    name && (scheme || before.len() == 1 || after.is_empty() || after.starts_with('/'))
}

fn is_encoded(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.contains('%') && ENCODED.iter().any(|encoded| path.contains(encoded))
}

#[cfg(test)]
mod tests {
    //! What a path comes down to.

    use super::*;

    fn is_within(root: &str, path: &str) -> MatchAnswer {
        ParsedPath::read(path).is_within(&ParsedPath::read(root))
    }

    fn suggest(path: &str) -> Option<String> {
        ParsedPath::read(path).suggest()
    }

    #[test]
    fn a_path_is_normalised_by_its_text() {
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
    fn what_cannot_be_known_has_no_normal_form() {
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
    fn a_sibling_is_not_within() {
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
    fn a_pattern_matches_paths_of_its_own_kind() {
        let scratch = PathPattern::new("/scratch/**").expect("a pattern");
        assert_eq!(scratch.matches(&ParsedPath::read("/scratch/a/../b")), MatchAnswer::Yes);
        assert_eq!(scratch.matches(&ParsedPath::read("/scratch")), MatchAnswer::No);
        assert_eq!(scratch.matches(&ParsedPath::read("scratch/a")), MatchAnswer::Unclear);
        let secrets = PathPattern::new("**/.env").expect("a pattern");
        assert_eq!(secrets.matches(&ParsedPath::read(".env")), MatchAnswer::Yes);
        assert_eq!(secrets.matches(&ParsedPath::read("/a/.env")), MatchAnswer::Yes);
        assert_eq!(secrets.matches(&ParsedPath::read("/a/x.env")), MatchAnswer::No);
    }

    #[test]
    fn a_pattern_that_no_path_can_match_is_refused() {
        for pattern in ["/a/../b", "/a//b", "/a/", "./a", "~/x", "$HOME/**", ""] {
            assert!(PathPattern::new(pattern).is_err(), "{pattern}");
        }
        assert!(PathPattern::new("/").is_ok());
    }

    #[test]
    fn a_folder_is_suggested_and_never_everything() {
        assert_eq!(suggest("/scratch/a/b").as_deref(), Some("/scratch/a/**"));
        assert_eq!(suggest("src/lib.rs").as_deref(), Some("src/**"));
        assert_eq!(suggest("/etc"), None);
        assert_eq!(suggest("a"), None);
        assert_eq!(suggest("/a/../b"), None);
    }
}

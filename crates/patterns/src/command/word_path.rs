//! A path in a command line, as rules that restrict match it.

use super::file_access::PathAccess;
use crate::{MatchAnswer, ParsedPath, PathPattern, glob::TextOutline, invisible::HOLE, path};

/// A path in a command line, which is read once and then matched with many patterns.
#[derive(Debug, Clone)]
pub struct WordPath {
    access: PathAccess,
    form: WordPathForm,
}

#[derive(Debug, Clone)]
enum WordPathForm {
    Known(ParsedPath),
    /// A path in the home folder, or with a part that only the shell knows.
    Open {
        /// The path under any home folder.
        below_home: Option<ParsedPath>,
        /// The path, with [`HOLE`] for what is not known.
        normal: String,
        outline: TextOutline,
        is_open: bool,
    },
}

impl WordPath {
    /// Reads a part of a word, with [`HOLE`] for what only the shell knows. Unless it `is_open`, a hole stands for the names in a folder.
    /// `folder` makes a relative path absolute.
    pub(super) fn read(part: &str, is_open: bool, access: PathAccess, folder: Option<&str>) -> Self {
        let text = part.trim_end_matches('/');
        let full = match folder {
            Some(folder) if !text.starts_with(['/', '~', HOLE]) => format!("{folder}/{text}"),
            _ => text.to_owned(),
        };
        let normal = path::normalise(&full).unwrap_or(full);
        if !normal.contains(HOLE) && !normal.starts_with('~') {
            return Self { access, form: WordPathForm::Known(ParsedPath::parse_literal(&normal)) };
        }
        let below_home = normal.strip_prefix("~/").filter(|rest| !rest.contains(HOLE));
        let below_home = below_home.map(|rest| ParsedPath::parse_literal(&format!("/home/{rest}")));
        let normal = match normal.strip_prefix('~') {
            Some(rest) => format!("/{HOLE}{rest}"),
            None => normal,
        };
        let outline = TextOutline::of(&normal);
        let form = WordPathForm::Open { below_home, normal, outline, is_open };
        Self { access, form }
    }

    /// Matches the patterns, for a rule that restricts: one match is enough. No match if the path has another access than
    /// `accesses`, unless its access is unknown.
    #[must_use]
    pub fn match_patterns(&self, patterns: &[PathPattern], accesses: &[PathAccess]) -> MatchAnswer {
        if self.access != PathAccess::Unknown && !accesses.contains(&self.access) {
            return MatchAnswer::No;
        }
        let matches = |pattern: &PathPattern, path| pattern.matches_word(path) == MatchAnswer::Yes;
        match &self.form {
            WordPathForm::Known(path) => {
                MatchAnswer::from_bool(patterns.iter().any(|pattern| matches(pattern, path)))
            }
            WordPathForm::Open { below_home, normal, outline, is_open } => {
                // The home folder is an unknown absolute path, of which a pattern for any folder needs no more than its
                // end.
                let ends = |pattern: &PathPattern, path| {
                    pattern.as_str().starts_with("**/") && matches(pattern, path)
                };
                if let Some(path) = below_home
                    && patterns.iter().any(|pattern| ends(pattern, path))
                {
                    return MatchAnswer::Yes;
                }
                let could_match =
                    patterns.iter().any(|pattern| pattern.could_match(normal, outline, *is_open));
                if could_match { MatchAnswer::Unclear } else { MatchAnswer::No }
            }
        }
    }
}

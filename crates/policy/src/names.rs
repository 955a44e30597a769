//! Globs over the names of tools, threads and principals.

use countersign_patterns::{Glob, PatternError};

/// Globs over names. A name matches if any of them matches.
#[derive(Debug, Clone)]
pub(crate) struct NameGlobs {
    pub(crate) patterns: Vec<String>,
    /// The patterns that are not plain names. Most are plain, and a comparison is cheaper than a match.
    globs: Vec<Glob>,
}

impl NameGlobs {
    pub(crate) fn new(patterns: Vec<String>) -> Result<Self, PatternError> {
        let globs = patterns.iter().filter(|pattern| !is_literal(pattern)).map(|pattern| Glob::name(pattern));
        Ok(Self { globs: globs.collect::<Result<_, _>>()?, patterns })
    }

    pub(crate) fn is_match(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern == name && is_literal(pattern))
            || self.globs.iter().any(|glob| glob.is_match(name))
    }

    /// The patterns that are plain names.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(String::as_str).filter(|pattern| is_literal(pattern))
    }

    /// Returns true if every pattern is a plain name.
    pub(crate) fn is_literal(&self) -> bool {
        self.globs.is_empty()
    }
}

/// Returns true if a glob has no wildcards, so that it matches only itself.
pub(crate) fn is_literal(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{', '\\'])
}

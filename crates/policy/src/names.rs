//! Globs over the names of tools, threads and principals.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs over names, any of which is enough.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) patterns: Vec<String>,
    /// Those of them that are not just a name: most are, and comparing is a good deal quicker.
    globs: GlobSet,
}

impl Names {
    pub(crate) fn new(patterns: Vec<String>) -> Result<Self, globset::Error> {
        let mut globs = GlobSetBuilder::new();
        for pattern in patterns.iter().filter(|pattern| !is_literal(pattern)) {
            globs.add(GlobBuilder::new(pattern).build()?);
        }
        Ok(Self { patterns, globs: globs.build()? })
    }

    pub(crate) fn is_match(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern == name && is_literal(pattern))
            || !self.globs.is_empty() && self.globs.is_match(name)
    }
}

/// Whether a glob matches nothing but itself.
pub(crate) fn is_literal(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{', '\\'])
}

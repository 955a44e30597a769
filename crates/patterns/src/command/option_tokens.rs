//! The options that a `block` pattern names: `git commit*--no-verify*` means the option, and no message that mentions it.

/// The options in a pattern.
#[derive(Debug, Clone, Default)]
pub(super) struct OptionTokens(Vec<OptionToken>);

#[derive(Debug, Clone)]
struct OptionToken {
    text: String,
    /// Whether a star follows directly, so that longer options count too.
    is_open: bool,
}

impl OptionTokens {
    pub(super) fn find_in(pattern: &str) -> Self {
        let mut found = Vec::new();
        // In braces, in sets and after backslashes, the text alone does not name an option.
        if pattern.contains(['{', '[', '\\', '?', '\'']) {
            return Self(found);
        }
        for word in pattern.split(' ') {
            let mut rest = word;
            while !rest.is_empty() {
                let (part, after) =
                    rest.split_once('*').map_or((rest, None), |(part, after)| (part, Some(after)));
                let name = part.split('=').next().unwrap_or_default();
                if name.len() > 1 && name.starts_with('-') {
                    let is_open = name.len() == part.len() && after.is_some();
                    found.push(OptionToken { text: name.to_owned(), is_open });
                }
                rest = after.unwrap_or_default();
            }
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each option is a word.
    pub(super) fn are_in(&self, words: &mut dyn Iterator<Item = &str>) -> bool {
        let words: Vec<&str> = words.collect();
        self.0.iter().all(|token| {
            words.iter().any(|word| {
                word.strip_prefix(token.text.as_str()).is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('=') || token.is_open && !rest.contains(' ')
                })
            })
        })
    }
}

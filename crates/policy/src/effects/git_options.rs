//! The options and operands of a Git command.

use super::word_list::has_word;

/// The options and operands of a Git command.
pub(super) struct GitOptions<'a> {
    options: Vec<&'a str>,
    /// `None` stands for a word of which only the shell knows a part.
    pub(super) operands: Vec<Option<&'a str>>,
}

/// Whether a word is a long option, or an abbreviation of one that Git may accept.
pub(super) fn is_option(word: &str, long: &str) -> bool {
    word.len() > 3 && long.starts_with(word)
}

impl<'a> GitOptions<'a> {
    /// Reads the words, where the short and long options have values.
    pub(super) fn read(words: &[Option<&'a str>], short: &str, long: &str) -> Self {
        let mut found = Self { options: Vec::new(), operands: Vec::new() };
        let mut words = words.iter();
        let mut only_operands = false;
        while let Some(word) = words.next() {
            match word {
                Some("--") => only_operands = true,
                Some(option) if option.starts_with('-') && option.len() > 1 && !only_operands => {
                    let is_bundle = !option.starts_with("--");
                    if has_word(long, option) || is_bundle && option.ends_with(|c| short.contains(c)) {
                        words.next();
                    }
                    found.options.push(option);
                }
                operand => found.operands.push(*operand),
            }
        }
        found
    }

    /// Whether one of the options is there, short ones in a bundle, too.
    pub(super) fn has(&self, short: &str, long: &[&str]) -> bool {
        self.options.iter().any(|option| match option.strip_prefix("--") {
            Some(_) => long.iter().any(|known| is_option(option, known)),
            None => option.contains(|c| short.contains(c)),
        })
    }
}

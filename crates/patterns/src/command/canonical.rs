//! Other spellings of a command for `block` patterns: `git push -f` and `git push origin +main` are also
//! `git push --force`.

use super::{
    line::CommandWord,
    programs::{CommandReading, OptionEntry, OptionForm, OptionUse},
};

/// The maximum number of options that are written in other ways.
const MAX_USES: usize = 40;

/// Spellings of the command in which its options are written long, short, or directly after the subcommand: those with
/// an effect, and all of them.
pub(super) fn write_spellings(words: &[CommandWord], reading: &CommandReading) -> Vec<Vec<String>> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let end = reading.inner.map_or(words.len(), |inner| inner.at);
    let has_other =
        |used: &&OptionUse| used.form != OptionForm::Word && used.option.spellings.len() > 1 && used.at < end;
    let all: Vec<&OptionUse> = reading.uses.iter().filter(has_other).take(MAX_USES).collect();
    let effects: Vec<&OptionUse> = all.iter().copied().filter(|used| used.effect.is_some()).collect();
    let mut found = Vec::new();
    let is_mixed = !effects.is_empty() && effects.len() < all.len();
    for uses in [is_mixed.then_some(effects), Some(all)].into_iter().flatten().filter(|uses| !uses.is_empty())
    {
        SpellingWriter { words: &texts, uses: &uses, after: reading.subcommand_end }.write(&mut found);
    }
    found
}

struct SpellingWriter<'a> {
    words: &'a [&'a str],
    uses: &'a [&'a OptionUse],
    /// The index after the subcommand.
    after: usize,
}

impl SpellingWriter<'_> {
    fn write(&self, found: &mut Vec<Vec<String>>) {
        let long = |used: &OptionUse| long_spelling(used.option, used.spelling).to_owned();
        found.extend([
            self.write_words(&long, None),
            self.write_words(&long, Some(self.after)),
            self.write_words(&short_spelling, None),
            self.write_words(&short_spelling, Some(self.after)),
        ]);
        let letters: Vec<String> =
            self.uses.iter().map(|used| short_spelling(used)).filter(|text| text.len() == 2).collect();
        if letters.len() > 1 && self.uses.iter().all(|used| !used.option.takes_value()) {
            let reversed: Vec<_> = letters.iter().rev().cloned().collect();
            for letters in [letters, reversed] {
                let bundle = letters.iter().map(|letter| &letter[1..]).collect::<String>();
                let mut words = self.write_words(&|_| String::new(), Some(self.after));
                words.retain(|word| !word.is_empty());
                words.insert(self.after.min(words.len()), format!("-{bundle}"));
                found.push(words);
            }
        }
        found.dedup();
    }

    /// Writes the command with other spellings of the options, in place or before the word `hoisted`.
    fn write_words(&self, spelling: &dyn Fn(&OptionUse) -> String, hoisted: Option<usize>) -> Vec<String> {
        let mut written: Vec<String> = Vec::with_capacity(self.words.len() + self.uses.len());
        let mut options: Vec<String> = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let here: Vec<_> = self.uses.iter().copied().filter(|used| used.at == at).collect();
            let target = if hoisted.is_some() { &mut options } else { &mut written };
            target.extend(here.iter().map(|used| write_option(used, spelling(used))));
            written.extend(remove_options(word, &here));
        }
        if let Some(hoisted) = hoisted {
            let at = hoisted.min(written.len());
            written.splice(at..at, options);
        }
        written
    }
}

/// The option's short spelling if it has one, otherwise the long one.
fn short_spelling(used: &OptionUse) -> String {
    let long = long_spelling(used.option, used.spelling);
    let letter = used.option.spellings.iter().enumerate().find(|(at, text)| {
        text.len() == 2 && text.starts_with('-') && long_spelling(used.option, *at) == long
    });
    letter.map_or(long, |(_, text)| text).to_owned()
}

/// The long spelling of a spelling: the next long one, or else the one before it.
fn long_spelling(option: &OptionEntry, spelling: usize) -> &str {
    let is_long = |text: &&String| text.starts_with("--") && !text.ends_with('*');
    let (before, after) = option.spellings.split_at(spelling);
    let found = after.iter().find(is_long).or_else(|| before.iter().rev().find(is_long));
    found.map_or(option.spellings[spelling].as_str(), String::as_str)
}

/// Adds the value that is in the same word.
fn write_option(used: &OptionUse, name: String) -> String {
    match &used.form {
        OptionForm::Long(Some(value)) | OptionForm::Short(_, value)
            if !value.is_empty() && !name.is_empty() =>
        {
            if name.starts_with("--") {
                format!("{name}={value}")
            } else {
                name + value
            }
        }
        _ => name,
    }
}

/// The word without its options.
fn remove_options(word: &str, here: &[&OptionUse]) -> Option<String> {
    let mut rest = word.to_owned();
    for used in here {
        match &used.form {
            OptionForm::Long(_) => return None,
            OptionForm::Short(letter, value) => {
                rest.truncate(rest.len().saturating_sub(value.len()));
                if let Some(at) = rest.find(*letter) {
                    rest.remove(at);
                }
            }
            OptionForm::Prefix(after) => after.clone_into(&mut rest),
            OptionForm::Word => {}
        }
    }
    (here.is_empty() || !matches!(rest.as_str(), "" | "-")).then_some(rest)
}

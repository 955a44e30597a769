//! Other spellings of a command for `block` patterns: `git push -f` and `git push origin +main` are also
//! `git push --force`.

use super::{
    table::{EffectOption, EffectTable},
    uses::{OptionForm, OptionUse, find_subcommand, find_uses},
};

/// Spellings of the command in which the options of the table are written long, short, or directly after the
/// subcommand.
pub(super) fn write_spellings(words: &[&str]) -> Vec<Vec<String>> {
    let mut uses = find_uses(words);
    uses.retain(|used| used.form != OptionForm::Word && used.option.spellings.len() > 1);
    // A program that another one runs is a command of its own.
    let is_inner = words.first().is_some_and(|first| EffectTable::shared().is_runner(first));
    if uses.is_empty() || is_inner {
        return Vec::new();
    }
    let after = find_subcommand(words).filter(|_| has_subcommands(words)).map_or(1, |at| at + 1);
    let long = |used: &OptionUse<'_>| long_spelling(used.option, used.spelling).to_owned();
    let short = |used: &OptionUse<'_>| {
        let long = long_spelling(used.option, used.spelling);
        let letter = used.option.spellings.iter().enumerate().find(|(at, text)| {
            text.len() == 2 && text.starts_with('-') && long_spelling(used.option, *at) == long
        });
        letter.map_or(long, |(_, text)| text).to_owned()
    };
    let mut found = vec![
        write_words(words, &uses, &long, None),
        write_words(words, &uses, &long, Some(after)),
        write_words(words, &uses, &short, None),
        write_words(words, &uses, &short, Some(after)),
    ];
    let letters: Vec<String> = uses.iter().map(short).filter(|text| text.len() == 2).collect();
    if letters.len() > 1 && uses.iter().all(|used| !used.option.value) {
        let reversed: Vec<_> = letters.iter().rev().cloned().collect();
        for letters in [letters, reversed] {
            let bundle = letters.iter().map(|letter| &letter[1..]).collect::<String>();
            let mut words = write_words(words, &uses, &|_| String::new(), Some(after));
            words.retain(|word| !word.is_empty());
            words.insert(after.min(words.len()), format!("-{bundle}"));
            found.push(words);
        }
    }
    found.dedup();
    found
}

/// True if the table knows subcommands of the program.
fn has_subcommands(words: &[&str]) -> bool {
    words.first().is_some_and(|first| {
        EffectTable::shared()
            .find_program(first)
            .any(|program| !program.subcommands.is_empty() || !program.except.is_empty())
    })
}

/// The long spelling of a spelling: the next long one, or else the one before it.
fn long_spelling(option: &EffectOption, spelling: usize) -> &str {
    let is_long = |text: &&String| text.starts_with("--") && !text.ends_with('*');
    let (before, after) = option.spellings.split_at(spelling);
    let found = after.iter().find(is_long).or_else(|| before.iter().rev().find(is_long));
    found.map_or(option.spellings[spelling].as_str(), String::as_str)
}

/// Writes the command with other spellings of the options, in place or before the word `hoisted`.
fn write_words(
    words: &[&str],
    uses: &[OptionUse<'_>],
    spelling: &dyn Fn(&OptionUse<'_>) -> String,
    hoisted: Option<usize>,
) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len() + uses.len());
    let mut options: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let here: Vec<_> = uses.iter().filter(|used| used.at == at).collect();
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

/// Adds the value that is in the same word.
fn write_option(used: &OptionUse<'_>, name: String) -> String {
    match used.form {
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

/// The rest of a word without the options in it.
fn remove_options(word: &str, here: &[&OptionUse<'_>]) -> Option<String> {
    let mut rest = word.to_owned();
    for used in here {
        match used.form {
            OptionForm::Long(_) => return None,
            OptionForm::Short(letter, value) => {
                rest.truncate(rest.len() - value.len());
                if let Some(at) = rest.find(letter) {
                    rest.remove(at);
                }
            }
            OptionForm::Prefix(after) => after.clone_into(&mut rest),
            OptionForm::Word => {}
        }
    }
    (here.is_empty() || !matches!(rest.as_str(), "" | "-")).then_some(rest)
}

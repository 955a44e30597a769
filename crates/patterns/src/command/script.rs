//! A command line, parsed once to be matched often.

use brush_parser::{
    ParserOptions, Token, TokenizerOptions, ast::Program, parse_tokens, uncached_tokenize_str,
};

use super::{read::Reading, word::Word};
use crate::unseen::{HOLE, is_unseen};
use std::panic::catch_unwind;

/// Longer texts are not read.
const LONGEST: usize = 64 * 1024;
/// How often command lines may stand within command lines.
pub(super) const DEEPEST: usize = 12;
/// Expansions and parentheses, keywords and commands that the parser is trusted with, whose stack grows with them.
const MOST_OPENED: usize = 200;
/// The parser tries some nested parentheses and cases twice on each level; this many levels are no burden.
const MOST_DOUBLED: usize = 10;
/// Digits of the number by which a file is opened.
const MOST_DIGITS: usize = 9;
/// Letters that are looked at in all, those of command lines within others once more each time.
const MOST_READ: usize = 8 * LONGEST;
/// Words among which the options of a program are looked for. Behind more of them may be anything.
const MOST_OPTIONS: usize = 24;
/// What a command costs besides its letters.
const COMMAND: usize = 64;

/// A command line and the simple commands that running it would run.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(super) text: String,
    pub(super) simple: Vec<Simple>,
    /// Something in it could not be read.
    pub(super) unreadable: bool,
    /// It holds characters that nobody sees.
    pub(super) unseen: bool,
    /// It does something that no pattern over simple commands shows, such as defining a function.
    pub(super) unshown: bool,
    pub(super) input: Input,
    read: usize,
}

/// Who gets what in a command line that nobody says beside them.
#[derive(Debug, Clone, Default)]
pub(super) struct Input {
    /// Some command in it gets what another writes, or a text.
    pub(super) feeds: bool,
    /// Some shell in it reads commands from where nobody says by its side.
    pub(super) listens: bool,
}

/// One simple command.
#[derive(Debug, Clone, Default)]
pub(super) struct Simple {
    /// Its words as a person reads them, those with spaces in quotes.
    pub(super) shown: String,
    /// All that a pattern may mean when it speaks of this command: without quotes, as written, without the
    /// folder of its program.
    pub(super) spellings: Vec<String>,
    /// The same with holes, if it has any.
    pub(super) open: Vec<String>,
    /// What it may be for all that is known of its options.
    pub(super) bare: Vec<String>,
    /// What it reads its input from, as in `< file`.
    pub(super) input: Option<String>,
    /// Whether its words are known to the last letter.
    pub(super) literal: bool,
    /// Whether its program is.
    pub(super) is_named: bool,
    /// Whether it writes, sets or is fed what no pattern shows.
    pub(super) unshown: bool,
    pub(super) origin: Origin,
    pub(super) words: Vec<Word>,
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Origin {
    /// It is written as a command.
    #[default]
    Written,
    /// It is handed to a command that runs it, such as `sudo`.
    Handed,
    /// It is one of the ways to read what is handed to one.
    Supposed,
}

impl Script {
    /// Parses a command line. Never fails: what cannot be read matches no `allow` and every `ask`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let unseen = text.chars().any(|c| is_unseen(c) && c != '\n' && c != '\t') || text.contains("\\\n");
        let mut script = Self { text: text.to_owned(), unseen, ..Self::default() };
        script.read(text, 0, Origin::Written);
        // What is fed to a group, a loop or a descriptor reaches the shells in it, by whatever way.
        script.unreadable |= script.input.feeds && script.input.listens;
        script
    }

    /// Its simple commands as a person reads them, those within others and those handed to others too.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.simple
            .iter()
            .filter(|command| command.origin != Origin::Supposed)
            .map(|command| command.shown.as_str())
    }

    /// A pattern that this command line matches and a person may agree to for the next ones of its kind, such as
    /// `git status **`. None unless it is one plain command, and for programs whose arguments say what is run.
    #[must_use]
    pub fn suggest(&self) -> Option<String> {
        super::suggest::suggest(self)
    }

    /// Reads a command line that stands this deep within others.
    pub(super) fn read(&mut self, text: &str, depth: usize, origin: Origin) {
        let can_read = depth < DEEPEST && self.can_read(text.len());
        // A fault in the parser is a command line that cannot be read, and not the end of whoever judges it.
        let program = catch_unwind(|| can_read.then(|| parse(text)).flatten());
        match program.ok().flatten() {
            Some(program) => Reading { script: self, depth, origin }.program(&program),
            None => self.unreadable = true,
        }
    }

    /// Whether there is room for a command of these words.
    pub(super) fn has_room(&mut self, words: &[Word]) -> bool {
        let letters: usize = words.iter().map(|word| word.raw.len() + 1).sum();
        let room = self.can_read(COMMAND + letters);
        self.unreadable |= !room;
        room
    }

    /// Keeps a command.
    pub(super) fn push(&mut self, mut command: Simple) {
        command.spell();
        self.simple.push(command);
    }

    fn can_read(&mut self, letters: usize) -> bool {
        self.read = self.read.saturating_add(letters);
        self.read <= MOST_READ
    }
}

impl Simple {
    /// Its program, if it has one that is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.words
            .first()
            .filter(|word| self.is_named && !word.text.is_empty())
            .map(|word| word.text.as_str())
    }

    fn spell(&mut self) {
        let join = |text: fn(&Word) -> String| self.words.iter().map(text).collect::<Vec<_>>().join(" ");
        let text = join(|word| word.text.clone());
        self.shown = join(Word::shown);
        let raw = join(|word| word.raw.clone());
        // Nobody sees from its look that a word of other letters is another program.
        let plain =
            |word: &Word| word.literal && word.text.is_ascii() && !word.text.contains([' ', '\t', '\n', '!']);
        self.is_named = self.words.first().is_none_or(plain);
        let one_line = |word: &Word| word.literal && !word.text.chars().any(char::is_control);
        self.literal = self.is_named && self.words.iter().all(one_line);
        for spelling in [&text, &self.shown, &raw] {
            keep(&mut self.spellings, spelling.clone());
        }
        if let Some(after) = self.words.first().and_then(|word| word.text.rfind('/')) {
            keep(&mut self.spellings, text[after + 1..].to_owned());
        }
        if text.contains(HOLE) {
            self.open = self.spellings.iter().filter(|spelling| spelling.contains(HOLE)).cloned().collect();
        }
        self.bare = self.without_options();
    }

    /// The command without the options before its first argument, as `git -C x push` is a `git push`. Nobody here
    /// knows which of them take a value, so it is one or the other.
    fn without_options(&self) -> Vec<String> {
        let Some((program, arguments)) = self.words.split_first() else { return Vec::new() };
        let program = program.text.rsplit('/').next().unwrap_or_default();
        let mut begins = vec![false; arguments.len() + 2];
        begins[0] = true;
        let mut found = Vec::new();
        for (at, word) in arguments.iter().enumerate() {
            if !begins[at] {
                continue;
            }
            if at >= MOST_OPTIONS {
                found.push(format!("{program} {HOLE}"));
                break;
            }
            if word.text.starts_with('-') {
                begins[at + 1] = true;
                begins[at + 2] = true;
            } else if at > 0 {
                let rest = arguments[at..].iter().map(|word| word.text.as_str());
                found.push(std::iter::once(program).chain(rest).collect::<Vec<_>>().join(" "));
            }
        }
        found
    }
}

fn keep(spellings: &mut Vec<String>, spelling: String) {
    if !spellings.contains(&spelling) {
        spellings.push(spelling);
    }
}

/// The parsed program, unless it is one that the parser should not be given.
fn parse(text: &str) -> Option<Program> {
    let opened = text.matches(['`']).count()
        + ["$(", "${", "$[", "<(", ">("].iter().map(|open| text.matches(open).count()).sum::<usize>();
    if text.len() > LONGEST || opened > MOST_OPENED || text.contains('\0') {
        return None;
    }
    // As bash has it when it is handed a script.
    let options = TokenizerOptions { enable_extended_globbing: false, ..TokenizerOptions::default() };
    let tokens = uncached_tokenize_str(text, &options).ok()?;
    if !is_bearable(&tokens) {
        return None;
    }
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    parse_tokens(&tokens, &options).ok()
}

/// Whether the parser is quick about it, and its stack stays small.
fn is_bearable(tokens: &[Token]) -> bool {
    const OPENERS: &[&str] =
        &["if", "while", "until", "for", "case", "select", "function", "coproc", "time", "!", "{", "[["];
    let (mut open, mut doubled, mut deepest, mut cases) = (0, 0_usize, 0, 0);
    for token in tokens {
        match token {
            Token::Operator(operator, _) if operator.starts_with('(') => {
                open += 1;
                doubled += 1;
                deepest = deepest.max(doubled);
            }
            Token::Operator(operator, _) if operator.starts_with(')') => doubled = doubled.saturating_sub(1),
            Token::Operator(..) => {}
            Token::Word(word, _) => {
                open += usize::from(OPENERS.contains(&word.as_str()));
                cases += usize::from(word == "case");
            }
        }
    }
    open <= MOST_OPENED && deepest + cases <= MOST_DOUBLED && tokens.windows(2).all(can_be_opened)
}

/// Whether what is opened is a number that the parser can hold, as in `2>x`, if it is a number: at `2147483648>x` it
/// falls over.
fn can_be_opened(pair: &[Token]) -> bool {
    let [Token::Word(word, number), Token::Operator(operator, redirection)] = pair else { return true };
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = operator.starts_with(['<', '>']) && number.end.index == redirection.start.index;
    !(is_number && is_one) || (1..=MOST_DIGITS).contains(&word.len())
}

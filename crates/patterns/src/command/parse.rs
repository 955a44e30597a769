//! The limits within which the shell parser is trusted with a command line.

use brush_parser::{
    ParserOptions, Token, TokenizerOptions, ast::Program, parse_tokens, uncached_tokenize_str,
};

/// Longer texts are not read.
pub(super) const LONGEST_COMMAND_LINE: usize = 64 * 1024;
/// Expansions and parentheses, keywords and commands that the parser is trusted with, whose stack grows with them.
const MOST_OPENED: usize = 200;
/// The parser tries some nested parentheses and cases twice on each level; this many levels are no burden.
const MOST_DOUBLED: usize = 10;
/// Digits of the number by which a file is opened.
const MOST_DIGITS: usize = 9;

/// The parsed program, unless it is one that the parser should not be given.
pub(super) fn parse(text: &str) -> Option<Program> {
    let opened = text.matches(['`']).count()
        + ["$(", "${", "$[", "<(", ">("].iter().map(|open| text.matches(open).count()).sum::<usize>();
    if text.len() > LONGEST_COMMAND_LINE || opened > MOST_OPENED || text.contains('\0') {
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

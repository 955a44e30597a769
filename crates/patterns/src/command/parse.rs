//! Calls the shell parser, and rejects input that would exhaust its time or its stack.

use brush_parser::{
    ParserOptions, Token, TokenizerOptions, ast::Program, parse_tokens, uncached_tokenize_str,
};

/// The maximum length of a command line that is parsed, in bytes.
pub(super) const MAX_COMMAND_LINE_BYTES: usize = 64 * 1024;
/// The maximum number of expansions, and of parentheses and keywords. The parser's stack grows with each.
const MAX_OPENERS: usize = 200;
/// The maximum nesting of parentheses plus the number of `case` keywords. The parser tries both twice per level, so
/// its time grows exponentially.
const MAX_BACKTRACKING_DEPTH: usize = 10;
/// The maximum number of digits in a file descriptor.
const MAX_DESCRIPTOR_DIGITS: usize = 9;

/// Parses a program. Returns `None` for a syntax error and for input beyond the limits.
pub(super) fn parse(text: &str) -> Option<Program> {
    let opened = text.matches(['`']).count()
        + ["$(", "${", "$[", "<(", ">("].iter().map(|open| text.matches(open).count()).sum::<usize>();
    if text.len() > MAX_COMMAND_LINE_BYTES || opened > MAX_OPENERS || text.contains('\0') {
        return None;
    }
    // Extended globbing is off by default when bash runs a script.
    let options = TokenizerOptions { enable_extended_globbing: false, ..TokenizerOptions::default() };
    let tokens = uncached_tokenize_str(text, &options).ok()?;
    if !is_within_limits(&tokens) {
        return None;
    }
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    parse_tokens(&tokens, &options).ok()
}

/// True if the parser needs little time and stack for these tokens.
fn is_within_limits(tokens: &[Token]) -> bool {
    const OPENERS: &[&str] =
        &["if", "while", "until", "for", "case", "select", "function", "coproc", "time", "!", "{", "[["];
    let (mut open, mut depth, mut max_depth, mut cases) = (0, 0_usize, 0, 0);
    for token in tokens {
        match token {
            Token::Operator(operator, _) if operator.starts_with('(') => {
                open += 1;
                depth += 1;
                max_depth = max_depth.max(depth);
            }
            Token::Operator(operator, _) if operator.starts_with(')') => depth = depth.saturating_sub(1),
            Token::Operator(..) => {}
            Token::Word(word, _) => {
                open += usize::from(OPENERS.contains(&word.as_str()));
                cases += usize::from(word == "case");
            }
        }
    }
    open <= MAX_OPENERS
        && max_depth + cases <= MAX_BACKTRACKING_DEPTH
        && tokens.windows(2).all(has_valid_descriptor)
}

/// False if the pair is a redirection whose file descriptor is too large, as in `2147483648>x`: the parser panics.
fn has_valid_descriptor(pair: &[Token]) -> bool {
    let [Token::Word(word, number), Token::Operator(operator, redirection)] = pair else { return true };
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_redirection = operator.starts_with(['<', '>']) && number.end.index == redirection.start.index;
    !(is_number && is_redirection) || (1..=MAX_DESCRIPTOR_DIGITS).contains(&word.len())
}

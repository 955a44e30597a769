//! The bound on numbers from callers. JSON has none, but each database that stores a log has one.

use super::{
    bad_json::{BadJson, MAX_NUMBER_DIGITS, MAX_NUMBER_EXPONENT},
    tokens::JsonTokens,
};

/// Checks every number of `text`, which must be valid JSON (RFC 8259).
pub(super) fn check_numbers(text: &str) -> Result<(), BadJson> {
    let is_number = |token: &str| token.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    JsonTokens::new(text).filter(|(_, token)| is_number(token)).try_for_each(|(at, token)| check(token, at))
}

/// Counts the digits as they are written, because a database reads the leading and trailing zeros too.
fn check(number: &str, at: usize) -> Result<(), BadJson> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if digits > MAX_NUMBER_DIGITS {
        return Err(BadJson::TooManyDigits { at, digits });
    }
    let size = exponent.trim_start_matches(['+', '-']).parse::<u32>();
    if size.is_ok_and(|size| size <= MAX_NUMBER_EXPONENT) {
        Ok(())
    } else {
        Err(BadJson::ExponentTooLarge { at })
    }
}

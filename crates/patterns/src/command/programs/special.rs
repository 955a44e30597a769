//! Operands that have an effect because of their form or position.

use super::scripts::{has_awk_effect, has_sed_effect};
use crate::invisible::HOLE;

/// The text after a listed prefix such as `of=`, `ext::` or `/*`, if the operand starts with it.
pub(super) fn operand_prefix<'a>(listed: &str, text: &'a str) -> Option<&'a str> {
    if let Some(begin) = listed.strip_suffix('*') {
        return text.strip_prefix(begin);
    }
    let is_prefix = listed.ends_with(['=', ':', '+', '@']) && !listed.starts_with('<');
    text.strip_prefix(listed).filter(|rest| is_prefix && !rest.is_empty())
}

/// Whether the operand is of the listed kind. `operands` includes it; `script_given` says that an option has given the
/// filter script.
pub(super) fn is_special_operand(kind: &str, text: &str, operands: usize, script_given: bool) -> bool {
    match kind {
        "<operand>" => true,
        "<second operand>" => operands > 1,
        "<number>" => text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'),
        "<assignment>" => text.contains('='),
        "<awk program>" => has_awk_effect(text),
        "<sed script>" => operands == 1 && !script_given && has_sed_effect(text),
        // `%n` sets a variable in some shells, and an index may contain a substitution.
        "<printf format>" => {
            operands == 1 && has_variable_format(text) || text.contains('[') && text.contains(['$', '`'])
        }
        // These commands compute numbers, and the index in a number may contain a substitution.
        "<index>" => text.len() > 1 && text.contains('[') || text.contains(HOLE),
        "<psql command>" => text.contains(['\\', '|', '`']),
        "<sqlite command>" => text.contains(['.', '|', '(']),
        _ => false,
    }
}

/// Whether a format of `printf` contains a conversion that does not only print.
fn has_variable_format(format: &str) -> bool {
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        while rest.next_if(|c| c.is_ascii_digit() || "#-+ 0.*'lhLqjzt".contains(*c)).is_some() {}
        // `%(…)T` prints a time.
        if rest.next_if_eq(&'(').is_some() {
            for c in rest.by_ref() {
                if c == ')' {
                    break;
                }
            }
        }
        if !rest.next().is_none_or(|c| "%diouxXeEfFgGaAcsbqQT".contains(c)) {
            return true;
        }
    }
    format.contains(HOLE)
}

/// Whether the word sets a variable.
pub(super) fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name).unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

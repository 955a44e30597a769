//! Numbers by their exact decimal value, laid out as ECMAScript lays them out.

use std::iter::repeat_n;

/// Appends the canonical form of a JSON number. The value is never rounded; the layout is that of
/// ECMAScript's `Number::toString` (ECMA-262, 6.1.6.1.20), so whatever RFC 8785 itself would print
/// prints alike here. `None` if the exponent cannot be held.
pub(super) fn canonical(number: &str, out: &mut String) -> Option<()> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let joined = [whole, fraction].concat();
    let leading = joined.trim_start_matches('0');
    let digits = leading.trim_end_matches('0');
    if digits.is_empty() {
        out.push('0');
        return Some(());
    }
    if negative {
        out.push('-');
    }
    // The value is 0.DIGITS times ten to the power of `point`.
    let shift = i64::try_from(leading.len()).ok()? - i64::try_from(fraction.len()).ok()?;
    let point = exponent.parse::<i32>().ok()?.checked_add(i32::try_from(shift).ok()?)?;
    lay_out(digits, point, out);
    Some(())
}

fn lay_out(digits: &str, point: i32, out: &mut String) {
    let after = usize::try_from(point).unwrap_or(0);
    match point {
        1..=21 if digits.len() <= after => {
            out.push_str(digits);
            out.extend(repeat_n('0', after - digits.len()));
        }
        1..=21 => {
            out.push_str(&digits[..after]);
            out.push('.');
            out.push_str(&digits[after..]);
        }
        -5..=0 => {
            out.push_str("0.");
            out.extend(repeat_n('0', usize::try_from(-point).unwrap_or(0)));
            out.push_str(digits);
        }
        _ => {
            out.push_str(&digits[..1]);
            if digits.len() > 1 {
                out.push('.');
                out.push_str(&digits[1..]);
            }
            let exponent = i64::from(point) - 1;
            out.extend(['e', if exponent < 0 { '-' } else { '+' }]);
            out.push_str(&exponent.unsigned_abs().to_string());
        }
    }
}

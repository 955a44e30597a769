//! Numbers and the escapes of strings.

use crate::value::CelValue;

/// Reads a number such as `7`, `0x1f`, `7u` or `1.5e3`.
pub(crate) fn read_number(text: &str, is_negative: bool) -> Result<CelValue, &'static str> {
    let too_large = "the number is too large";
    let unsigned = text.strip_suffix(['u', 'U']);
    let digits = unsigned.unwrap_or(text);
    let whole = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16).map_err(|_| too_large)?,
        None if digits.contains(['.', 'e', 'E']) => {
            if unsigned.is_some() {
                return Err("only whole numbers can be unsigned");
            }
            let number: f64 = digits.parse().map_err(|_| "the number is invalid")?;
            let number = Some(number).filter(|number| number.is_finite()).ok_or(too_large)?;
            return Ok(CelValue::Double(if is_negative { -number } else { number }));
        }
        None => digits.parse().map_err(|_| too_large)?,
    };
    if unsigned.is_some() {
        return match u64::try_from(whole) {
            Ok(_) if is_negative => Err("an unsigned number has no sign"),
            Ok(number) => Ok(CelValue::Uint(number)),
            Err(_) => Err(too_large),
        };
    }
    let signed = i128::try_from(whole).map_err(|_| too_large)?;
    let signed = if is_negative { -signed } else { signed };
    i64::try_from(signed).map(CelValue::Int).map_err(|_| too_large)
}

/// Reads string content.
pub(crate) fn read_text(content: &str, is_raw: bool) -> Result<CelValue, &'static str> {
    let mut text = String::with_capacity(content.len());
    read_escapes(content, is_raw, |code, _| {
        text.push(char::from_u32(code).ok_or("the escape is not a character")?);
        Ok(())
    })?;
    Ok(CelValue::Text(text.into()))
}

/// Reads byte-string content. A number such as `\xff` is a byte there, and other characters are UTF-8.
pub(crate) fn read_bytes(content: &str, is_raw: bool) -> Result<CelValue, &'static str> {
    let mut bytes = Vec::with_capacity(content.len());
    read_escapes(content, is_raw, |code, kind| {
        match (u8::try_from(code), char::from_u32(code), kind) {
            (Ok(byte), _, EscapeKind::Byte) => bytes.push(byte),
            (_, Some(plain), EscapeKind::Plain) => {
                bytes.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err("a byte string has no escapes of characters"),
        }
        Ok(())
    })?;
    Ok(CelValue::Bytes(bytes.into()))
}

/// How a character is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeKind {
    /// As itself, or as a letter after a backslash.
    Plain,
    /// With two hexadecimal or three octal digits.
    Byte,
    /// With four or eight hexadecimal digits.
    Character,
}

/// Passes on each character of a string. Line ends become `\n`.
fn read_escapes(
    content: &str,
    is_raw: bool,
    mut push: impl FnMut(u32, EscapeKind) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    let mut rest = content.as_str();
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first != '\\' || is_raw {
            push(u32::from(first), EscapeKind::Plain)?;
            continue;
        }
        let (code, kind, length) = read_escape(rest)?;
        push(code, kind)?;
        rest = &rest[length..];
    }
    Ok(())
}

/// Reads an escape after its backslash: the character, how it is written, and the escape's byte length.
fn read_escape(text: &str) -> Result<(u32, EscapeKind, usize), &'static str> {
    let digits = |from: usize, to: usize, radix: u32| {
        let digits = text.get(from..to).filter(|digits| digits.chars().all(|c| c.is_digit(radix)));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, radix).ok());
        code.map(|code| (code, to)).ok_or("the escape has too few digits")
    };
    let (numbered, kind) = match text.bytes().next() {
        Some(b'x' | b'X') => (digits(1, 3, 16), EscapeKind::Byte),
        Some(b'0'..=b'3') => (digits(0, 3, 8), EscapeKind::Byte),
        Some(b'u') => (digits(1, 5, 16), EscapeKind::Character),
        Some(b'U') => (digits(1, 9, 16), EscapeKind::Character),
        letter => {
            let code = match letter {
                Some(b'a') => 0x07,
                Some(b'b') => 0x08,
                Some(b'f') => 0x0c,
                Some(b'n') => 0x0a,
                Some(b'r') => 0x0d,
                Some(b't') => 0x09,
                Some(b'v') => 0x0b,
                Some(same @ (b'\\' | b'\'' | b'"' | b'`' | b'?')) => u32::from(same),
                _ => return Err("the string has an unknown escape; write \\\\ for a backslash"),
            };
            (Ok((code, 1)), EscapeKind::Plain)
        }
    };
    numbered.map(|(code, length)| (code, kind, length))
}

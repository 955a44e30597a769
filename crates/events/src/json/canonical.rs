//! RFC 8785 (JSON Canonicalization Scheme), applied token by token: a number is never converted to a double, and a
//! repeated key is detected before a map could drop it.

use super::{bad_json::BadJson, decimal::ExactDecimal, tokens::JsonTokens};
use std::{borrow::Cow, fmt::Write as _};

/// Writes the canonical form of `text`, which must be valid JSON (RFC 8259).
pub(super) fn canonicalize(text: &str) -> Result<String, BadJson> {
    let mut out = String::with_capacity(text.len());
    write_value(&mut JsonTokens::new(text), &mut out)?;
    Ok(out)
}

fn write_value(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    match tokens.peek() {
        b'{' => tokens.nested(|tokens| write_object(tokens, out)).ok_or(BadJson::TooDeep)?,
        b'[' => tokens.nested(|tokens| write_array(tokens, out)).ok_or(BadJson::TooDeep)?,
        b'"' => read_string(tokens).map(|text| write_string(&text, out)),
        b'-' | b'0'..=b'9' => {
            let at = tokens.at();
            let number = ExactDecimal::parse(tokens.scalar()).ok_or(BadJson::ExponentTooLarge { at })?;
            // Writing to a String never fails.
            let _ = write!(out, "{number}");
            Ok(())
        }
        _ => {
            out.push_str(tokens.scalar());
            Ok(())
        }
    }
}

fn write_array(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    out.push('[');
    while !tokens.eat(b']') {
        if tokens.eat(b',') {
            out.push(',');
        }
        write_value(tokens, out)?;
    }
    out.push(']');
    Ok(())
}

fn write_object(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    let mut members: Vec<CanonicalMember<'_>> = Vec::new();
    while !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        let at = tokens.at();
        let key = read_string(tokens)?;
        tokens.eat(b':');
        let mut canonical = String::new();
        write_value(tokens, &mut canonical)?;
        members.push(CanonicalMember { key, value: canonical, at });
    }
    // RFC 8785, 3.2.3: keys sort by their UTF-16 code units.
    members.sort_by(|a, b| a.key.encode_utf16().cmp(b.key.encode_utf16()));
    if let Some(repeated) = members.windows(2).find(|pair| pair[0].key == pair[1].key) {
        let at = repeated[0].at.max(repeated[1].at);
        return Err(BadJson::DuplicateKey { key: repeated[0].key.clone().into_owned(), at });
    }
    out.push('{');
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(&member.key, out);
        out.push(':');
        out.push_str(&member.value);
    }
    out.push('}');
    Ok(())
}

fn read_string<'a>(tokens: &mut JsonTokens<'a>) -> Result<Cow<'a, str>, BadJson> {
    let at = tokens.at();
    tokens.string().map_err(|e| BadJson::NotUnicode { at, why: e.to_string() })
}

struct CanonicalMember<'a> {
    key: Cow<'a, str>,
    value: String,
    at: usize,
}

/// Writes a quoted string. `serde_json` escapes the same characters in the same way as RFC 8785, 3.2.2.2.
fn write_string(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

//! RFC 8785 (JSON Canonicalization Scheme) over a text, token by token, so that no number passes
//! through a double and no key is lost before it could be seen twice.

use super::{bad_json::BadJson, decimal::ExactDecimal, tokens::JsonTokens};
use std::{borrow::Cow, fmt::Write as _};

/// The canonical form of `text`, which must be JSON already (RFC 8259).
pub(super) fn canonical(text: &str) -> Result<String, BadJson> {
    let mut out = String::with_capacity(text.len());
    value(&mut JsonTokens::new(text), &mut out)?;
    Ok(out)
}

fn value(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    match tokens.peek() {
        b'{' => tokens.nested(|tokens| object(tokens, out)).ok_or(BadJson::TooDeep)?,
        b'[' => tokens.nested(|tokens| array(tokens, out)).ok_or(BadJson::TooDeep)?,
        b'"' => string(tokens).map(|text| quote(&text, out)),
        b'-' | b'0'..=b'9' => {
            let at = tokens.at();
            let number = ExactDecimal::parse(tokens.scalar()).ok_or(BadJson::NumberRange { at })?;
            // Writing to a string cannot fail.
            let _ = write!(out, "{number}");
            Ok(())
        }
        _ => {
            out.push_str(tokens.scalar());
            Ok(())
        }
    }
}

fn array(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    out.push('[');
    while !tokens.eat(b']') {
        if tokens.eat(b',') {
            out.push(',');
        }
        value(tokens, out)?;
    }
    out.push(']');
    Ok(())
}

fn object(tokens: &mut JsonTokens<'_>, out: &mut String) -> Result<(), BadJson> {
    let mut members: Vec<CanonicalMember<'_>> = Vec::new();
    while !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        let at = tokens.at();
        let key = string(tokens)?;
        tokens.eat(b':');
        let mut canonical = String::new();
        value(tokens, &mut canonical)?;
        members.push(CanonicalMember { key, value: canonical, at });
    }
    // RFC 8785, 3.2.3: keys sort by their UTF-16 code units.
    members.sort_by(|a, b| a.key.encode_utf16().cmp(b.key.encode_utf16()));
    if let Some(twice) = members.windows(2).find(|pair| pair[0].key == pair[1].key) {
        let at = twice[0].at.max(twice[1].at);
        return Err(BadJson::DuplicateKey { key: twice[0].key.clone().into_owned(), at });
    }
    out.push('{');
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        quote(&member.key, out);
        out.push(':');
        out.push_str(&member.value);
    }
    out.push('}');
    Ok(())
}

fn string<'a>(tokens: &mut JsonTokens<'a>) -> Result<Cow<'a, str>, BadJson> {
    let at = tokens.at();
    tokens.string().map_err(|e| BadJson::NotUnicode { at, why: e.to_string() })
}

struct CanonicalMember<'a> {
    key: Cow<'a, str>,
    value: String,
    at: usize,
}

/// RFC 8785, 3.2.2.2: the serialiser escapes just what the scheme does, and in the same way.
fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

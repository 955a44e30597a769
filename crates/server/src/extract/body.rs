//! A JSON body, read whole and strictly.

use crate::problem::ProblemResponse;
use axum::{
    extract::{FromRequest, Request},
    http::{
        HeaderMap,
        header::{CONTENT_ENCODING, CONTENT_TYPE},
    },
};
use countersign_api::ErrorCode;
use countersign_gate::json::{MAX_BYTES, MAX_DEPTH};
use futures_util::StreamExt;
use serde::de::{DeserializeOwned, IgnoredAny};

/// The longest body taken: the longest JSON there may be in it, and room for the rest.
const MAX_BODY: usize = MAX_BYTES + 256 * 1024;

/// How much of a body that is too long is read before the connection is closed on it.
const MAX_DRAINED: usize = 16 * MAX_BODY;

/// How deep a body may nest: what is in it as deep as any JSON here, and the body round that.
const MAX_BODY_DEPTH: usize = MAX_DEPTH + 1;

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ProblemResponse> {
        require_json(request.headers())?;
        parse_json(&read_body(request.into_body()).await?).map(Self)
    }
}

/// Takes the body up to its limit. One that is somewhat longer is read to its end all the same: if the
/// connection were closed before, the caller would see that and not the answer.
async fn read_body(body: axum::body::Body) -> Result<Vec<u8>, ProblemResponse> {
    let (mut chunks, mut taken, mut total) = (body.into_data_stream(), Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|why| {
            ProblemResponse::new(ErrorCode::BadJson, format!("the body was cut off: {why}"))
        })?;
        total += chunk.len();
        if total <= MAX_BODY {
            taken.extend_from_slice(&chunk);
        } else if total > MAX_DRAINED {
            break;
        }
    }
    if total > MAX_BODY {
        let detail = format!("the body has more than {MAX_BODY} bytes, the maximum");
        return Err(ProblemResponse::new(ErrorCode::TooLarge, detail));
    }
    Ok(taken)
}

/// A page can send a form or plain text anywhere without asking; JSON it cannot.
fn require_json(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let given = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?"));
    let essence = given.and_then(|given| given.split(';').next()).unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return require_plain_utf8(headers, given.unwrap_or_default());
    }
    let says = given.map_or_else(|| "is missing".to_owned(), |given| format!("is {given:?}"));
    let detail = format!("the body must be application/json, and the header content-type {says}");
    Err(ProblemResponse::new(ErrorCode::NotJson, detail))
}

/// What was packed, or written in other characters, would be read as what it is not.
fn require_plain_utf8(headers: &HeaderMap, content_type: &str) -> Result<(), ProblemResponse> {
    if let Some(encoding) = headers.get(CONTENT_ENCODING) {
        let detail = format!("the body must not be encoded, and the header content-encoding is {encoding:?}");
        return Err(ProblemResponse::new(ErrorCode::NotJson, detail));
    }
    let charset =
        content_type.split(';').skip(1).filter_map(|part| part.trim().split_once('=')).find_map(
            |(name, value)| name.eq_ignore_ascii_case("charset").then_some(value.trim_matches('"')),
        );
    match charset {
        Some(charset) if !charset.eq_ignore_ascii_case("utf-8") => Err(ProblemResponse::new(
            ErrorCode::NotJson,
            format!("the body must be UTF-8, and the header content-type says {charset:?}"),
        )),
        _ => Ok(()),
    }
}

fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ProblemResponse> {
    let text = if bytes.is_empty() { b"{}" } else { bytes };
    if let Some((line, column)) = find_excess_depth(text) {
        let detail = format!("the body nests deeper than {MAX_DEPTH} levels at line {line} column {column}");
        return Err(ProblemResponse::new(ErrorCode::Invalid, detail).with_position(line, column));
    }
    // An array would be read as the fields without their names, and so mean what it does not say.
    if text.trim_ascii_start().first() != Some(&b'{') && serde_json::from_slice::<IgnoredAny>(text).is_ok() {
        return Err(ProblemResponse::invalid("the body must be a JSON object"));
    }
    serde_json::from_slice(text).map_err(|why| {
        let problem = if why.is_data() {
            ProblemResponse::invalid(why.to_string())
        } else {
            ProblemResponse::new(ErrorCode::BadJson, format!("the body is not JSON: {why}"))
        };
        problem.with_position(why.line(), why.column())
    })
}

/// Where a body nests too deep, if it does: by its brackets alone, before anything is made of it.
fn find_excess_depth(text: &[u8]) -> Option<(usize, usize)> {
    let (mut depth, mut line, mut begins, mut quoted, mut escaped) = (0_usize, 1, 0, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' => (line, begins) = (line + 1, at + 1),
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > MAX_BODY_DEPTH {
                    return Some((line, at + 1 - begins));
                }
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_brackets_that_nest_and_no_others() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(find_excess_depth(nested(MAX_BODY_DEPTH).as_bytes()), None);
        assert_eq!(find_excess_depth(nested(MAX_BODY_DEPTH + 1).as_bytes()), Some((1, MAX_BODY_DEPTH + 1)));
        assert_eq!(find_excess_depth(format!("\"{}\"", nested(300)).as_bytes()), None);
        assert_eq!(find_excess_depth(format!(r#""\"{}""#, "[".repeat(300)).as_bytes()), None);
        assert_eq!(find_excess_depth("[]".repeat(300).as_bytes()), None);
        assert_eq!(find_excess_depth(format!("\n{}", nested(300)).as_bytes()), Some((2, MAX_BODY_DEPTH + 1)));
    }
}

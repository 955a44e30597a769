//! Extracts JSON bodies, which are limited in size and depth and must be objects.

use crate::{AppState, connection::BodyTimeout, problem::ProblemResponse};
use axum::{
    extract::{FromRequest, Request},
    http::{
        HeaderMap,
        header::{CONTENT_ENCODING, CONTENT_TYPE},
    },
};
use countersign_api::ErrorCode;
use countersign_events::json::MAX_DEPTH;
use countersign_gate::run_large;
use futures_util::StreamExt;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::error::Error;

/// The deepest nesting of a body: one level for the body, around a value of the deepest nesting.
const MAX_BODY_DEPTH: usize = MAX_DEPTH + 1;

/// A JSON body.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ProblemResponse> {
        require_json(request.headers())?;
        let text = read_body(request.into_body(), app.options.limits.body).await?;
        run_large(text.len(), || parse_json(&text)).map(Self)
    }
}

/// Reads a body of at most `limit` bytes. The connection reads the rest of a larger body.
async fn read_body(body: axum::body::Body, limit: usize) -> Result<Vec<u8>, ProblemResponse> {
    let (mut chunks, mut content) = (body.into_data_stream(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|why| body_problem(&why))?;
        if content.len() + chunk.len() > limit {
            let detail = format!(
                "the body has more than {limit} bytes, the maximum; --max-body of the server sets it"
            );
            return Err(ProblemResponse::new(ErrorCode::TooLarge, detail));
        }
        content.extend_from_slice(&chunk);
    }
    Ok(content)
}

/// The problem for a body that cannot be read to its end.
fn body_problem(why: &axum::Error) -> ProblemResponse {
    let mut cause: Option<&(dyn Error + 'static)> = Some(why);
    while let Some(error) = cause {
        if let Some(timeout) = error.downcast_ref::<BodyTimeout>() {
            return ProblemResponse::new(ErrorCode::RequestTimeout, timeout.to_string());
        }
        cause = error.source();
    }
    ProblemResponse::new(ErrorCode::BadJson, format!("the body was cut off: {why}"))
}

/// Requires the JSON content type. A web page can send a form or plain text to any site without a preflight request,
/// but not JSON.
fn require_json(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?"));
    let essence = content_type.and_then(|text| text.split(';').next()).unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return require_plain_utf8(headers, content_type.unwrap_or_default());
    }
    let found = content_type.map_or_else(|| "is missing".to_owned(), |text| format!("is {text:?}"));
    let detail = format!("the body must be application/json, and the header content-type {found}");
    Err(ProblemResponse::new(ErrorCode::NotJson, detail))
}

/// Rejects compressed bodies and other character sets: parsed as plain UTF-8, they would have another meaning.
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

/// Parses a body. An empty body is an empty object.
pub(super) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ProblemResponse> {
    let text = if bytes.is_empty() { b"{}" } else { bytes };
    if let Some((line, column)) = find_excess_depth(text) {
        let detail = format!("the body nests deeper than {MAX_DEPTH} levels at line {line} column {column}");
        return Err(ProblemResponse::new(ErrorCode::Invalid, detail).with_position(line, column));
    }
    // serde would read an array as the field values in order, although the request does not name the fields.
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

/// Returns the line and column, from 1, of the bracket that nests too deep, if there is one. Counts brackets only, so
/// that a deep body is rejected before it is parsed.
fn find_excess_depth(text: &[u8]) -> Option<(usize, usize)> {
    let (mut depth, mut line, mut line_start, mut quoted, mut escaped) = (0_usize, 1, 0, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' => (line, line_start) = (line + 1, at + 1),
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > MAX_BODY_DEPTH {
                    return Some((line, at + 1 - line_start));
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

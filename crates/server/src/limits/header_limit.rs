//! The request header limit. The HTTP library refuses larger heads too, but without a problem in the body.

use crate::problem::ProblemResponse;
use axum::http::HeaderMap;
use countersign_api::ErrorCode;

/// The most headers that the HTTP library reads. A request with more gets an empty response 431.
pub(crate) const MAX_HEADERS: usize = 256;

/// The most headers of a request.
const MOST: usize = 100;

/// The most bytes of all names and values.
const MOST_BYTES: usize = 32 * 1024;

/// Refuses a request with too many or too large headers.
pub(crate) fn check_headers(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let detail = if headers.len() > MOST {
        format!("the request has {} headers; the limit is {MOST}", headers.len())
    } else if bytes > MOST_BYTES {
        format!("the headers of the request have {bytes} bytes; the limit is {MOST_BYTES}")
    } else {
        return Ok(());
    };
    Err(ProblemResponse::new(ErrorCode::HeadersTooLarge, detail))
}

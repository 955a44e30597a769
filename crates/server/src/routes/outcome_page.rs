//! The page that reports the outcome of a sign-in at an identity provider.

use crate::problem::ProblemResponse;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use countersign_approvals::access::PageKey;
use countersign_web::SIGN_IN_OUTCOME;

/// The page after a successful sign-in elsewhere. Its script keeps the session key for the pages and navigates on: the
/// browser sends a cookie with `SameSite=Strict` only with a request that a page of this server makes, and not with a
/// redirect from another site.
pub(super) fn signed_in_page(key: &PageKey) -> Response {
    // The key has only letters and digits.
    let head = format!(
        "<meta name=\"countersign-page-key\" content=\"{}\">\n<script src=\"../arrived.js\" type=\"module\"></script>",
        key.expose()
    );
    outcome_page(StatusCode::OK, &head, ["Signed in", "You are signed in.", ""], "Continue")
}

/// The page after a sign-out at an identity provider.
pub(super) fn signed_out_page(detail: &str) -> Response {
    outcome_page(StatusCode::OK, "", ["Signed out", detail, ""], "Back to sign-in")
}

/// The page about a failed sign-in.
pub(super) fn failed_page(problem: ProblemResponse) -> Response {
    problem_page("Not signed in", problem)
}

/// The page about a failed sign-in or sign-out.
pub(super) fn problem_page(title: &str, problem: ProblemResponse) -> Response {
    let problem = problem.into_problem();
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut detail = problem.detail.clone();
    // Error messages start in lower case.
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    outcome_page(status, "", [title, &detail, problem.code.as_str()], "Back to sign-in")
}

fn outcome_page(status: StatusCode, head: &str, [title, detail, code]: [&str; 3], link: &str) -> Response {
    let texts = [("{title}", title), ("{detail}", detail), ("{code}", code), ("{link}", link)];
    // The head is code of this program and the first replacement, so that no text can contain its mark.
    let page = texts.iter().fold(SIGN_IN_OUTCOME.replace("{head}", head), |page, (mark, text)| {
        page.replacen(mark, &escape_html(text).replace('{', "&#123;"), 2)
    });
    let mut response = (status, Html(page)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
    response
}

/// Escapes a string for HTML, also in an attribute. Control characters, which no name needs, become spaces.
pub(super) fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_api::ErrorCode;

    #[tokio::test]
    async fn failed_page_shows_texts_as_text() {
        let detail = "\"<img src=x onerror=alert(1)>\" {code} 'x'";
        let response = failed_page(ProblemResponse::new(ErrorCode::SignInRefused, detail));
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        let body = axum::body::to_bytes(response.into_body(), 100_000).await.expect("a body");
        let page = String::from_utf8_lossy(&body);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot; &#123;code} &#39;x&#39;"), "{page}");
        assert!(!page.contains("<img src=x"), "{page}");
        assert!(page.contains("<code>sign_in_refused</code>"), "{page}");
    }
}

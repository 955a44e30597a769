//! `/sign-in/`, the page on which people sign in and out.

#[cfg(feature = "oidc")]
use super::outcome_page::escape_html;
use crate::AppState;
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, header},
    response::{Html, Redirect},
    routing::get,
};

/// The page. Its mark is replaced by the links to identity providers.
const PAGE: &str = include_str!("sign_in/index.html");
const PROVIDERS_MARK: &str = "<!-- providers -->";

/// Creates the routes of the page. It is part of the program and loads nothing from other servers.
pub(super) fn routes() -> Router<AppState> {
    let file = |kind: &'static str, content: &'static str| {
        get(async move || ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], content))
    };
    Router::new()
        .route("/sign-in", get(async || Redirect::permanent("/sign-in/")))
        .route("/sign-in/", get(show_page))
        .route("/sign-in/page.css", file("text/css", include_str!("sign_in/page.css")))
        .route("/sign-in/arrived.js", file("text/javascript", include_str!("sign_in/arrived.js")))
        .route("/sign-in/page.js", file("text/javascript", include_str!("sign_in/page.js")))
}

async fn show_page(State(app): State<AppState>) -> Html<String> {
    Html(PAGE.replace(PROVIDERS_MARK, &provider_links(&app)))
}

#[cfg(feature = "oidc")]
fn provider_links(app: &AppState) -> String {
    app.options.oidc.as_ref().map_or_else(String::new, |provider| {
        let label = escape_html(provider.label());
        format!(
            "<a class=\"button\" id=\"oidc\" href=\"oidc\">Continue with {label}</a>\n\
             <p class=\"divider\"><span>or</span></p>"
        )
    })
}

#[cfg(not(feature = "oidc"))]
fn provider_links(_: &AppState) -> String {
    String::new()
}

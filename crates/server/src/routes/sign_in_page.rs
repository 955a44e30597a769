//! `/sign-in/`, the page on which people sign in and out.

use super::outcome_page::escape_html;
use crate::AppState;
use axum::{
    Router,
    extract::State,
    response::{Html, Redirect},
    routing::get,
};
use countersign_web::SIGN_IN_PAGE;

/// The mark that is replaced by the links to identity providers.
const PROVIDERS_MARK: &str = "<!-- providers -->";

/// Creates the page routes. It is part of the program and loads nothing from other servers.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/sign-in", get(async || Redirect::permanent("/sign-in/")))
        .route("/sign-in/", get(show_page))
}

async fn show_page(State(app): State<AppState>) -> Html<String> {
    Html(SIGN_IN_PAGE.replace(PROVIDERS_MARK, &provider_links(&app)))
}

fn provider_links(app: &AppState) -> String {
    app.options.oidc.as_ref().map_or_else(String::new, |provider| {
        let label = escape_html(provider.label());
        format!(
            "<a class=\"button\" id=\"oidc\" href=\"oidc\">Continue with {label}</a>\n\
             <p class=\"divider\"><span>or</span></p>"
        )
    })
}

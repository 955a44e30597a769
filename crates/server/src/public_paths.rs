//! The paths that everyone may use, and those that a link may lead to.

/// The paths of pages for people. A link on any page may lead to them: they change nothing, and the last two, to which
/// an identity provider sends a browser, only for a browser that started a sign-in or a sign-out.
const PAGES: [&str; 15] = [
    "/",
    "/docs",
    "/docs/",
    "/history",
    "/insight",
    "/keys",
    "/keys/",
    "/policy",
    "/settings",
    "/sign-in",
    "/sign-in/",
    "/threads",
    "/threads/",
    "/sign-in/oidc/callback",
    "/sign-in/oidc/signed-out",
];

/// Path prefixes of call pages and thread pages.
const PAGE_FOLDERS: [&str; 2] = ["/calls/", "/threads/"];

/// Path prefixes of the API, and of the interfaces for other systems.
const API_FOLDERS: [&str; 4] = ["/v1/", "/api/", "/approval/", "/worlds/"];

/// Returns true if this is a page for people.
pub(crate) fn is_page(path: &str) -> bool {
    PAGES.contains(&path) || PAGE_FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Returns true if the route answers by the caller's rights. The others are for everyone, and health checks are
/// frequent.
pub(crate) fn needs_caller(route: &str) -> bool {
    API_FOLDERS.iter().any(|folder| route.starts_with(folder)) || matches!(route, "/metrics" | "/stream")
}

//! The paths that everyone may use, and those that a link may lead to.

/// The paths of pages for people. They change nothing, so a link on any page may lead to them.
pub(crate) const PAGES: [&str; 5] = ["/", "/docs", "/docs/", "/sign-in", "/sign-in/"];

/// True if the route answers by the caller's rights. The others are for everyone, and checks of health are frequent.
pub(crate) fn needs_caller(route: &str) -> bool {
    route.starts_with("/v1/") || route == "/metrics"
}

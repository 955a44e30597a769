//! The pages beside the application: the API reference, and signing in. They load nothing from other servers.

use crate::WebFile;

/// The sign-in page. `<!-- providers -->` in it marks where the links to identity providers go.
pub const SIGN_IN_PAGE: &str = include_str!("../pages/sign-in/index.html");

/// The page that reports how a sign-in at an identity provider ended, with marks for its content.
pub const SIGN_IN_OUTCOME: &str = include_str!("../pages/sign-in/outcome.html");

macro_rules! page_files {
    ($($path:literal $kind:literal),* $(,)?) => {
        &[$(WebFile { path: $path, kind: $kind, content: include_bytes!(concat!("../pages", $path)) }),*]
    };
}

/// The files of these pages that are served as they are, by their whole path.
pub const PAGE_FILES: &[WebFile] = page_files![
    "/service-worker.js" "text/javascript",
    "/docs/index.html" "text/html",
    "/docs/page.css" "text/css",
    "/docs/page.js" "text/javascript",
    "/docs/curl.js" "text/javascript",
    "/docs/dom.js" "text/javascript",
    "/docs/operation.js" "text/javascript",
    "/docs/schema.js" "text/javascript",
    "/docs/try.js" "text/javascript",
    "/sign-in/page.css" "text/css",
    "/sign-in/arrived.js" "text/javascript",
    "/sign-in/page.js" "text/javascript",
];

//! The page document, and the files below `/assets/`.

use crate::ASK;
use countersign_tests::over_http;

/// What Chromium sends when a person opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn page_is_for_clients_that_ask_for_html() {
    over_http(ASK, async |world| {
        let anyone = world.anonymous();
        for path in ["/", "/history", "/threads/", "/threads/t", "/calls/t/call_1", "/settings"] {
            let page = anyone.get_with(path, "accept", BROWSER).await;
            assert_eq!(
                (page.status, page.header("content-type")),
                (200, "text/html; charset=utf-8"),
                "{path}"
            );
            assert!(page.body.contains("src=\"/assets/app.js\""), "{path}: {}", page.body);
            let policy = page.header("content-security-policy");
            assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe-inline"), "{policy}");
        }
        let nowhere = anyone.get_with("/nowhere", "accept", BROWSER).await;
        assert_eq!((nowhere.status, nowhere.header("content-type")), (404, "text/html; charset=utf-8"));
        let of_api = anyone.get_with("/v1/nowhere", "accept", BROWSER).await;
        assert_eq!((of_api.status, of_api.text("code").as_str()), (404, "unknown_route"));
        let welcome = anyone.get("/").await;
        assert_eq!((welcome.status, welcome.header("content-type")), (200, "text/plain; charset=utf-8"));
        let unknown = anyone.get("/history").await;
        assert_eq!((unknown.status, unknown.text("code").as_str()), (404, "unknown_route"));
    })
    .await;
}

#[tokio::test]
async fn unchanged_file_is_not_sent_again() {
    over_http(ASK, async |world| {
        let anyone = world.anonymous();
        for (path, kind) in [
            ("/assets/app.js", "text/javascript; charset=utf-8"),
            ("/assets/tokens.css", "text/css; charset=utf-8"),
        ] {
            let file = anyone.get(path).await;
            assert_eq!((file.status, file.header("content-type")), (200, kind), "{path}");
            let again = anyone.get_with(path, "if-none-match", file.header("etag")).await;
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
            let older = anyone.get_with(path, "if-none-match", "\"older\"").await;
            assert_eq!((older.status, older.body), (200, file.body), "{path}");
        }
        let missing = anyone.get("/assets/../Cargo.toml").await;
        assert_eq!(missing.status, 404, "{missing}");
        assert_eq!(anyone.get("/assets/none.js").await.status, 404);
    })
    .await;
}

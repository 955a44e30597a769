//! The sessions of browsers.

use super::start;
use countersign_gate::event::{Role, TokenKind};
use countersign_tests::{HttpAnswer, in_time};
use insta::assert_snapshot;
use reqwest::Method;

#[tokio::test]
async fn link_signs_in_once_with_a_closed_cookie() {
    in_time(async {
        let server = start().await;
        let link = server.creates_token("ada", Role::Approver, &[], TokenKind::Link).await;
        assert_eq!(server.asks(&link, Method::GET, "/v1/me", "").await.status, 401, "a link is not accepted as a token");
        let sign_in = async || {
            let request = server.request(Method::POST, "/v1/sessions").header("content-type", "application/json");
            HttpAnswer::to(request.body(format!(r#"{{"token":"{link}"}}"#))).await
        };
        let signed_in = sign_in().await;
        assert_eq!(signed_in.status, 201, "{signed_in}");
        assert_eq!(signed_in.text("person"), "user:ada");
        let cookie = signed_in.header("set-cookie").to_owned();
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert_snapshot!(sign_in().await, @"409 link_used: the link was used before, and it signs in once; ask for another one");
        let pair = cookie.split(';').next().expect("a cookie").to_owned();
        let with_cookie = |method, path| server.request(method, path).header("cookie", &pair);
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/approvals/pending")).await.status, 200);
        let foreign = with_cookie(Method::GET, "/v1/approvals/pending").header("sec-fetch-site", "cross-site");
        assert_eq!(HttpAnswer::to(foreign).await.text("code"), "foreign_origin");
        assert_eq!(HttpAnswer::to(with_cookie(Method::DELETE, "/v1/sessions/current")).await.status, 200);
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/me")).await.status, 401, "signed out");
        server.end().await;
    })
    .await;
}

//! Who is turned away at the door: requests that name another host, pages of other sites, callers who
//! say to be what nobody can be, and paths and methods that are not there.

use crate::ASK;
use countersign_tests::api::{Answer, story};
use insta::assert_snapshot;
use reqwest::Method;

const PENDING: &str = "/v1/approvals/pending";

#[tokio::test]
async fn a_path_that_is_not_there_is_said_to_be_none() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get("/v1/thread/t1").await, @r#"
        404
        {
          "title": "Not Found",
          "status": 404,
          "code": "unknown_route",
          "detail": "/v1/thread/t1 does not exist; the API begins with /v1/threads"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads/t1/tool-calls/a/b/c").await, @r#"
        404
        {
          "title": "Not Found",
          "status": 404,
          "code": "unknown_route",
          "detail": "/v1/threads/t1/tool-calls/a/b/c does not exist; the API begins with /v1/threads"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads/t1/grants/").await, @r#"
        404
        {
          "title": "Not Found",
          "status": 404,
          "code": "unknown_route",
          "detail": "/v1/threads/t1/grants/ does not exist; the API begins with /v1/threads"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_refused() {
    story(ASK, async |town| {
        let answer = town.person("ada").delete("/v1/threads/t1/tool-calls/call_1").await;
        assert_snapshot!(answer, @r#"
        405
        {
          "title": "Method Not Allowed",
          "status": 405,
          "code": "wrong_method",
          "detail": "/v1/threads/t1/tool-calls/call_1 does not support DELETE"
        }
        "#);
        assert_eq!(answer.header("allow"), "GET,HEAD");
    })
    .await;
}

#[tokio::test]
async fn a_name_that_leads_here_from_elsewhere_is_refused() {
    story(ASK, async |town| {
        let request = town.person("ada").request(Method::GET, PENDING).header("host", "evil.example:7878");
        assert_snapshot!(Answer::to(request).await, @r#"
        421
        {
          "title": "Misdirected Request",
          "status": 421,
          "code": "foreign_host",
          "detail": "this server serves its own machine only, and \"evil.example:7878\" is another; use 127.0.0.1 or localhost"
        }
        "#);
        assert_snapshot!(town.raw("GET /healthz HTTP/1.0").await, @r#"
        421
        {
          "title": "Misdirected Request",
          "status": 421,
          "code": "foreign_host",
          "detail": "this server serves its own machine only, and \"\" is another; use 127.0.0.1 or localhost"
        }
        "#);
        assert_snapshot!(town.raw("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost").await, @r#"
        200
        {"status":"ok"}
        "#);
        let request = town.person("ada").request(Method::GET, PENDING).header("host", "localhost:1");
        assert_eq!(Answer::to(request).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_and_one_of_this_server_is_not() {
    story(ASK, async |town| {
        let from = async |origin: &str| {
            let request = town.person("ada").request(Method::GET, PENDING).header("origin", origin);
            Answer::to(request).await
        };
        assert_snapshot!(from("https://evil.example").await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "foreign_origin",
          "detail": "a page of https://evil.example sent this, and pages may not decide"
        }
        "#);
        assert_snapshot!(from("null").await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "foreign_origin",
          "detail": "a page of null sent this, and pages may not decide"
        }
        "#);
        assert_eq!(from("http://127.0.0.1:1").await.status, 403, "another port is another server");
        assert_eq!(from(&format!("http://{}", town.address)).await.status, 200);
    })
    .await;
}

/// An image or a script carries no `Origin`, and still makes the server write and read.
#[tokio::test]
async fn a_page_of_another_site_cannot_make_the_server_work() {
    story(ASK, async |town| {
        let from = async |site: &str, dest: &str, path: &str| {
            let mode = if dest == "image" { "no-cors" } else { "navigate" };
            let request = town.somebody().request(Method::GET, path).header("sec-fetch-site", site);
            Answer::to(request.header("sec-fetch-mode", mode).header("sec-fetch-dest", dest)).await
        };
        assert_snapshot!(from("cross-site", "image", "/readyz").await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "foreign_origin",
          "detail": "a page of another site sent this, and pages may not ask anything here"
        }
        "#);
        for path in
            ["/readyz", "/v1/stats", "/metrics", "/healthz", "/", "/docs/", "/openapi.json", "/nothing"]
        {
            for site in ["cross-site", "same-site", "something-new"] {
                assert_eq!(from(site, "image", path).await.status, 403, "{site} {path}");
            }
            let ours = from("same-origin", "image", path).await.status;
            assert_eq!(from("none", "document", path).await.status, ours, "typed by somebody: {path}");
            assert_eq!(ours == 404, path == "/nothing", "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_on_a_page_leads_to_what_people_read_and_to_nothing_else() {
    story(ASK, async |town| {
        let follows = async |dest: &str, path: &str| {
            let request = town.somebody().request(Method::GET, path).header("sec-fetch-site", "cross-site");
            let request = request.header("sec-fetch-mode", "navigate").header("sec-fetch-dest", dest);
            Answer::to(request).await.status
        };
        for path in ["/", "/docs", "/docs/"] {
            assert_eq!(follows("document", path).await, 200, "{path}");
            assert_eq!(follows("iframe", path).await, 403, "{path}");
        }
        for path in ["/readyz", "/v1/stats", "/v1/events", "/openapi.json"] {
            assert_eq!(follows("document", path).await, 403, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn no_page_can_frame_an_answer_or_take_it_for_something_else() {
    story(ASK, async |town| {
        for path in ["/", "/docs/", "/docs/index.css", "/v1/events", "/v1/threads/none", "/nothing"] {
            let answer = town.somebody().get(path).await;
            assert_eq!(answer.header("content-security-policy"), "frame-ancestors 'none'", "{path}");
            assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        }
        let evil = town.somebody().get_with("/docs/", "host", "evil.example").await;
        assert_eq!((evil.status, evil.header("x-frame-options")), (421, "DENY"));
    })
    .await;
}

#[tokio::test]
async fn nobody_can_speak_for_the_policy_or_without_a_kind() {
    story(ASK, async |town| {
        let says = async |principal: &str| {
            let request = town.somebody().request(Method::POST, "/v1/threads/t1/close");
            let request = request.header("content-type", "application/json");
            Answer::to(request.header("countersign-principal", principal).body("{}")).await
        };
        assert_snapshot!(says("ada").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: \"ada\" does not begin with user:, agent:, policy: or system:",
          "parameter": "countersign-principal"
        }
        "#);
        assert_snapshot!(says("system:expiry").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: must begin with user: or agent:",
          "parameter": "countersign-principal"
        }
        "#);
        assert_snapshot!(says("policy:allow-all").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: must begin with user: or agent:",
          "parameter": "countersign-principal"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_cannot_be_is_nobodys() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let says = async |principal: &str| {
            let request = town.somebody().request(Method::POST, "/v1/threads/t1/close");
            let request = request.header("content-type", "application/json");
            Answer::to(request.header("countersign-principal", principal).body("{}")).await
        };
        assert_snapshot!(says("user:").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: the name of a principal cannot be used: it is empty",
          "parameter": "countersign-principal"
        }
        "#);
        assert_snapshot!(says("user:a%00b").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: the name of a principal cannot be used: it holds the control character U+0000",
          "parameter": "countersign-principal"
        }
        "#);
        assert_snapshot!(says("user:%ff").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: it is not UTF-8",
          "parameter": "countersign-principal"
        }
        "#);
        assert_snapshot!(says("user:J%C3%BCrgen%20%E4%B8%96").await, @r#"
        200
        {
          "threadId": "t1",
          "closedAt": "2026-01-31T12:00:00.000Z",
          "principal": "user:Jürgen 世",
          "cancelled": ["call_1"]
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn who_does_not_say_who_is_an_agent_or_a_person_as_the_endpoint_has_it() {
    story(ASK, async |town| {
        let somebody = town.somebody();
        assert_snapshot!(somebody.proposes("t1", "call_1").await.member("proposal"), @r#"{"at":"2026-01-31T12:00:00.000Z","principal":"agent:local","seq":1}"#);
        assert_snapshot!(somebody.decides("t1", "call_1", "allow_once").await.member("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","principal":"user:local","seq":3,"source":"approver"}"#);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_is_encoded_badly_is_not_taken_for_another() {
    story(ASK, async |town| {
        let request = town.somebody().request(Method::POST, "/v1/threads/t1/tool-calls");
        let request = request.header("content-type", "application/json").body("{}");
        assert_snapshot!(Answer::to(request.header("countersign-principal", "agent:%zz")).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "countersign-principal: two hexadecimal digits must follow each %; write % itself as %25",
          "parameter": "countersign-principal"
        }
        "#);
    })
    .await;
}

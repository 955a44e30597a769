//! `If-None-Match`: a client whose cached response is current gets 304.

use crate::ASK;
use countersign_tests::over_http;

#[tokio::test]
async fn list_tag_holds_until_its_content_changes() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let all_threads = ["/v1/approvals/pending", "/v1/events", "/v1/threads", "/v1/tool-calls"];
        let one_thread = [
            "/v1/threads/t",
            "/v1/threads/t/approvals/pending",
            "/v1/threads/t/events",
            "/v1/threads/t/grants",
            "/v1/threads/t/mode",
            "/v1/threads/t/policy",
            "/v1/threads/t/tool-calls",
        ];
        let mut tags = Vec::new();
        for path in all_threads.iter().chain(&one_thread) {
            let tag = ada.get(path).await.header("etag").to_owned();
            let expected = if path.ends_with("/pending") { "W/\"3-4232587ebe1c\"" } else { "W/\"3\"" };
            assert_eq!(tag, expected, "{path}");
            let again = ada.get_with(path, "if-none-match", &tag).await;
            assert_eq!(
                (again.status, again.body.as_str(), again.header("etag")),
                (304, "", expected),
                "{path}"
            );
            tags.push((path, tag));
        }
        builder.in_thread("t2").proposes("a").await;
        for (path, tag) in tags {
            let status = ada.get_with(path, "if-none-match", &tag).await.status;
            assert_eq!(status, if one_thread.contains(path) { 304 } else { 200 }, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn tags_are_compared_as_http_specifies() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let status = async |given: &str| ada.get_with("/v1/threads", "if-none-match", given).await.status;
        for same in ["W/\"3\"", "\"3\"", "*", "\"x\", W/\"3\""] {
            assert_eq!(status(same).await, 304, "{same}");
        }
        for other in ["\"1\"", "3", "", "\"33\"", "nonsense"] {
            assert_eq!(status(other).await, 200, "{other}");
        }
        assert_eq!(ada.get_with("/v1/threads/t9", "if-none-match", "*").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn call_tag_holds_until_the_call_changes() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows_for_the_session("a").await;
        let path = "/v1/threads/t/tool-calls/a";
        let tag = ada.get(path).await.header("etag").to_owned();
        assert_eq!(tag, "W/\"4-allowed\"");
        builder.proposes("b").await;
        assert_eq!(
            ada.get_with(path, "if-none-match", &tag).await.status,
            304,
            "an event of another call does not change the tag"
        );
        builder.claims_as("a", "w").await;
        let changed = ada.get_with(path, "if-none-match", &tag).await;
        assert_eq!((changed.status, changed.header("etag")), (200, "W/\"7-running\""));
    })
    .await;
}

#[tokio::test]
async fn pending_call_tag_holds_until_its_request_changes() {
    over_http("[[rule]]\nname = \"two\"\ntool = \"*\"\nverdict = \"ask\"\nquorum = 3", async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let paths = ["/v1/threads/t/tool-calls/a", "/v1/threads/t/approvals/pending"];
        let mut tags = Vec::new();
        for path in paths {
            let tag = ada.get(path).await.header("etag").to_owned();
            assert_eq!(ada.get_with(path, "if-none-match", &tag).await.status, 304, "{path}");
            tags.push(tag);
        }
        let mut changes = async |what: &str| {
            for (path, tag) in paths.iter().zip(&mut tags) {
                let answer = ada.get_with(path, "if-none-match", tag).await;
                assert_eq!(answer.status, 200, "{what}: {path}");
                *tag = answer.header("etag").to_owned();
            }
        };
        world.person("ben").allows("a").await;
        changes("a vote").await;
        builder.proposes("b").await;
        changes("another call, which a grant would scope").await;
        world.apply_policy("levels = [\"boss\"]").await;
        changes("a policy that offers something else").await;
    })
    .await;
}

//! `POST /v1/threads/{thread}/tool-calls/{id}/erase`

use countersign_tests::over_http;
use insta::assert_snapshot;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";
const ERASE: &str = "/v1/threads/t/tool-calls/call_1/erase";
const REASON: &str = r#"{"reason":"request 17"}"#;

#[tokio::test]
async fn erasure_of_an_open_call_is_refused() {
    over_http("", async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.post(ERASE, REASON).await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(ada.post(ERASE, REASON).await, @"409 call_open: the call is pending, and only a call that has ended can be erased: decide, finish or cancel it first");
        assert_snapshot!(ada.post(ERASE, "{}").await, @"
        422 invalid: missing field `reason` at line 1 column 2
        column: 2
        line: 1
        ");
        ada.denies("call_1").await;
        assert_snapshot!(ada.post(ERASE, r#"{"reason":" "}"#).await, @"422 invalid: reason: say why the content is erased; the log keeps the reason");
        assert_snapshot!(world.agent("builder").post(ERASE, REASON).await, @"403 not_permitted: the role agent may not set policies, modes and tokens");
    })
    .await;
}

#[tokio::test]
async fn erased_call_is_shown_without_its_texts() {
    over_http("", async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").denies("call_1").await;
        let tag = world.agent("builder").get(CALL).await.header("etag").to_owned();
        let report = world.person("zoe").post(ERASE, REASON).await;
        assert_eq!(report.status, 200);
        let call = world.agent("builder").get_with(CALL, "if-none-match", &tag).await;
        assert_eq!(call.status, 200, "a copy with the texts is not current");
        let call = call.json();
        assert_eq!(call["erased"]["principal"], "user:zoe");
        assert_eq!(call["erased"]["reason"], "request 17");
        assert!(call["arguments"].is_null() && call["result"]["content"].is_null(), "{call}");
        assert_eq!(call["response"]["principal"], "user:ada");
        let again = world.person("zoe").post(ERASE, REASON).await;
        assert_eq!(again.json()["call"], call, "to repeat it changes nothing");
    })
    .await;
}

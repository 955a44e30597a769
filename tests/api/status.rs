//! `GET /v1/status`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn unknown_parameter_of_status_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/status?thread=t1").await, @"");
    })
    .await;
}

#[tokio::test]
async fn status_lists_agents_approvers_and_pending() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes(id).await;
        }
        ada.allows("a").await;
        ada.denies("b").await;
        builder.claims_as("a", "w").await;
        assert_snapshot!(ada.get("/v1/status").await, @"");
    })
    .await;
}

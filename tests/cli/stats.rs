//! `countersign stats`

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn empty_log_has_nothing_to_count() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("stats").await, @"
        This log has no events but policies: [here]/countersign.db
        If it should have some: a copy of a live file lacks the events of its -wal file; make copies with `countersign backup FILE`.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn things_are_counted_by_calls() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"cat /src/.env"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"cat /src/.env /etc/hosts"}"#).await;
        assert_snapshot!(desk.types("stats --touched").await, @r"
        KIND  ACCESS  CALLS  THING
        file  read        2  /src/.env
        file  read        1  /etc/hosts
        exit 0
        ");
    })
    .await;
}

/// Response times differ between runs, so only their format is compared.
#[tokio::test]
async fn calls_are_counted_per_tool() {
    with_desk(async |desk| {
        for (id, tool) in [("call_1", "bash"), ("call_2", "bash"), ("call_3", "mail")] {
            desk.propose("t1", id, tool, "{}").await;
        }
        desk.types("thread close t1 --as user:ada").await;
        desk.apply_policy("default = \"allow\"").await;
        desk.types("run -- false").await;
        assert_snapshot!(desk.types("stats").await, @"
        TOOL  CALLS  ASKED  ALLOWED  DENIED  NOT DECIDED  FAILED  MEDIAN
        bash      3      2        1       0            2       1       –
        mail      1      1        0       0            1       0       –
        all       4      3        1       0            3       1       –

        Decided by: cancellation 3, policy 1
        Not decided by people: 3. Expired: 0. Cancelled before a decision: 3.
        exit 0
        ");
        assert_snapshot!(desk.types("stats --until 1h").await, @"
        No calls were proposed in this time.
        exit 0
        ");
        desk.apply_policy("default = \"ask\"").await;
        desk.propose("t2", "call_1", "bash", "{}").await;
        desk.types("allow call_1 --thread t2 --as user:ada").await;
        let stats: serde_json::Value =
            serde_json::from_str(&desk.types("stats --since 1h --json").await.stdout).expect("JSON");
        let total = &stats["total"];
        assert_eq!(
            (&total["calls"], &total["asked"], &total["abandoned"]),
            (&5.into(), &4.into(), &3.into())
        );
        assert!(total["timeToDecide"]["medianMs"].is_u64(), "{stats}");
        assert!(desk.types("stats").await.stdout.contains("Time to decide:"));
    })
    .await;
}

#[tokio::test]
async fn calls_are_counted_per_day() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let days = desk.types("stats --days -60").await.stdout;
        assert!(days.starts_with("DAY ") && days.contains("\n20"), "{days}");
        let refused = desk.types("stats --days 900").await;
        assert!(refused.stderr.contains("minutes east of UTC, from -840 to 840"), "{}", refused.stderr);
    })
    .await;
}

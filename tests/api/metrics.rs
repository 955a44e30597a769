//! `GET /metrics`

use crate::ASK;
use countersign_tests::{HttpWorld, over_http};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Returns a series value.
async fn value(world: &HttpWorld, series: &str) -> String {
    let answer = world.anonymous().get("/metrics").await;
    assert_eq!(answer.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(answer.body.ends_with("# EOF\n"), "{answer}");
    let line = answer.body.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("there is no {series} in\n{}", answer.body)).to_owned()
}

#[tokio::test]
async fn metrics_grow_with_the_calls() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_eq!(value(world, "countersign_open_requests").await, "0");
        builder.proposes("a").await;
        builder.proposes("b").await;
        world.clock().advance(Duration::from_secs(90));
        assert_eq!(value(world, "countersign_open_requests").await, "2");
        assert_eq!(value(world, "countersign_oldest_open_request_age_seconds").await, "90.0");
        ada.denies("a").await;
        assert_eq!(value(world, "countersign_open_requests").await, "1");
        let proposed = r#"countersign_http_requests_total{route="/v1/threads/{thread}/tool-calls",method="POST",status="201"}"#;
        assert_eq!(value(world, proposed).await, "2");
        let took = r#"countersign_http_request_duration_seconds_count{route="/v1/threads/{thread}/tool-calls",method="POST"}"#;
        assert_eq!(value(world, took).await, "2");
    })
    .await;
}

/// Returns the names and labels of all counters and of the counts of all histograms.
async fn counted_series(world: &HttpWorld) -> BTreeMap<String, String> {
    let numbers = world.anonymous().get("/metrics").await.body;
    let series = numbers.lines().filter_map(|line| line.rsplit_once(' '));
    let counted = series.filter(|(name, _)| name.contains("_total") || name.contains("_count"));
    counted.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A monitoring system computes no rate from the first value of a series.
#[tokio::test]
async fn labelled_counters_start_at_zero() {
    over_http(ASK, async |world| {
        let before = counted_series(world).await;
        for series in [
            r#"countersign_decisions_total{decision="deny",source="approver"}"#,
            r#"countersign_requests_abandoned_total{how="expiry"}"#,
            r#"countersign_results_total{status="denied"}"#,
            r#"countersign_http_requests_total{route="/v1/approvals/pending",method="GET",status="500"}"#,
        ] {
            assert_eq!(before.get(series).map(String::as_str), Some("0"), "{series}");
        }
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes(id).await;
        }
        ada.allows("a").await;
        ada.denies("b").await;
        for list in ["events", "events?tool=bash", "tool-calls", "approvals/pending", "grants", "mode"] {
            assert_eq!(ada.get(&format!("/v1/threads/t/{list}")).await.status, 200, "{list}");
        }
        for list in ["events", "events?tool=bash", "tool-calls", "approvals/pending", "threads", "stats"] {
            assert_eq!(ada.get(&format!("/v1/{list}")).await.status, 200, "{list}");
        }
        builder.post("/v1/threads/t/close", "{}").await;
        let after = counted_series(world).await;
        // No alert needs the first value of these, and there is a series for each operation and each query.
        let is_of_use = |series: &&String| {
            !series.contains("_seconds_count{") && !series.starts_with("countersign_http_requests_total{")
        };
        let appeared: Vec<_> =
            after.keys().filter(is_of_use).filter(|series| !before.contains_key(*series)).collect();
        assert!(appeared.is_empty(), "these series have no zero: {appeared:#?}");
    })
    .await;
}

/// A monitoring system pays for each series.
#[tokio::test]
async fn fresh_server_has_few_series() {
    over_http(ASK, async |world| {
        let numbers = world.anonymous().get("/metrics").await.body;
        let series = numbers.lines().filter(|line| !line.starts_with('#')).count();
        assert!(series <= 400, "{series} series");
    })
    .await;
}

/// The names of Countersign's metrics in a string.
fn metric_names(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    parts.filter(|part| part.starts_with("countersign_")).map(str::to_owned).collect()
}

/// The dashboard and the alerts that the packages ship.
#[tokio::test]
async fn shipped_alerts_and_dashboard_name_metrics_that_exist() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.denies("a").await;
        ada.get("/v1/approvals/pending").await;
        let known = metric_names(&world.anonymous().get("/metrics").await.body);
        // They need a signing key, or a certificate.
        let rare = ["countersign_checkpoint_failures_total", "countersign_last_checkpoint_time_seconds"];
        for file in ["prometheus/alerts.yml", "grafana/countersign.json"] {
            let path = format!("{}/../packaging/{file}", env!("CARGO_MANIFEST_DIR"));
            let named = metric_names(&std::fs::read_to_string(path).expect("the file is shipped"));
            assert!(named.len() > 6, "{file}: {named:?}");
            let unknown: Vec<_> = named
                .iter()
                .filter(|name| !known.contains(*name) && !rare.contains(&name.as_str()))
                .collect();
            assert!(unknown.is_empty(), "{file} names metrics that do not exist: {unknown:?}");
        }
    })
    .await;
}

/// If a path that names a thread or a call was a label, each name would be a new series, and the metrics would
/// reveal the name.
#[tokio::test]
async fn unknown_paths_and_methods_share_one_series() {
    over_http(ASK, async |world| {
        world.person("ada").get("/v1/threads/nowhere/tool-calls/nowhere").await;
        world.person("ada").get("/nowhere").await;
        world.sends_raw("NOWHERE /healthz HTTP/1.1\r\nHost: localhost").await;
        let numbers = world.anonymous().get("/metrics").await.body;
        assert!(!numbers.to_lowercase().contains("nowhere"), "{numbers}");
        assert!(numbers.contains(r#"{route="none",method="GET",status="404"} 1"#), "{numbers}");
        assert!(numbers.contains(r#"{route="/healthz",method="other",status="405"} 1"#), "{numbers}");
    })
    .await;
}

#[tokio::test]
async fn cancelled_request_is_counted_when_it_completes() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let mut first = ada.streams("/v1/events", None).await;
        while !first.message().await.contains("id: 3") {}
        assert_eq!(value(world, "countersign_http_streams").await, "1");
        drop(first);
        builder.proposes("b").await;
        assert_eq!(value(world, "countersign_recovered_requests_total").await, "0");
        let mut again = ada.streams("/v1/events", Some("3")).await;
        while !again.message().await.contains("id: 5") {}
        assert_eq!(value(world, "countersign_recovered_requests_total").await, "1");
        assert_eq!(value(world, "countersign_missed_requests_total").await, "1");
        builder.proposes("c").await;
        while !again.message().await.contains("id: 7") {}
        assert_eq!(
            value(world, "countersign_recovered_requests_total").await,
            "1",
            "the stream delivers the new event"
        );
        for (path, counted) in [("/v1/approvals/pending", "4"), ("/api/threads/t/approvals/pending", "7")] {
            world.person("ada").get(path).await;
            for name in ["countersign_recovered_requests_total", "countersign_missed_requests_total"] {
                assert_eq!(
                    value(world, name).await,
                    counted,
                    "a list of pending calls recovers them: {path}"
                );
            }
        }
    })
    .await;
}

/// A stream's duration ends when the response starts. The whole duration would be known only after the reader
/// has disconnected.
#[tokio::test]
async fn stream_duration_ends_when_the_stream_is_open() {
    over_http(ASK, async |world| {
        let mut stream = world.person("ada").streams("/v1/events", None).await;
        stream.message().await;
        let took = r#"countersign_http_request_duration_seconds_count{route="/v1/events",method="GET"}"#;
        assert_eq!(value(world, took).await, "1", "the open stream is counted");
        let numbers = world.anonymous().get("/metrics").await.body;
        let help = numbers.lines().find(|line| line.starts_with("# HELP countersign_http_request_duration"));
        assert!(help.is_some_and(|help| help.contains("a stream until it was open")), "{help:?}");
    })
    .await;
}

/// Each read is a trip to the database and back.
#[tokio::test]
async fn cycle_under_one_policy_reads_nothing_first() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let hash = builder.proposes("a").await.json()["argumentsHash"].clone();
        ada.allows("a").await;
        let claim = serde_json::json!({"executor": "worker", "argumentsHash": hash}).to_string();
        assert_eq!(builder.post("/v1/threads/t/tool-calls/a/claim", &claim).await.status, 200);
        builder.finishes("a").await;
        let numbers = world.anonymous().get("/metrics").await.body;
        for query in ["call", "presence", "responses"] {
            let count = format!(r#"countersign_query_seconds_count{{query="{query}"}}"#);
            assert!(!numbers.contains(&count), "{query}");
        }
        assert!(numbers.contains(r#"countersign_query_seconds_count{query="policy_in_force"}"#), "{numbers}");
    })
    .await;
}

//! `countersign policy daily`, `countersign policy apply --daily`, and yesterday in `countersign status`

use crate::desk::{DeskScreen, TerminalDesk, with_desk};
use countersign_api::{self as api, ApprovalGate, CallGate, UtcOffset};
use countersign_events::{Decision, Principal};
use countersign_store::Clock;
use insta::assert_snapshot;
use std::time::Duration;

/// People decided about these calls a day ago: four of `git status` were allowed, and `git push` was denied. Returns the date.
async fn decide_yesterday(desk: &mut TerminalDesk) -> String {
    desk.set_variable("TZ", "UTC0");
    let before = Clock::System.now().before(Duration::from_hours(24));
    let (clock, _) = Clock::manual(before);
    let agent = desk.gate_at(clock).await;
    let person = agent.acting_as(Principal::user("ada"));
    let thread = api::parse_thread_id("t1").expect("a valid name");
    let commands = [
        ("git status", Decision::AllowOnce),
        ("git status -s", Decision::AllowOnce),
        ("git status src", Decision::AllowOnce),
        ("git status --short", Decision::AllowOnce),
        ("git push", Decision::Deny),
    ];
    for (n, (command, decision)) in commands.into_iter().enumerate() {
        let arguments = serde_json::json!({"command": command}).to_string();
        let call = api::ProposeRequest::new(&format!("call_{n}"), "bash", &arguments).expect("a valid call");
        let call = agent.propose(&thread, &call).await.expect("proposed");
        let request = api::DecisionRequest::plain(decision);
        person.decide(&thread, &call.id, &request).await.expect("decided");
    }
    agent.shut_down().await;
    UtcOffset::format_day(UtcOffset::default().day_of(before))
}

/// The output without dates.
fn undated(screen: &DeskScreen, date: &str) -> String {
    let day = UtcOffset::parse_day(date).expect("a date");
    screen.to_string().replace(date, "[day]").replace(&UtcOffset::format_day(day - 29), "[29 days before]")
}

#[tokio::test]
async fn day_without_calls_has_nothing_to_accept() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        assert_snapshot!(desk.types("policy daily 2026-01-31").await, @"
        2026-01-31: no calls.
        exit 0
        ");
        assert_snapshot!(desk.types("policy daily 2026-02-30").await, @r#"
        ! error: invalid value '2026-02-30' for '[DATE]': must be a date such as 2026-01-31, not "2026-02-30"
        ! 
        ! For more information, try '--help'.
        exit 2
        "#);
        assert_snapshot!(desk.types("policy apply --daily=2026-01-31 --yes --as user:ada").await, @"
        ! countersign: no rule is offered for 2026-01-31
        exit 3
        ");
        assert_snapshot!(desk.types("policy apply --daily p.toml").await, @"
        ! error: the argument '--daily[=<DATE>]' cannot be used with '[FILE]'
        ! 
        ! Usage: countersign policy apply --daily[=<DATE>] [FILE]
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn needless_prompts_are_switched_off() {
    with_desk(async |desk| {
        let date = decide_yesterday(desk).await;
        assert_snapshot!(undated(&desk.types(&format!("policy daily {date}")).await, &date), @r#"
        [day]: 5 calls, 5 asked, 4 allowed, 1 denied.
        4 of them would not have been asked with this rule. That would have allowed nothing that was refused: none of 1 call since [29 days before].

        bash, command `git status **`
          saves 4 prompts; user:ada allowed 4 calls like it in 1 thread
          would allow    git status src
          would allow    git status -s
          would allow    git status
          would allow    git status --short
          does not allow {"command":"git push"} (denied by user:ada)
            [[rule]] # 4 prompts in 1 thread, 4 different, allowed by user:ada
            name = "suggested: bash, command `git status **`"
            tool = "bash"
            principal = "agent:builder"
            command = "git status **"
            verdict = "allow"

        To accept: countersign policy apply --daily=[day]
        exit 0
        "#);
        let accept = format!("policy apply --daily={date} --as user:ada");
        assert_eq!(desk.types(&accept).await.code, 2, "it asks, and nobody answers");
        let accepted = desk.types(&format!("{accept} --yes")).await;
        assert_eq!(accepted.code, 0, "{accepted}");
        assert!(accepted.stdout.contains("+verdict = \"allow\""), "it shows what changes: {accepted}");
        desk.propose("t2", "call_1", "bash", r#"{"command":"git status -b"}"#).await;
        let shown = desk.types("show call_1 --thread t2").await.stdout;
        assert!(shown.starts_with("call_1  bash  allowed"), "{shown}");
        let json = desk.types(&format!("policy daily {date} --json")).await.stdout;
        let review: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let expected = serde_json::json!([5, 0, []]);
        assert_eq!(serde_json::json!([review["asked"], review["saved"], review["rules"]]), expected);
        let history = desk.types("policy history").await.stdout;
        assert!(history.contains(&format!("accepted rules of {date}")), "{history}");
    })
    .await;
}

#[tokio::test]
async fn status_says_what_was_needless() {
    with_desk(async |desk| {
        let date = decide_yesterday(desk).await;
        let status = desk.types("status").await.stdout;
        let now = Clock::System.now().before(Duration::from_hours(24));
        // At midnight, the calls become those of the day before yesterday.
        if UtcOffset::format_day(UtcOffset::default().day_of(now)) == date {
            let line = status.lines().last().unwrap_or_default();
            assert_snapshot!(line, @"yesterday: 5 calls, 5 asked, 4 allowed, 1 denied; 4 would not have been asked with 1 rule: countersign policy daily");
        }
    })
    .await;
}

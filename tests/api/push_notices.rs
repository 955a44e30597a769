//! Notifications of a server with a push service on this machine: what they say, to whom they are sent, and when they end. The
//! test moves the clock.

use crate::{
    own_server::OwnServer,
    push_devices::{registers, starts},
};
use countersign_api::{PolicyRequest, SendOperation, operations};
use countersign_events::{Principal, Role, Timestamp};
use countersign_push::PushRunner;
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, PushSubscriber, TargetAnswer, WebhookTarget, in_time, server_options};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// 2026-01-31, noon.
const NOON: i64 = 1_769_860_800_000;

const POLICY: &str = r#"
default = "ask"

[notify]
allow = ["low"]

[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }

[[rule]]
name = "escalates"
tool = "page"
verdict = "ask"
escalateAfter = "10m"
escalateTo = "admin"

[[rule]]
name = "ops alone"
tool = "deploy"
verdict = "ask"
approvers = ["@ops"]

[[rule]]
name = "bob alone"
tool = "sign"
verdict = "ask"
approvers = ["user:bob"]

[[rule]]
name = "proved"
tool = "wire"
verdict = "ask"
proof = "any"
"#;

/// A server that sends notifications, a push service, and Ada with her device.
struct PushWorld {
    server: OwnServer,
    service: WebhookTarget,
    phone: PushSubscriber,
    ada: String,
    bot: String,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl PushWorld {
    async fn start(service: WebhookTarget, clock: Clock) -> Self {
        let (server, sender) = starts(server_options(clock), true).await;
        let stop = CancellationToken::new();
        let running = tokio::spawn(PushRunner::new(server.gate.clone(), sender, false).run(stop.clone()));
        let phone = PushSubscriber::new(1, &service.url());
        let (ada, bot) = (server.token("ada", Role::Approver).await, server.token("bot", Role::Agent).await);
        let world = Self { server, service, phone, ada, bot, stop, running };
        world.applies(POLICY).await;
        world
    }

    /// Runs a story after Ada has registered her telephone. The log must hold afterwards.
    async fn with_phone(members: Value, story: impl AsyncFnOnce(Self) -> Self) {
        in_time(async {
            let world = Self::start(WebhookTarget::accepting().await, Clock::System).await;
            world.adds_phone(&members).await;
            story(world).await.end().await;
        })
        .await;
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.expect("no panic");
        let report = self.server.gate.verify(|_| ()).await.expect("the log reads");
        assert!(report.holds(), "{report:?}");
        self.server.end().await;
    }

    async fn adds_phone(&self, members: &Value) -> String {
        let added = registers(&self.server, &self.ada, &self.phone.request(members)).await;
        assert_eq!(added.status, 201, "{added}");
        added.text("id")
    }

    async fn applies(&self, text: &str) {
        let gate = self.server.gate.acting_as(Principal::user("root"));
        let replaces = gate.send(operations::ShowPolicy {}).await.expect("a policy").hash;
        let body = PolicyRequest {
            text: text.to_owned(),
            layers: Vec::new(),
            source: "a test".to_owned(),
            replaces,
        };
        gate.send(operations::ApplyPolicy { body }).await.expect("a valid policy");
    }

    async fn proposes(&self, thread: &str, id: &str, tool: &str, more: Value) {
        let mut call = json!({"id": id, "name": tool, "arguments": {"command": format!("make {id}")}});
        call.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let path = format!("/v1/threads/{thread}/tool-calls");
        let answer = self.server.asks(&self.bot, Method::POST, &path, &call.to_string()).await;
        assert_eq!(answer.status, 201, "{answer}");
    }

    async fn decides(&self, token: &str, thread: &str, id: &str, body: Value) -> HttpAnswer {
        let path = format!("/v1/threads/{thread}/approvals/{id}");
        self.server.asks(token, Method::POST, &path, &body.to_string()).await
    }

    /// Waits for the next message on Ada's telephone.
    async fn notices(&mut self) -> Value {
        self.phone.decrypts(&self.service.receives().await)
    }

    async fn reads_log(&self) -> String {
        self.server.asks(&self.ada, Method::GET, "/v1/events?limit=1000", "").await.body
    }

    /// The devices that the log still has.
    fn device_count(&self) -> usize {
        self.server.gate.list_push_devices(None).expect("listed").devices.len()
    }

    /// Waits until the server has ended all devices.
    async fn ends_devices(&self) {
        let mut tokens = self.server.gate.watch_tokens();
        while self.device_count() > 0 {
            tokens.changed().await.expect("the server runs");
        }
    }
}

fn low() -> Value {
    json!({"impact": {"riskLevel": "low"}})
}

#[tokio::test]
async fn notification_says_tool_agent_risk_and_argument() {
    PushWorld::with_phone(json!({}), async |mut world| {
        world.proposes("t", "a", "mail", json!({"impact": {"riskLevel": "high"}})).await;
        let message = world.service.receives().await;
        for (name, value) in
            [("urgency", "high"), ("ttl", "86400"), ("content-type", "application/octet-stream")]
        {
            assert_eq!(message.header(name), value);
        }
        assert_eq!(message.header("topic").len(), 32, "a name that tells the push service nothing");
        assert!(message.header("authorization").starts_with("vapid t=eyJ"), "{:?}", message.headers);
        let notice = world.phone.decrypts(&message);
        assert_eq!(
            (&notice["title"], &notice["body"]),
            (&json!("bot asks: mail"), &json!("Risk, as the agent says: high\nmake a"))
        );
        assert_eq!(
            (&notice["kind"], &notice["thread"], &notice["call"]),
            (&json!("ask"), &json!("t"), &json!("a"))
        );
        assert_eq!(
            (&notice["waiting"], &notice["allow"], &notice["alert"]),
            (&json!(1), &json!(false), &json!(true))
        );
        world
    })
    .await;
}

#[tokio::test]
async fn secrets_are_masked_and_not_allowed_unseen() {
    PushWorld::with_phone(json!({}), async |mut world| {
        let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
        let masked = json!({"arguments": {"command": format!("deploy --token {secret}")}, "impact": {"riskLevel": "low"}});
        world.proposes("t", "a", "mail", masked).await;
        let notice = world.notices().await;
        assert!(!notice.to_string().contains(secret), "{notice}");
        assert_eq!(notice["allow"], false, "the person has not seen the whole call");
        let two = json!({"arguments": {"command": "ls", "then": "rm"}, "impact": {"riskLevel": "low"}});
        world.proposes("t2", "b", "mail", two).await;
        assert_eq!(world.notices().await["allow"], false, "only one argument is shown");
        // Each would look like another call: the name is not shown, nor line breaks and blanks as they are.
        for (number, arguments) in [
            json!({"delete": "reports"}),
            json!({"command": "rm 'a  b'"}),
            json!({"command": "ls\nrm -r x"}),
            json!({"command": "ls "}),
            json!({"command": ["ls", "-l"]}),
        ].into_iter().enumerate() {
            let call = json!({"arguments": arguments, "impact": {"riskLevel": "low"}});
            world.proposes(&format!("like-{number}"), "a", "mail", call).await;
            assert_eq!(world.notices().await["allow"], false, "{arguments}");
        }
        let placed = json!({"place": {"program": "/usr/bin/mailer"}, "impact": {"riskLevel": "low"}});
        world.proposes("placed", "a", "mail", placed).await;
        let notice = world.notices().await;
        assert!(notice["body"].as_str().expect("text").contains("in program /usr/bin/mailer"), "{notice}");
        assert_eq!(notice["allow"], true, "the place is shown, too");
        world.proposes("t3", "c", "mail", low()).await;
        assert_eq!(world.notices().await["allow"], true);
        world.proposes("t4", "d", "wire", low()).await;
        let notice = world.notices().await;
        assert_eq!((&notice["allow"], &notice["waiting"]), (&json!(false), &json!(10)), "the rule asks for a proof");
        world
    })
    .await;
}

#[tokio::test]
async fn thread_has_one_notification_until_anybody_decides() {
    PushWorld::with_phone(json!({}), async |mut world| {
        world.proposes("t", "a", "mail", json!({})).await;
        let first = world.service.receives().await;
        world.proposes("t", "b", "mail", json!({})).await;
        let second = world.service.receives().await;
        assert_eq!(first.header("topic"), second.header("topic"), "a waiting message is replaced");
        let notice = world.phone.decrypts(&second);
        assert_eq!((&notice["call"], &notice["waiting"]), (&json!("b"), &json!(2)));
        let bob = world.server.token("bob", Role::Approver).await;
        assert_eq!(world.decides(&bob, "t", "b", json!({"decision": "deny"})).await.status, 200);
        let notice = world.notices().await;
        assert_eq!(
            (&notice["call"], &notice["alert"]),
            (&json!("a"), &json!(false)),
            "the other call waits, without a sound"
        );
        world.decides(&bob, "t", "a", json!({"decision": "allow_once"})).await;
        let message = world.service.receives().await;
        assert_eq!(message.header("urgency"), "normal");
        let notice = world.phone.decrypts(&message);
        assert_eq!(
            (&notice["kind"], &notice["thread"], &notice["waiting"]),
            (&json!("withdraw"), &json!("t"), &json!(0))
        );
        world
    })
    .await;
}

#[tokio::test]
async fn only_people_who_may_decide_are_told() {
    PushWorld::with_phone(json!({}), async |mut world| {
        let tablet = PushSubscriber::new(2, &format!("{}/tablet", world.service.url()));
        let bob = world.server.creates_token("bob", Role::Approver, &["other-*"], countersign_events::TokenKind::Token).await;
        registers(&world.server, &bob, &tablet.request(&json!({}))).await;
        world.proposes("t", "a", "mail", json!({})).await;
        assert_eq!(world.notices().await["call"], "a", "Bob does not see the thread");
        world.proposes("other-1", "b", "deploy", json!({})).await;
        assert_eq!(world.notices().await["call"], "b", "Bob is not one of its approvers");
        world.applies("default = \"ask\"\n[approvers]\n\"user:bob\" = { groups = [\"ops\"] }\n[[rule]]\nname = \"ops\"\ntool = \"deploy\"\nverdict = \"ask\"\napprovers = [\"@ops\"]\n").await;
        world.proposes("other-2", "c", "deploy", json!({})).await;
        // By the newer policy Bob decides the older call, too, and the telephone learns that Ada decides neither.
        loop {
            let message = world.service.receives().await;
            if message.path.ends_with("/tablet") && tablet.decrypts(&message)["call"] == "c" {
                break;
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn delegate_is_told_and_decides_on_the_card() {
    PushWorld::with_phone(json!({}), async |mut world| {
        let bob = world.server.token("bob", Role::Approver).await;
        let body = json!({"to": "user:ada", "expiresInSeconds": 3_600}).to_string();
        let handed = world.server.asks(&bob, Method::POST, "/v1/delegations", &body).await;
        assert_eq!(handed.status, 201, "{handed}");
        world.proposes("t", "a", "sign", low()).await;
        let notice = world.notices().await;
        assert_eq!(
            (&notice["call"], &notice["decide"], &notice["allow"]),
            (&json!("a"), &json!(false), &json!(false))
        );
        world.proposes("t", "b", "mail", low()).await;
        let notice = world.notices().await;
        assert_eq!(
            (&notice["call"], &notice["decide"], &notice["allow"]),
            (&json!("b"), &json!(true), &json!(true))
        );
        world
    })
    .await;
}

#[tokio::test]
async fn quiet_device_gets_only_escalated_requests() {
    in_time(async {
        let (clock, manual) = Clock::manual(Timestamp::from_millis(NOON));
        let mut world = PushWorld::start(WebhookTarget::accepting().await, clock).await;
        let quiet = json!({"startMinute": 11 * 60, "endMinute": 12 * 60 + 30, "utcOffsetMinutes": 0});
        world.adds_phone(&json!({ "quiet": quiet })).await;
        world.proposes("t", "a", "mail", json!({})).await;
        world.proposes("t2", "b", "page", json!({})).await;
        manual.advance(Duration::from_mins(11));
        let notice = world.notices().await;
        assert_eq!((&notice["call"], &notice["waiting"]), (&json!("b"), &json!(2)));
        assert!(notice["body"].as_str().expect("text").starts_with("Escalated\n"), "{notice}");
        manual.advance(Duration::from_mins(20));
        assert_eq!(world.notices().await["call"], "a", "the quiet hours are over");
        world.end().await;
    })
    .await;
}

#[tokio::test]
async fn decision_in_notification_names_what_was_shown() {
    PushWorld::with_phone(json!({}), async |mut world| {
        world.proposes("t", "a", "mail", low()).await;
        let notice = world.notices().await;
        let tap = |decision: &str| json!({"decision": decision, "argumentsHash": notice["argumentsHash"], "channel": "notification"});
        let eve = world.server.token("eve", Role::Auditor).await;
        let foreign = world.decides(&eve, "t", "a", tap("deny")).await;
        assert_eq!((foreign.status, foreign.text("code").as_str()), (403, "not_permitted"), "an account without rights");
        let unseen = world.decides(&world.ada, "t", "a", json!({"decision": "deny", "channel": "notification"})).await;
        assert_eq!((unseen.status, unseen.text("code").as_str()), (422, "invalid"));
        let allowed = world.decides(&world.ada, "t", "a", tap("allow_once")).await;
        assert_eq!(allowed.status, 200, "{allowed}");
        assert!(allowed.body.contains(r#""channel":"notification""#), "{allowed}");
        assert_eq!(world.notices().await["kind"], "withdraw");
        let before = world.reads_log().await;
        assert_eq!(world.decides(&world.ada, "t", "a", tap("allow_once")).await.status, 200, "a replay");
        assert_eq!(world.reads_log().await, before, "writes nothing");
        let late = world.decides(&world.ada, "t", "a", tap("deny")).await;
        assert_eq!((late.status, late.text("code").as_str()), (409, "already_decided"), "a late action");
        world.proposes("t", "b", "wire", low()).await;
        let notice = world.notices().await;
        let tap = json!({"decision": "allow_once", "argumentsHash": notice["argumentsHash"], "channel": "notification"});
        let refused = world.decides(&world.ada, "t", "b", tap).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (422, "not_offered"), "the rule asks for a proof");
        world
    })
    .await;
}

#[tokio::test]
async fn gone_subscription_ends_with_an_event() {
    for status in [404, 410] {
        in_time(async {
            let service = WebhookTarget::start(move |_, _| TargetAnswer::Status(status)).await;
            let mut world = PushWorld::start(service, Clock::System).await;
            world.adds_phone(&json!({})).await;
            world.proposes("t", "a", "mail", json!({})).await;
            world.service.receives().await;
            world.ends_devices().await;
            let log = world.reads_log().await;
            assert!(
                log.contains("PUSH_DEVICE_REMOVED") && log.contains(&format!("answered {status}")),
                "{log}"
            );
            world.end().await;
        })
        .await;
    }
}

#[tokio::test]
async fn failed_notification_is_sent_again() {
    in_time(async {
        let answer = |number| TargetAnswer::Status(if number == 0 { 503 } else { 201 });
        let service = WebhookTarget::start(move |number, _| answer(number)).await;
        let mut world = PushWorld::start(service, Clock::System).await;
        world.adds_phone(&json!({})).await;
        world.proposes("t", "a", "mail", json!({})).await;
        for _ in 0..2 {
            assert_eq!(world.notices().await["call"], "a");
        }
        world.end().await;
    })
    .await;
}

#[tokio::test]
async fn signed_out_person_is_told_nothing_more() {
    PushWorld::with_phone(json!({}), async |mut world| {
        world.proposes("t", "a", "mail", json!({})).await;
        world.notices().await;
        let left = world.server.asks(&world.ada, Method::DELETE, "/v1/sessions/current", "").await;
        assert_eq!(left.status, 200, "{left}");
        world.ends_devices().await;
        world.proposes("t2", "b", "mail", json!({})).await;
        let root = world.server.token("root", Role::Admin).await;
        let log = world.server.asks(&root, Method::GET, "/v1/events?limit=1000", "").await;
        assert!(log.body.contains("PUSH_DEVICE_REMOVED") && log.body.contains("signed out"), "{log}");
        assert!(world.service.received().is_empty(), "nothing is sent");
        world
    })
    .await;
}

#[tokio::test]
async fn device_is_told_only_of_later_requests() {
    in_time(async {
        let mut world = PushWorld::start(WebhookTarget::accepting().await, Clock::System).await;
        world.proposes("t", "a", "mail", json!({})).await;
        let id = world.adds_phone(&json!({})).await;
        world.proposes("t2", "b", "mail", json!({})).await;
        let notice = world.notices().await;
        assert_eq!((&notice["call"], &notice["waiting"]), (&json!("b"), &json!(2)));
        let path = format!("/v1/push/devices/{id}");
        assert_eq!(world.server.asks(&world.ada, Method::DELETE, &path, "").await.status, 200);
        world.proposes("t3", "c", "mail", json!({})).await;
        world.stop.cancel();
        assert!(world.service.received().is_empty(), "a removed device gets nothing");
        world.end().await;
    })
    .await;
}

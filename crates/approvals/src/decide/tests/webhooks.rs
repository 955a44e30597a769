//! Webhooks: who may add them, and how deliveries are recorded.

use super::*;
use crate::{admissibility::AdmissibilityCheck, registry::MAX_WEBHOOKS, webhook_directory::WebhookDirectory};
use countersign_events::{
    Event, WebhookAdded, WebhookDelivered, WebhookFormat, WebhookParked, WebhookRemoved, WebhookRetried,
    WebhookSecretSet, WebhookTopic,
};

fn webhook(name: &str) -> WebhookAdded {
    WebhookAdded {
        name: name.to_owned(),
        format: WebhookFormat::Standard,
        host: "https://hooks.example".to_owned(),
        sealed: "1.k.x".to_owned(),
        topics: vec![WebhookTopic::Opened],
        threads: vec!["ci/*".to_owned()],
        allow_private: false,
        arguments: false,
    }
}

fn pager(topics: &[WebhookTopic]) -> WebhookAdded {
    WebhookAdded { format: WebhookFormat::PagerDuty, topics: topics.to_vec(), ..webhook("pager") }
}

fn delivered(up_to: i64, retried: &[i64]) -> Body {
    Body::WebhookDelivered(WebhookDelivered { webhook: 1, up_to, retried: retried.to_vec() })
}

fn parked(event: i64) -> Body {
    Body::WebhookParked(WebhookParked { webhook: 1, event, attempts: 3, reason: "no answer".to_owned() })
}

fn retried(events: &[i64]) -> Body {
    Body::WebhookRetried(WebhookRetried { webhook: 1, events: events.to_vec() })
}

fn secret_set(old_secret_until: Option<Timestamp>) -> Body {
    Body::WebhookSecretSet(WebhookSecretSet {
        webhook: 1,
        sealed: "1.key.other".to_owned(),
        old_secret_until,
    })
}

impl DecisionStory {
    fn webhooks(&mut self, by: Principal, fact: Body) -> Result<Vec<String>, Refused> {
        self.set_by(by);
        self.execute(CommandTarget::Log, record(fact))
    }

    fn adds(&mut self, webhook: WebhookAdded) -> Result<Vec<String>, Refused> {
        self.webhooks(Principal::user("root"), Body::WebhookAdded(webhook))
    }

    fn records(&mut self, fact: Body) -> Result<Vec<String>, Refused> {
        self.webhooks(Principal::system("webhooks"), fact)
    }

    fn webhook_directory(&self) -> WebhookDirectory {
        let mut directory = WebhookDirectory::default();
        for event in &self.log {
            directory.evolve(event, &Body::read(event.seq, event.kind, &event.data).expect("reads"));
        }
        directory
    }
}

fn check_log(log: impl Iterator<Item = Event>) -> Vec<String> {
    let mut check = AdmissibilityCheck::default();
    let mut findings: Vec<_> = log.flat_map(|event| check.check(event)).collect();
    findings.extend(check.finish());
    findings.into_iter().map(|finding| format!("{}: {}", finding.seq, finding.reason)).collect()
}

#[test]
fn only_people_add_remove_and_retry() {
    let mut story = given("");
    let agent = || Principal::agent("bot");
    assert_eq!(code(story.webhooks(agent(), Body::WebhookAdded(webhook("ops")))), "not_an_approver");
    story.adds(webhook("ops")).expect("a person adds it");
    story.records(parked(3)).expect("the service parks");
    assert_eq!(code(story.webhooks(agent(), retried(&[3]))), "not_an_approver");
    let remove = || Body::WebhookRemoved(WebhookRemoved { webhook: 1 });
    assert_eq!(code(story.webhooks(agent(), remove())), "not_an_approver");
    story.webhooks(Principal::user("root"), remove()).expect("a person removes it");
    assert_eq!(code(story.records(delivered(9, &[]))), "unknown_webhook", "a late server records nothing");
    story.adds(webhook("ops")).expect("the name is free again");
    assert_eq!(check_log(story.log.into_iter()), Vec::<String>::new());
}

#[test]
fn webhook_that_breaks_a_rule_is_refused() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    for bad in [
        webhook("ops"),
        webhook(""),
        webhook("two words"),
        webhook("a/b"),
        webhook(&"x".repeat(65)),
        WebhookAdded { format: WebhookFormat::Other, ..webhook("a") },
        WebhookAdded { topics: vec![WebhookTopic::Other], ..webhook("a") },
        WebhookAdded { topics: vec![WebhookTopic::Opened; WebhookTopic::ALL.len() + 1], ..webhook("a") },
        pager(&[WebhookTopic::Opened, WebhookTopic::Voted]),
        pager(&[WebhookTopic::Advised]),
        pager(&[WebhookTopic::AdvisorMode]),
        pager(&[WebhookTopic::Decided, WebhookTopic::Mismatch]),
        WebhookAdded { threads: vec!["[".to_owned()], ..webhook("a") },
        WebhookAdded { threads: vec!["x".to_owned(); 65], ..webhook("a") },
        WebhookAdded { sealed: "x".repeat(10_000), ..webhook("a") },
    ] {
        assert_eq!(code(story.adds(bad.clone())), "invalid", "{bad:?}");
    }
    for number in 1..MAX_WEBHOOKS {
        story.adds(webhook(&format!("w{number}"))).expect("added");
    }
    assert_eq!(code(story.adds(webhook("one-more"))), "invalid");
}

#[test]
fn pager_has_the_topics_of_alerts() {
    let mut story = given("");
    for topics in [
        &[][..],
        &[WebhookTopic::Mismatch],
        &[WebhookTopic::Escalated, WebhookTopic::Decided, WebhookTopic::Expired],
    ] {
        let name = format!("pager-{}", topics.len());
        story.adds(WebhookAdded { name: name.clone(), ..pager(topics) }).expect("added");
        let directory = story.webhook_directory();
        let record = directory.find(&name).expect("known");
        assert!(!record.has_topic(WebhookTopic::Voted) && !record.has_topic(WebhookTopic::AdvisorMode));
        let is_chosen = topics.is_empty() || topics.contains(&WebhookTopic::Escalated);
        assert_eq!(record.has_topic(WebhookTopic::Escalated), is_chosen, "{topics:?}");
    }
    let jira =
        WebhookAdded { format: WebhookFormat::Jira, topics: vec![WebhookTopic::Decided], ..webhook("jira") };
    story.adds(jira).expect("rules of Jira get any topic");
}

#[test]
fn delivery_moves_the_cursor_and_never_back() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    assert_eq!(story.webhook_directory().find("ops").expect("known").cursor, 1, "it begins after itself");
    assert_eq!(story.records(delivered(7, &[])).expect("recorded").len(), 1);
    assert_eq!(story.records(delivered(7, &[])), Ok(Vec::new()));
    assert_eq!(story.records(delivered(5, &[])), Ok(Vec::new()));
    assert_eq!(story.webhook_directory().find("ops").expect("known").cursor, 7);
    assert_eq!(code(story.webhooks(Principal::user("root"), delivered(9, &[]))), "invalid");
}

#[test]
fn parked_message_is_retried_and_delivered() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    assert_eq!(story.records(parked(5)).expect("parked").len(), 1);
    assert_eq!(story.records(parked(5)), Ok(Vec::new()), "another server gave up, too");
    let root = || Principal::user("root");
    assert_eq!(code(story.webhooks(root(), retried(&[6]))), "invalid", "it is not parked");
    assert_eq!(story.webhooks(root(), retried(&[5])).expect("retried").len(), 1);
    assert_eq!(story.webhooks(root(), retried(&[5])), Ok(Vec::new()));
    assert_eq!(story.records(parked(5)).expect("it failed again").len(), 1);
    story.webhooks(root(), retried(&[5])).expect("retried");
    story.records(delivered(1, &[5])).expect("delivered");
    assert!(story.webhook_directory().find("ops").expect("known").parked.is_empty());
    assert_eq!(check_log(story.log.into_iter()), Vec::<String>::new());
}

#[test]
fn two_secrets_sign_at_most_for_thirty_days() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    let (root, day) = (|| Principal::user("root"), Duration::from_hours(24));
    let start = story.now;
    for (until, why) in [(start, "it has passed"), (start.after(day * 31), "it is too far away")] {
        assert_eq!(code(story.webhooks(root(), secret_set(Some(until)))), "invalid", "{why}");
    }
    assert_eq!(code(story.webhooks(Principal::agent("bot"), secret_set(None))), "not_an_approver");
    story.webhooks(root(), secret_set(Some(start.after(day)))).expect("set");
    assert_eq!(
        code(story.webhooks(root(), secret_set(Some(start.after(day))))),
        "invalid",
        "two sign already"
    );
    let directory = story.webhook_directory();
    let ops = directory.find("ops").expect("known");
    assert_eq!((ops.sealed(), ops.old_secret_until(start)), ("1.key.other", Some(start.after(day))));
    assert_eq!(ops.old_secret_until(start.after(day)), None);
    story.webhooks(root(), secret_set(None)).expect("the old one is ended");
    story.webhooks(root(), secret_set(Some(start.after(day)))).expect("one secret signed");
    story.later(24 * 3_600);
    story.webhooks(root(), secret_set(Some(start.after(day * 2)))).expect("the old one has ended");
    assert_eq!(check_log(story.log.into_iter()), Vec::<String>::new());
}

#[test]
fn chat_has_no_signing_secret() {
    let mut story = given("");
    story.adds(WebhookAdded { format: WebhookFormat::Slack, ..webhook("ops") }).expect("added");
    assert_eq!(code(story.webhooks(Principal::user("root"), secret_set(None))), "invalid");
}

#[test]
fn webhook_has_messages_of_its_topics_and_threads() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    let directory = story.webhook_directory();
    let ops = directory.find("ops").expect("known");
    let thread = |text| ThreadId::new(text).expect("valid");
    assert!(ops.has_topic(WebhookTopic::Opened) && !ops.has_topic(WebhookTopic::Decided));
    assert!(ops.has_thread(&thread("ci/7")) && !ops.has_thread(&thread("prod")));
}

#[test]
fn verify_names_webhooks_that_rules_would_refuse() {
    let mut story = given("");
    story.adds(webhook("ops")).expect("added");
    story.records(delivered(7, &[])).expect("recorded");
    let forged = story.log.iter().cloned().map(|event| Event { principal: Principal::agent("bot"), ..event });
    let findings = check_log(forged);
    assert_eq!(findings.len(), 2, "{findings:?}");
}

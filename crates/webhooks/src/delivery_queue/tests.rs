//! Stories about one queue, with times as values.

use super::*;
use crate::webhook_message::CallSubject;

const WEBHOOK: i64 = 1;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn message(seq: i64, thread: &str) -> WebhookMessage {
    let test = WebhookMessage::test(format!("evt_{seq}"), at(0), "https://x.example");
    let call = test.call.map(|call| CallSubject { thread: thread.to_owned(), ..call });
    WebhookMessage { seq, call, is_test: false, ..test }
}

fn queue_of(messages: &[(i64, &str)]) -> DeliveryQueue {
    let mut queue = DeliveryQueue::restore(WEBHOOK, &WebhookProgress::default());
    for (seq, thread) in messages {
        queue.offer(message(*seq, thread));
    }
    queue
}

fn started(queue: &mut DeliveryQueue, seconds: i64) -> Vec<i64> {
    queue.start_ready(at(seconds)).iter().map(|message| message.seq).collect()
}

fn failed(reason: &str) -> FailedAttempt {
    FailedAttempt { reason: reason.to_owned(), retry_after: None, is_gone: false }
}

#[test]
fn messages_of_a_thread_are_sent_in_order() {
    let mut queue = queue_of(&[(2, "a"), (3, "a"), (4, "b")]);
    assert_eq!(started(&mut queue, 0), [2, 4]);
    assert_eq!(started(&mut queue, 0), [0; 0]);
    queue.deliver(4);
    assert_eq!(queue.cursor(), 1, "the first one is not delivered");
    queue.deliver(2);
    assert_eq!((started(&mut queue, 0), queue.cursor()), (vec![3], 2));
    queue.deliver(3);
    assert_eq!((queue.cursor(), started(&mut queue, 0)), (4, Vec::new()));
}

#[test]
fn failed_message_holds_up_its_own_thread_only() {
    let mut queue = queue_of(&[(2, "a"), (3, "a"), (4, "b"), (5, "b")]);
    started(&mut queue, 0);
    assert_eq!(queue.fail(WEBHOOK, 2, &failed("500"), at(0), 0, 0), None);
    queue.deliver(4);
    assert_eq!(started(&mut queue, 0), [5]);
    assert_eq!(queue.next_attempt(), Some(at(1)));
    assert_eq!(started(&mut queue, 1), [2]);
}

#[test]
fn message_is_parked_after_too_many_failures() {
    let mut queue = queue_of(&[(2, "a"), (3, "a")]);
    let mut now = 0;
    for attempt in 1..=MAX_ATTEMPTS {
        assert_eq!(started(&mut queue, now), [2], "attempt {attempt}");
        let parked = queue.fail(WEBHOOK, 2, &failed("500"), at(now), 0, 0);
        assert_eq!(parked.is_some(), attempt == MAX_ATTEMPTS, "attempt {attempt}");
        if let Some(parked) = parked {
            assert_eq!((parked.event, parked.attempts, parked.reason.as_str()), (2, MAX_ATTEMPTS, "500"));
        }
        now += 3_600;
    }
    queue.deliver(2);
    assert_eq!((started(&mut queue, now), queue.cursor()), (vec![3], 2));
}

#[test]
fn target_that_is_gone_parks_at_once() {
    let mut queue = queue_of(&[(2, "a")]);
    started(&mut queue, 0);
    let gone = FailedAttempt { is_gone: true, ..failed("410") };
    assert!(queue.fail(WEBHOOK, 2, &gone, at(0), 0, 0).is_some());
    let mut queue = queue_of(&[(2, "a")]);
    started(&mut queue, 0);
    assert_eq!(
        queue.fail(WEBHOOK, 2, &gone, at(0), 0, MAX_PARKED),
        None,
        "the log has enough parked messages"
    );
    assert!(queue.next_attempt().is_some(), "it is sent again later");
}

#[test]
fn next_holder_repeats_only_what_was_not_delivered() {
    let mut queue = queue_of(&[(2, "a"), (3, "b"), (4, "a")]);
    started(&mut queue, 0);
    queue.deliver(3);
    queue.fail(WEBHOOK, 2, &failed("500"), at(0), 0, 0);
    let progress = WebhookProgress::parse(&queue.progress().to_text());
    assert_eq!((progress.cursor, progress.done.as_slice()), (1, &[3][..]));
    let mut next = DeliveryQueue::restore(WEBHOOK, &progress);
    for (seq, thread) in [(2, "a"), (3, "b"), (4, "a"), (5, "b")] {
        next.offer(message(seq, thread));
    }
    assert_eq!(started(&mut next, 0), [5], "3 is delivered, and 2 waits");
    assert_eq!(started(&mut next, 1), [2]);
    let (attempts, _) = (next.progress().failing[0].attempts, next.deliver(2));
    assert_eq!(attempts, 1, "the next holder knows the earlier attempts");
}

#[test]
fn cursor_of_the_log_counts_without_a_state() {
    let mut queue = DeliveryQueue::restore(7, &WebhookProgress::parse("not JSON"));
    queue.offer(message(6, "a"));
    queue.offer(message(8, "a"));
    assert_eq!(started(&mut queue, 0), [8]);
}

#[test]
fn extra_message_does_not_move_the_cursor() {
    let mut queue = queue_of(&[(5, "a")]);
    queue.offer_extra(message(2, "b"));
    assert_eq!(started(&mut queue, 0), [5, 2]);
    assert!(queue.deliver(2), "an extra one");
    assert_eq!(queue.cursor(), 4);
    assert!(!queue.deliver(5));
}

#[test]
fn full_queue_asks_for_no_more() {
    let mut queue = DeliveryQueue::default();
    for seq in 1..=256 {
        assert!(!queue.is_full());
        queue.offer(message(seq, &format!("thread {seq}")));
    }
    assert!(queue.is_full());
    assert_eq!(started(&mut queue, 0).len(), MAX_SENDING);
}

#[test]
fn events_without_messages_move_the_cursor() {
    let mut queue = queue_of(&[]);
    queue.note_offered(9);
    assert_eq!(queue.cursor(), 9);
    queue.offer(message(10, "a"));
    queue.note_offered(12);
    assert_eq!(queue.cursor(), 9);
}

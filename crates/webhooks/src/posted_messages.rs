//! The chat messages about calls that are not decided yet, which change with their calls.

use countersign_gate::PostedMessage;
use std::collections::BTreeMap;

/// The most messages that are kept. If more calls wait, the oldest messages do not change any more, and a click on one of them
/// is answered with the call's state.
const MAX_POSTED: usize = 1_000;

/// What became of the message about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PostedChange {
    /// It changes with the call from now on.
    Keep(PostedMessage),
    /// The request with this `seq` is decided, so the message is final.
    Forget(i64),
}

/// The messages, by the `seq` of the approval request.
#[derive(Debug, Default)]
pub(crate) struct PostedMessages {
    messages: BTreeMap<i64, String>,
}

impl PostedMessages {
    pub(crate) fn restore(posted: &[PostedMessage]) -> Self {
        Self { messages: posted.iter().map(|posted| (posted.request, posted.message.clone())).collect() }
    }

    /// The message about a request.
    pub(crate) fn find(&self, request: i64) -> Option<String> {
        self.messages.get(&request).cloned()
    }

    pub(crate) fn apply(&mut self, change: PostedChange) {
        match change {
            PostedChange::Keep(posted) => {
                self.messages.insert(posted.request, posted.message);
                if self.messages.len() > MAX_POSTED {
                    self.messages.pop_first();
                }
            }
            PostedChange::Forget(request) => {
                self.messages.remove(&request);
            }
        }
    }

    /// All messages.
    pub(crate) fn all(&self) -> Vec<PostedMessage> {
        let posted = |(request, message): (&i64, &String)| PostedMessage {
            request: *request,
            message: message.clone(),
        };
        self.messages.iter().map(posted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_gate::WebhookProgress;

    fn keep(request: i64) -> PostedChange {
        PostedChange::Keep(PostedMessage { request, message: format!("C1/{request}") })
    }

    #[test]
    fn messages_are_kept_until_the_decision() {
        let mut posted = PostedMessages::default();
        posted.apply(keep(4));
        posted.apply(keep(9));
        let progress = WebhookProgress { posted: posted.all(), ..WebhookProgress::default() };
        let mut again = PostedMessages::restore(&WebhookProgress::parse(&progress.to_text()).posted);
        assert_eq!((again.find(4).as_deref(), again.find(5)), (Some("C1/4"), None));
        again.apply(PostedChange::Forget(4));
        assert_eq!(again.all(), [PostedMessage { request: 9, message: "C1/9".to_owned() }]);
    }

    #[test]
    fn oldest_message_goes_first() {
        let mut posted = PostedMessages::default();
        (1..=1_001).for_each(|request| posted.apply(keep(request)));
        assert_eq!((posted.all().len(), posted.find(1)), (MAX_POSTED, None));
    }

    #[test]
    fn state_of_an_older_server_is_read() {
        let old =
            r#"{"cursor":7,"seen":9,"isFull":false,"done":[8],"failing":[],"claims":[],"unrecorded":2}"#;
        let read = WebhookProgress::parse(old);
        assert_eq!((read.cursor, read.unrecorded, read.posted), (7, 2, Vec::new()));
    }
}

//! Thread conversations: which messages a thread has, and which of those that a client sends are new.
//!
//! Clients send a whole history again and again, and repeat a request whose answer was lost. A message is therefore
//! identified by its index in the conversation and its content, and what the log already has is not stored again.

use crate::Refused;
use countersign_events::{ConversationMessage, ErasedTexts, EventType, Json, MessageFormat, Sha256};
use countersign_redaction::Redactor;

/// The maximum number of messages in a conversation.
pub const MAX_MESSAGES: u32 = 100_000;

/// The valid messages of a thread, by index. The log may have others that a later message at the same index replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    messages: Vec<StoredMessage>,
    /// The events with messages, whether they count or not.
    seqs: Vec<i64>,
}

/// A message that the log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredMessage {
    /// The `seq` of its event.
    pub seq: i64,
    /// The hash of its content.
    pub content_hash: Sha256,
}

/// Where a message belongs that a client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePlace {
    /// Its index in the conversation, from 0.
    pub position: u32,
    /// The `seq` of its event, if the log has it already.
    pub stored: Option<i64>,
}

/// The messages that a client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentMessages<'a> {
    /// One message, at the end. If it is the last one that the log has, it was sent before.
    Next(Sha256),
    /// The conversation from this index on; from index 0, the whole conversation.
    From(u32, &'a [Sha256]),
    /// A client's own copy of the conversation, which may lack what others said. It replaces nothing.
    Copied(&'a [Sha256]),
}

impl Conversation {
    /// Adds a message event, in `seq` order. It replaces the message at the same index and all messages after it. A
    /// message past the end is ignored: another program wrote it.
    pub fn add(&mut self, position: u32, message: StoredMessage) {
        let position = position as usize;
        self.seqs.push(message.seq);
        if position <= self.messages.len() {
            self.messages.truncate(position);
            self.messages.push(message);
        }
    }

    /// Skips a message event that another program wrote in another form. The message is ignored.
    pub fn pass(&mut self, seq: i64) {
        self.seqs.push(seq);
    }

    /// The messages that count, in their order.
    #[must_use]
    pub fn messages(&self) -> &[StoredMessage] {
        &self.messages
    }

    /// The last message event's `seq`, ignored events included.
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.seqs.last().copied()
    }

    /// The `seq`s of all message events, in order, replaced ones included.
    #[must_use]
    pub fn seqs(&self) -> &[i64] {
        &self.seqs
    }

    /// The indexes of messages that a client sends. The first one that differs from the log, and all after it, are new.
    /// Fails if they leave a gap after the end, or if the conversation would become too long.
    pub fn find_places(&self, sent: SentMessages<'_>) -> Result<Vec<MessagePlace>, Refused> {
        let end = self.messages.len();
        let (from, hashes) = match &sent {
            SentMessages::From(from, hashes) => (*from as usize, *hashes),
            SentMessages::Next(hash) => {
                let is_last = self.messages.last().is_some_and(|last| last.content_hash == *hash);
                (if is_last { end - 1 } else { end }, std::slice::from_ref(hash))
            }
            SentMessages::Copied(hashes) => return self.find_copied(hashes),
        };
        if from > end {
            let why = format!("the conversation has {end} messages, so it cannot continue at {from}");
            return Err(Refused::Invalid { field: "from", why });
        }
        check_length(from + hashes.len())?;
        let known = self.messages[from..].iter().zip(hashes);
        let same = known.take_while(|(stored, hash)| stored.content_hash == **hash).count();
        let place = |index: usize| MessagePlace {
            // Within `MAX_MESSAGES`.
            position: u32::try_from(from + index).unwrap_or(MAX_MESSAGES),
            stored: (index < same).then(|| self.messages[from + index].seq),
        };
        Ok((0..hashes.len()).map(place).collect())
    }

    /// The indexes of copied messages: those that the log has are found in their order, with others between them. The first
    /// one that it does not have, and all after it, are new and go to the end.
    fn find_copied(&self, hashes: &[Sha256]) -> Result<Vec<MessagePlace>, Refused> {
        let mut rest = self.messages.iter().enumerate();
        let stored: Vec<_> = hashes
            .iter()
            .map_while(|hash| rest.find(|(_, message)| message.content_hash == *hash))
            .map(|(index, message)| (index, Some(message.seq)))
            .collect();
        let new = (self.messages.len()..).take(hashes.len() - stored.len()).map(|index| (index, None));
        check_length(self.messages.len() + hashes.len() - stored.len())?;
        let place =
            |(index, stored)| MessagePlace { position: u32::try_from(index).unwrap_or(MAX_MESSAGES), stored };
        Ok(stored.iter().copied().chain(new).map(place).collect())
    }
}

fn check_length(length: usize) -> Result<(), Refused> {
    if length <= MAX_MESSAGES as usize {
        return Ok(());
    }
    let why = format!("a conversation has {MAX_MESSAGES} messages at most; continue it in another thread");
    Err(Refused::Invalid { field: "messages", why })
}

/// A message that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The type of its event.
    pub kind: EventType,
    /// The data of its event.
    pub message: ConversationMessage,
}

impl NewMessage {
    /// The event for a message at `position`, with its secrets masked. The hash covers the unmasked content.
    #[must_use]
    pub fn masked(
        kind: EventType,
        position: u32,
        format: MessageFormat,
        content: &Json,
        content_hash: Sha256,
        redactor: &Redactor,
    ) -> Self {
        let (content, redacted) = match redactor.redact_json(content) {
            Some(masked) => (masked.json, masked.pointers),
            None => (content.clone(), Vec::new()),
        };
        let erased = ErasedTexts::new();
        Self {
            kind,
            message: ConversationMessage { position, format, content_hash, content, redacted, erased },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash(text: &str) -> Sha256 {
        Sha256::digest(text.as_bytes())
    }

    fn hashes(texts: &str) -> Vec<Sha256> {
        texts.chars().map(|letter| hash(&letter.to_string())).collect()
    }

    /// Stores the messages of each history that are new, as the gate does, and returns the numbers of new ones.
    fn store(conversation: &mut Conversation, from: u32, texts: &str) -> Vec<u32> {
        let hashes = hashes(texts);
        let places = conversation.find_places(SentMessages::From(from, &hashes)).expect("it fits");
        let mut new = Vec::new();
        for (place, content_hash) in places.iter().zip(hashes) {
            if place.stored.is_none() {
                let seq = conversation.last().unwrap_or(0) + 1;
                conversation.add(place.position, StoredMessage { seq, content_hash });
                new.push(place.position);
            }
        }
        new
    }

    fn texts(conversation: &Conversation) -> Vec<Sha256> {
        conversation.messages().iter().map(|message| message.content_hash).collect()
    }

    #[test]
    fn history_sent_again_adds_only_its_end() {
        let mut conversation = Conversation::default();
        assert_eq!(store(&mut conversation, 0, "ab"), [0, 1]);
        assert_eq!(store(&mut conversation, 0, "abcd"), [2, 3]);
        assert_eq!(store(&mut conversation, 0, "abcd"), [] as [u32; 0], "sent again");
        assert_eq!(
            store(&mut conversation, 0, "ab"),
            [] as [u32; 0],
            "a late repetition of the first request"
        );
        assert_eq!(
            store(&mut conversation, 2, "cdd"),
            [4],
            "a part of the history, and an equal message after it"
        );
        assert_eq!(texts(&conversation), hashes("abcdd"));
    }

    #[test]
    fn changed_history_replaces_what_follows() {
        let mut conversation = Conversation::default();
        store(&mut conversation, 0, "abcd");
        assert_eq!(store(&mut conversation, 0, "axd"), [1, 2], "the same message after a changed one is new");
        assert_eq!(texts(&conversation), hashes("axd"));
        assert_eq!(store(&mut conversation, 0, "abcd"), [1, 2, 3], "back to the first form");
        assert_eq!(texts(&conversation), hashes("abcd"));
    }

    #[test]
    fn next_message_is_stored_once() {
        let mut conversation = Conversation::default();
        store(&mut conversation, 0, "a");
        let place =
            |conversation: &Conversation, text| conversation.find_places(SentMessages::Next(hash(text)));
        assert_eq!(place(&conversation, "a"), Ok(vec![MessagePlace { position: 0, stored: Some(1) }]));
        assert_eq!(place(&conversation, "b"), Ok(vec![MessagePlace { position: 1, stored: None }]));
    }

    #[test]
    fn copied_conversation_replaces_nothing() {
        let mut conversation = Conversation::default();
        store(&mut conversation, 0, "abc");
        let find = |texts: &str| {
            let places = conversation.find_places(SentMessages::Copied(&hashes(texts))).expect("it fits");
            places.iter().map(|place| (place.position, place.stored.is_none())).collect::<Vec<_>>()
        };
        assert_eq!(find("abc"), [(0, false), (1, false), (2, false)], "sent again");
        assert_eq!(find("acd"), [(0, false), (2, false), (3, true)], "without what another said");
        assert_eq!(find("xa"), [(3, true), (4, true)], "of another beginning");
        assert_eq!(find("d"), [(3, true)]);
        assert_eq!(find("cab"), [(2, false), (3, true), (4, true)], "in another order");
    }

    #[test]
    fn gap_and_excess_are_refused() {
        let conversation = Conversation::default();
        let gap = conversation.find_places(SentMessages::From(1, &hashes("a"))).expect_err("a gap");
        assert_eq!(gap.to_string(), "from: the conversation has 0 messages, so it cannot continue at 1");
        let many = vec![hash("a"); MAX_MESSAGES as usize + 1];
        let excess = conversation.find_places(SentMessages::From(0, &many)).expect_err("too many");
        assert!(excess.to_string().contains("100000 messages at most"), "{excess}");
    }

    proptest! {
        #[test]
        fn log_has_the_history_that_was_sent_last(histories in proptest::collection::vec("[ab]{0,6}", 1..8)) {
            let mut conversation = Conversation::default();
            for history in &histories {
                store(&mut conversation, 0, history);
                let sent = hashes(history);
                prop_assert_eq!(&texts(&conversation)[..sent.len()], &sent[..]);
                prop_assert!(store(&mut conversation, 0, history).is_empty(), "sent again");
            }
        }
    }
}

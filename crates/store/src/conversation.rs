//! Thread conversations: message positions, and pages of message content.

use crate::{
    Store, StoreError,
    database::SqlQuery,
    page_limit::{DATA, MOST_BYTES},
    queries,
    read::read_events,
};
use countersign_approvals::conversation::{Conversation, StoredMessage};
use countersign_events::{Event, Sha256, ThreadId};

impl Store {
    /// Reads a thread's conversation: the position and hash of each message, without the content.
    pub async fn conversation(&self, thread_id: &ThreadId) -> Result<Conversation, StoreError> {
        let query = SqlQuery::new(queries::CONVERSATION_OF_THREAD).bind(thread_id.as_str());
        let mut conversation = Conversation::default();
        for found in self.query_rows("conversation_of_thread", query).await? {
            let seq = found.number(0).unwrap_or(0);
            // A number on SQLite, a string on PostgreSQL.
            let text = || found.text(1)?.parse().ok();
            let position = found.number(1).or_else(text).and_then(|position| u32::try_from(position).ok());
            let hash = found.text(2).and_then(|hex| Sha256::from_hex(&hex));
            match position.zip(hash) {
                Some((position, content_hash)) => {
                    conversation.add(position, StoredMessage { seq, content_hash });
                }
                None => conversation.pass(seq),
            }
        }
        Ok(conversation)
    }

    /// Reads the first of these messages, in `seq` order: as many as fit into one page, and at least one.
    pub async fn messages(&self, seqs: &[i64]) -> Result<Vec<Event>, StoreError> {
        let wanted = serde_json::to_string(seqs).unwrap_or_default();
        let query = SqlQuery::new(queries::MESSAGES.on(self.inner.readers.kind())).bind(wanted);
        let found = self.query_bounded_rows("messages", query, DATA, MOST_BYTES).await?;
        Ok(read_events(&found.rows)?)
    }
}

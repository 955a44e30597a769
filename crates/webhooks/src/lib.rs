//! Messages about calls and advisors to other services: signed JSON as Standard Webhooks describes it, and messages for
//! Slack, Teams, Discord and ntfy, alerts for `PagerDuty` and Opsgenie, and flat JSON for rules of Jira, each with a link to
//! the call page or the advisor page. A message has arguments only if its webhook asks for them. Only in the messages of chat
//! apps (Slack, Telegram, Discord, Mattermost), buttons may decide.
//!
//! [`deliver_webhooks`] delivers each message at least once, and the messages of a thread in order. Its durable cursor
//! is in the log. The delivery lease and the progress since the cursor are beside the log.

mod alert_step;
mod chat_clicks;
mod chat_door;
mod chat_sending;
mod chat_texts;
mod chats;
mod delivery;
mod delivery_queue;
mod delivery_session;
mod delivery_worker;
mod formats;
mod http_webhooks;
mod link_code;
mod open_claims;
mod plain_text;
mod posted_messages;
mod retry_delay;
mod sealed_target;
mod signing_secret;
mod signing_secrets;
mod target_url;
mod webhook_key;
mod webhook_message;

pub use chat_door::ChatDoor;
pub use chats::chat_types::ChatRefusal;
pub use delivery::deliver_webhooks;
pub use http_webhooks::HttpWebhooks;
pub use retry_delay::retry_delay;
pub use signing_secret::{BadSigningSecret, SigningSecret};
pub use webhook_key::{WebhookKeyError, WebhookKeyFile};
pub use webhook_message::call_link;

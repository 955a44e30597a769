//! The answer of `GET /v1/threads/{thread}/messages`.

use countersign_api as api;
use utoipa::ToSchema;

/// The two answer formats.
#[derive(ToSchema)]
#[schema(examples(json!({"messages": [], "next": null, "length": 0})))]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum MessageAnswer {
    /// A page of messages, without `for`.
    Page(api::MessagePage),
    /// The whole conversation in one format.
    View(api::ConversationView),
}

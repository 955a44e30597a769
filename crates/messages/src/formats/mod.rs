//! The formats: each reads its messages into the neutral form, and writes it.

mod adapter;
mod ag_ui;
mod ai_sdk;
mod ai_sdk_ui;
mod ai_sdk_ui_state;
mod anthropic;
mod chat;
mod google;
mod humanlayer;
mod items;
mod langchain;
mod langchain_resume;
mod openai;
mod openai_agents;
mod openai_responses;
mod plain;

use crate::{
    BadMessage,
    neutral::{NeutralMessage, NeutralPart, PartContent},
};
pub(crate) use adapter::FormatAdapter;
use countersign_events::{MessageFormat, json::JsonTree};
use langchain::{InterruptStyle, LangChainAdapter};
pub use openai::{request_call, request_message};

/// Returns true if results of calls that the provider runs stand in the message of their call.
pub(crate) const fn keeps_hosted_results(format: MessageFormat) -> bool {
    matches!(format, MessageFormat::AiSdk | MessageFormat::AiSdkUi)
}

/// Returns true for a part that only says that the agent's next step begins.
pub(crate) fn begins_step(part: &NeutralPart) -> bool {
    matches!(&part.content, PartContent::Other(kind) if kind == ai_sdk_ui::STEP_START)
        && part.original_in(MessageFormat::AiSdkUi).is_some()
}

/// The adapter for a format; `None` for a format from a newer version.
pub(crate) fn adapter(format: MessageFormat) -> Option<&'static dyn FormatAdapter> {
    Some(match format {
        MessageFormat::OpenAi => &openai::OpenAiAdapter,
        MessageFormat::Anthropic => &anthropic::AnthropicAdapter,
        MessageFormat::Google => &google::GoogleAdapter,
        MessageFormat::Plain => &plain::PlainAdapter,
        MessageFormat::OpenAiResponses => &openai_responses::OpenAiResponsesAdapter,
        MessageFormat::OpenAiAgents => &openai_agents::OpenAiAgentsAdapter,
        MessageFormat::AiSdkUi => &ai_sdk_ui::AiSdkUiAdapter,
        MessageFormat::AiSdk => &ai_sdk::AiSdkAdapter,
        MessageFormat::LangChain => &LangChainAdapter(InterruptStyle::Batched),
        MessageFormat::LangChainPerCall => &LangChainAdapter(InterruptStyle::PerCall),
        MessageFormat::AgentInbox => &LangChainAdapter(InterruptStyle::Inbox),
        MessageFormat::AgUi => &ag_ui::AgUiAdapter,
        MessageFormat::HumanLayer => &humanlayer::HumanLayerAdapter,
        MessageFormat::Other => return None,
    })
}

/// Reads a format message.
pub(crate) fn read_neutral(format: MessageFormat, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
    if !message.is_object() {
        return Err(BadMessage::NotAnObject);
    }
    let adapter = adapter(format).ok_or(BadMessage::UnknownFormat)?;
    let mut read = adapter.read(message)?;
    for part in &mut read.parts {
        part.format = part.original.is_some().then_some(format);
    }
    Ok(NeutralMessage { original: Some((format, message.clone())), ..read })
}

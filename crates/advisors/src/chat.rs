//! A chat endpoint as OpenAI defines it, with an answer that follows a JSON Schema.

use crate::{
    AdviceAnswer, AdviceFault, AdviceQuestion, AdvisorAccess, MAX_ANSWER_BYTES,
    answer::{read_advice, read_object, too_large},
    service::{ServiceTarget, post_json},
    untrusted_data::UntrustedData,
};
use countersign_events::{AdviceTokens, AdviceVerdict, Confidence};
use countersign_policy::QuestionFormat;
use serde::Deserialize;
use serde_json::{Value, json};

/// A prompt to start from. A policy has its own copy, so that its hash and the advisor's measurements cover it.
pub const SHIPPED_PROMPT: &str = include_str!("../prompt.md");

/// The most bytes of a response: the answer, and what the endpoint adds to it.
const MAX_RESPONSE_BYTES: usize = 4 * MAX_ANSWER_BYTES;

/// The model and its instructions.
pub(crate) struct ChatModel<'a> {
    pub(crate) model: &'a str,
    pub(crate) prompt: &'a str,
}

/// The endpoint's response. It has further members.
#[derive(Deserialize)]
struct ChatResponse {
    choices: Vec<ChatChoice>,
    #[serde(default)]
    usage: Option<ChatUsage>,
}

#[derive(Deserialize)]
struct ChatChoice {
    message: ChatMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatMessage {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct ChatUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
}

/// The model's answer, exactly as the schema demands it. An endpoint may ignore the schema.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelAnswer {
    #[serde(deserialize_with = "read_advice")]
    advice: AdviceVerdict,
    reason: String,
    confidence: Confidence,
    labels: Vec<String>,
}

pub(crate) async fn ask_chat(
    access: &AdvisorAccess,
    service: ServiceTarget<'_>,
    model: &ChatModel<'_>,
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    let body = build_request(model, question)?.to_string();
    parse_response(&post_json(access, service, body, MAX_RESPONSE_BYTES).await?)
}

fn build_request(model: &ChatModel<'_>, question: &AdviceQuestion) -> Result<Value, AdviceFault> {
    let data = UntrustedData::new(&question.to_json()?)?;
    let format = QuestionFormat::CURRENT;
    let instructions = format.chat_instructions.replace("MARK", &data.mark);
    let system = format!("{}\n\n{instructions}", model.prompt.trim_end());
    let schema: Value = serde_json::from_str(format.chat_schema)
        .map_err(|_| AdviceFault::failed("the schema of the answer cannot be read"))?;
    Ok(json!({
        "model": model.model,
        "temperature": 0,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": data.text},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "advice", "strict": true, "schema": schema},
        },
    }))
}

fn parse_response(bytes: &[u8]) -> Result<AdviceAnswer, AdviceFault> {
    let response: ChatResponse = read_object(bytes)?;
    let [choice] = response.choices.as_slice() else {
        return Err(AdviceFault::malformed("the response does not have one choice"));
    };
    let message = &choice.message;
    if message.refusal.as_deref().is_some_and(|refusal| !refusal.is_empty()) {
        return Err(AdviceFault::failed("the model refused to answer"));
    }
    if message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
        return Err(AdviceFault::malformed("the model called a tool"));
    }
    if choice.finish_reason.as_deref().is_some_and(|reason| reason != "stop") {
        return Err(AdviceFault::malformed("the model did not finish its answer"));
    }
    let content = message.content.as_deref().unwrap_or_default();
    if content.len() > MAX_ANSWER_BYTES {
        return Err(too_large());
    }
    let answer: ModelAnswer = read_object(content.as_bytes())?;
    let tokens = response
        .usage
        .map(|usage| AdviceTokens { input: usage.prompt_tokens, output: usage.completion_tokens });
    AdviceAnswer {
        advice: answer.advice,
        reason: Some(answer.reason),
        confidence: Some(answer.confidence),
        labels: answer.labels,
        tokens,
    }
    .checked()
}

#[cfg(test)]
mod tests;

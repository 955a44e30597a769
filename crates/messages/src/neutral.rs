//! A message in the form that all formats have in common.

use crate::{
    answer::ApprovalAnswer,
    image::{NeutralImage, take_images},
};
use countersign_events::{EventType, MessageFormat, json::JsonTree};

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeutralMessage {
    /// The event type, which says who speaks. Messages with results have the agent message type.
    pub(crate) kind: EventType,
    pub(crate) parts: Vec<NeutralPart>,
    /// The message as it was sent. `None` if it was made here.
    pub(crate) original: Option<(MessageFormat, JsonTree)>,
    /// Whether `parts` are no longer those of `original`.
    pub(crate) is_changed: bool,
}

/// A message part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeutralPart {
    pub(crate) content: PartContent,
    /// The part as it was sent. `None` if it was made here, or if it was changed.
    pub(crate) original: Option<JsonTree>,
    /// The format of `original`.
    pub(crate) format: Option<MessageFormat>,
}

/// The part content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartContent {
    Text(String),
    Call(NeutralCall),
    Result(NeutralResult),
    /// A request that a client shows to a person, for the call with this id, if the format names one. Models do not get it.
    Request {
        /// The request's id.
        id: String,
        call: Option<String>,
    },
    /// A person decision.
    Answer(ApprovalAnswer),
    Image(NeutralImage),
    /// A part that only its own format has. The text says what it is.
    Other(String),
}

/// A call that the model proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeutralCall {
    pub(crate) id: String,
    /// Whether the format gave no id, and `id` is the name.
    pub(crate) has_implied_id: bool,
    pub(crate) name: String,
    pub(crate) arguments: CallArguments,
    /// Whether the model's provider runs it, so that its result belongs to the message of the call.
    pub(crate) is_hosted: bool,
}

/// The call arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallArguments {
    Tree(JsonTree),
    /// A JSON text, which models sometimes write badly.
    Text(String),
}

/// A call result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeutralResult {
    /// The call's id.
    pub(crate) id: String,
    /// Whether the format gave no id, and `id` is the name.
    pub(crate) has_implied_id: bool,
    /// The tool's name, if the format has it here.
    pub(crate) name: Option<String>,
    /// The content without its images.
    pub(crate) content: JsonTree,
    pub(crate) images: Vec<NeutralImage>,
    pub(crate) is_error: bool,
    /// A note for the model, which stands before the content.
    pub(crate) note: Option<String>,
    /// Whether the model's provider ran the call.
    pub(crate) is_hosted: bool,
}

impl NeutralMessage {
    pub(crate) const fn new(kind: EventType, parts: Vec<NeutralPart>) -> Self {
        Self { kind, parts, original: None, is_changed: false }
    }

    /// A message of a format in which results have the user's role: the agent program reports them.
    pub(crate) fn reported(kind: EventType, parts: Vec<NeutralPart>) -> Self {
        let reports =
            |part: &NeutralPart| matches!(part.content, PartContent::Result(_) | PartContent::Answer(_));
        let only_reports = !parts.is_empty() && parts.iter().all(reports);
        let is_reported = kind == EventType::UserMessage && only_reports;
        Self::new(if is_reported { EventType::AgentMessage } else { kind }, parts)
    }

    /// The role in such a format, where `agent` is that of the model.
    pub(crate) fn speaker(&self, agent: &'static str) -> &'static str {
        let reports = self.results().next().is_some() || self.answers().next().is_some();
        match self.kind {
            EventType::AgentMessage if !reports => agent,
            EventType::AgentMessage | EventType::UserMessage => "user",
            _ => "system",
        }
    }

    /// The message as it was sent, if it was sent in this format and is not changed.
    pub(crate) fn unchanged(&self, format: MessageFormat) -> Option<&JsonTree> {
        self.envelope(format).filter(|_| !self.is_changed)
    }

    /// The message's members as it was sent, if it was sent in this format.
    pub(crate) fn envelope(&self, format: MessageFormat) -> Option<&JsonTree> {
        self.original.as_ref().filter(|(own, _)| is_same_form(*own, format)).map(|(_, message)| message)
    }

    /// Returns true if the message was sent in this format.
    pub(crate) fn is_in(&self, format: MessageFormat) -> bool {
        self.envelope(format).is_some()
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &NeutralCall> {
        self.parts
            .iter()
            .filter_map(|part| if let PartContent::Call(call) = &part.content { Some(call) } else { None })
    }

    /// The call ids that it proposes: its calls, and requests that are themselves the call.
    pub(crate) fn proposed_calls(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match &part.content {
            PartContent::Call(call) => Some(call.id.as_str()),
            PartContent::Request { id, call: Some(call) } if id == call => Some(call),
            _ => None,
        })
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = &NeutralResult> {
        self.parts.iter().filter_map(|part| {
            if let PartContent::Result(result) = &part.content { Some(result) } else { None }
        })
    }

    pub(crate) fn answers(&self) -> impl Iterator<Item = &ApprovalAnswer> {
        self.parts.iter().filter_map(|part| {
            if let PartContent::Answer(answer) = &part.content { Some(answer) } else { None }
        })
    }

    /// Returns true if the message is a result and nothing else, in formats where each result is a message.
    pub(crate) fn is_whole_result(&self) -> bool {
        let whole = self.original.as_ref().map(|(_, message)| message);
        matches!(self.parts.as_slice(), [part] if part.original.as_ref() == whole && whole.is_some())
            && self.results().next().is_some()
    }

    /// The text of all results.
    pub(crate) fn result_text(&self) -> String {
        self.results().map(|result| content_text(&result.content)).collect::<Vec<_>>().join("\n\n")
    }

    /// The text parts, with an empty line between two.
    pub(crate) fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.content {
            PartContent::Text(text) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl NeutralPart {
    pub(crate) const fn sent(content: PartContent, original: JsonTree) -> Self {
        Self { content, original: Some(original), format: None }
    }

    pub(crate) const fn made(content: PartContent) -> Self {
        Self { content, original: None, format: None }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::made(PartContent::Text(text.to_owned()))
    }

    /// The part as it was sent, if that was in this format.
    pub(crate) fn original_in(&self, format: MessageFormat) -> Option<&JsonTree> {
        self.original.as_ref().filter(|_| self.format.is_some_and(|own| is_same_form(own, format)))
    }
}

impl NeutralCall {
    pub(crate) fn new(id: &str, name: &str, arguments: CallArguments) -> Self {
        let (id, name) = (id.to_owned(), name.to_owned());
        Self { id, has_implied_id: false, name, arguments, is_hosted: false }
    }
}

impl CallArguments {
    /// The arguments as a value. Arguments that are not JSON become a string.
    pub(crate) fn to_tree(&self) -> JsonTree {
        match self {
            Self::Tree(tree) => tree.clone(),
            Self::Text(text) if text.trim().is_empty() => JsonTree::empty_object(),
            Self::Text(text) => JsonTree::parse_text(text).unwrap_or_else(|| text.as_str().into()),
        }
    }

    /// The arguments as an object, which most formats require. Another value is put under `input`.
    pub(crate) fn to_object(&self) -> JsonTree {
        match self.to_tree() {
            tree @ JsonTree::Object(_) => tree,
            other => JsonTree::object([("input", other)]),
        }
    }

    /// The arguments as a JSON text.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Tree(tree) => tree.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl NeutralResult {
    pub(crate) fn new(id: &str, name: Option<&str>, content: JsonTree) -> Self {
        let (id, name) = (id.to_owned(), name.map(str::to_owned));
        Self {
            id,
            has_implied_id: false,
            name,
            content,
            images: Vec::new(),
            is_error: false,
            note: None,
            is_hosted: false,
        }
    }

    /// The result with the images in its content apart, in formats whose content is a list of parts.
    pub(crate) fn with_images(mut self) -> Self {
        (self.content, self.images) = take_images(self.content);
        self
    }

    /// The result as a string, with the note.
    pub(crate) fn to_text(&self) -> String {
        let text = content_text(&self.content);
        match &self.note {
            Some(note) if text.is_empty() => note.clone(),
            Some(note) => format!("{note}\n\n{text}"),
            None => text,
        }
    }

    /// The text and the images as parts, in formats whose results can have images.
    pub(crate) fn to_parts(
        &self,
        text_type: &str,
        image: impl Fn(&NeutralImage) -> Option<JsonTree>,
    ) -> Vec<JsonTree> {
        let text = self.to_text();
        let text_part = || JsonTree::object([("type", text_type.into()), ("text", text.as_str().into())]);
        let text_part = (!text.is_empty()).then(text_part);
        text_part.into_iter().chain(self.images.iter().filter_map(image)).collect()
    }

    /// The result as a value: a string with the note in front, or an object with the note as a member.
    pub(crate) fn to_value(&self) -> JsonTree {
        match (&self.content, &self.note) {
            (content, None) => content.clone(),
            (JsonTree::Object(_), Some(note)) => self.content.clone().with("note", note.as_str()),
            (_, Some(_)) => self.to_text().into(),
        }
    }
}

/// Returns true if messages of these formats have the same form. The LangChain formats differ only in their requests.
fn is_same_form(one: MessageFormat, other: MessageFormat) -> bool {
    let is_langchain = |format| {
        matches!(
            format,
            MessageFormat::LangChain | MessageFormat::LangChainPerCall | MessageFormat::AgentInbox
        )
    };
    one == other || (is_langchain(one) && is_langchain(other))
}

/// The text of some content: itself, the text of its parts, or its JSON.
pub(crate) fn content_text(content: &JsonTree) -> String {
    let part_text = |part: &JsonTree| {
        let text = part.as_text().or_else(|| part.first_text_of(&["text", "refusal"]));
        text.map(str::to_owned)
    };
    match content {
        JsonTree::Null => String::new(),
        JsonTree::Text(text) => text.clone(),
        JsonTree::List(list) if !list.is_empty() && list.iter().all(|part| part_text(part).is_some()) => {
            list.iter().filter_map(part_text).collect::<Vec<_>>().join("\n\n")
        }
        other => other.to_string(),
    }
}

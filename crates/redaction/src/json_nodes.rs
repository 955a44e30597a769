//! The position of each value in a JSON document. Its tokens are read once and without recursion, so depth and
//! lookahead take linear time.

use countersign_events::json::JsonTokens;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Object,
    Array,
    Text,
    Number,
    /// `true`, `false` or `null`.
    Word,
}

/// One value in a JSON document.
#[derive(Debug)]
pub(crate) struct JsonNode {
    pub(crate) kind: JsonKind,
    /// Its bytes in the text, quotes and brackets included.
    pub(crate) span: Range<usize>,
    /// The bytes of its key, quotes included, if it is an object member.
    pub(crate) key: Option<Range<usize>>,
    /// Index of the first following node that is not inside this one.
    pub(crate) after: usize,
}

/// Lists the values in `text`, which must be valid JSON, in document order.
pub(crate) fn read_nodes(text: &str) -> Vec<JsonNode> {
    let mut list = JsonNodeList::default();
    for (at, token) in JsonTokens::new(text) {
        list.add_token(at..at + token.len(), token.as_bytes()[0]);
    }
    list.nodes
}

/// The indices of direct children of `parent`.
pub(crate) fn children(nodes: &[JsonNode], parent: usize) -> impl Iterator<Item = usize> {
    let end = nodes[parent].after;
    let inside = move |child: usize| (child < end).then_some(child);
    std::iter::successors(inside(parent + 1), move |child| inside(nodes[*child].after))
}

#[derive(Default)]
struct JsonNodeList {
    nodes: Vec<JsonNode>,
    /// The objects and arrays that are not closed yet.
    open: Vec<usize>,
    key: Option<Range<usize>>,
}

impl JsonNodeList {
    fn add_token(&mut self, span: Range<usize>, first: u8) {
        match first {
            b',' | b':' => {}
            b'{' => self.open_container(JsonKind::Object, span),
            b'[' => self.open_container(JsonKind::Array, span),
            b'}' | b']' => {
                if let Some(index) = self.open.pop() {
                    self.nodes[index].span.end = span.end;
                    self.nodes[index].after = self.nodes.len();
                }
            }
            b'"' if self.key.is_none() && self.is_in_object() => self.key = Some(span),
            b'"' => self.push_node(JsonKind::Text, span),
            b'-' | b'0'..=b'9' => self.push_node(JsonKind::Number, span),
            _ => self.push_node(JsonKind::Word, span),
        }
    }

    fn open_container(&mut self, kind: JsonKind, span: Range<usize>) {
        self.open.push(self.nodes.len());
        self.push_node(kind, span);
    }

    fn is_in_object(&self) -> bool {
        self.open.last().is_some_and(|index| self.nodes[*index].kind == JsonKind::Object)
    }

    fn push_node(&mut self, kind: JsonKind, span: Range<usize>) {
        let after = self.nodes.len() + 1;
        self.nodes.push(JsonNode { kind, span, key: self.key.take(), after });
    }
}

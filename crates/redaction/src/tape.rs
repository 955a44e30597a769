//! The position of each value in a JSON text. The text is read once and without recursion, so depth and lookahead
//! take linear time.

use countersign_events::json::JsonTokens;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TapeKind {
    Object,
    Array,
    Text,
    Number,
    /// `true`, `false` or `null`.
    Word,
}

/// One value of a JSON text.
#[derive(Debug)]
pub(super) struct TapeNode {
    pub(super) kind: TapeKind,
    /// Its bytes in the text, quotes and brackets included.
    pub(super) span: Range<usize>,
    /// The bytes of its key, quotes included, if it is the member of an object.
    pub(super) key: Option<Range<usize>>,
    /// The index of the first node that is not inside this one.
    pub(super) after: usize,
}

/// Lists the values of `text`, which must be valid JSON, in the order of the text.
pub(super) fn read_nodes(text: &str) -> Vec<TapeNode> {
    let mut tape = JsonTape::default();
    for (at, token) in JsonTokens::new(text) {
        tape.add_token(at..at + token.len(), token.as_bytes()[0]);
    }
    tape.nodes
}

/// The indices of the direct children of `parent`.
pub(super) fn children(nodes: &[TapeNode], parent: usize) -> impl Iterator<Item = usize> {
    let end = nodes[parent].after;
    let inside = move |child: usize| (child < end).then_some(child);
    std::iter::successors(inside(parent + 1), move |child| inside(nodes[*child].after))
}

#[derive(Default)]
struct JsonTape {
    nodes: Vec<TapeNode>,
    /// The objects and arrays that are not closed yet.
    open: Vec<usize>,
    key: Option<Range<usize>>,
}

impl JsonTape {
    fn add_token(&mut self, span: Range<usize>, first: u8) {
        match first {
            b',' | b':' => {}
            b'{' => self.open_container(TapeKind::Object, span),
            b'[' => self.open_container(TapeKind::Array, span),
            b'}' | b']' => {
                if let Some(index) = self.open.pop() {
                    self.nodes[index].span.end = span.end;
                    self.nodes[index].after = self.nodes.len();
                }
            }
            b'"' if self.key.is_none() && self.is_in_object() => self.key = Some(span),
            b'"' => self.push_node(TapeKind::Text, span),
            b'-' | b'0'..=b'9' => self.push_node(TapeKind::Number, span),
            _ => self.push_node(TapeKind::Word, span),
        }
    }

    fn open_container(&mut self, kind: TapeKind, span: Range<usize>) {
        self.open.push(self.nodes.len());
        self.push_node(kind, span);
    }

    fn is_in_object(&self) -> bool {
        self.open.last().is_some_and(|index| self.nodes[*index].kind == TapeKind::Object)
    }

    fn push_node(&mut self, kind: TapeKind, span: Range<usize>) {
        let after = self.nodes.len() + 1;
        self.nodes.push(TapeNode { kind, span, key: self.key.take(), after });
    }
}

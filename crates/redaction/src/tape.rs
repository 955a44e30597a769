//! Where each value of a JSON text begins and ends, read once and without recursion, so that neither
//! depth nor looking ahead costs more than the text is long.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    Number,
    /// `true`, `false` or `null`.
    Word,
}

/// One value.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Its bytes in the text, quotes and brackets included.
    pub(super) span: Range<usize>,
    /// The bytes of its key, quotes included, if it is the member of an object.
    pub(super) key: Option<Range<usize>>,
    /// The index of the first node that is not inside this one.
    pub(super) after: usize,
}

/// The values of `text`, which must be JSON already, in the order of the text.
pub(super) fn read(text: &str) -> Vec<Node> {
    let mut tape = Tape { bytes: text.as_bytes(), nodes: Vec::new(), open: Vec::new(), key: None };
    let mut at = 0;
    while at < text.len() {
        at = tape.token(at);
    }
    tape.nodes
}

/// The indices of the values right inside of that one.
pub(super) fn children(nodes: &[Node], parent: usize) -> impl Iterator<Item = usize> {
    let end = nodes[parent].after;
    let inside = move |child: usize| (child < end).then_some(child);
    std::iter::successors(inside(parent + 1), move |child| inside(nodes[*child].after))
}

struct Tape<'a> {
    bytes: &'a [u8],
    nodes: Vec<Node>,
    open: Vec<usize>,
    key: Option<Range<usize>>,
}

impl Tape<'_> {
    /// Takes the token at `at` and says where the next one may begin.
    fn token(&mut self, at: usize) -> usize {
        match self.bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => at + 1,
            b'{' => self.begin(Kind::Object, at),
            b'[' => self.begin(Kind::Array, at),
            b'}' | b']' => {
                if let Some(index) = self.open.pop() {
                    self.nodes[index].span.end = at + 1;
                    self.nodes[index].after = self.nodes.len();
                }
                at + 1
            }
            b'"' => self.string(at),
            byte => {
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                let end = self.bytes[at..].iter().position(ends).map_or(self.bytes.len(), |n| at + n);
                let kind = if byte == b'-' || byte.is_ascii_digit() { Kind::Number } else { Kind::Word };
                self.push(kind, at..end);
                end
            }
        }
    }

    fn begin(&mut self, kind: Kind, at: usize) -> usize {
        self.open.push(self.nodes.len());
        self.push(kind, at..at + 1);
        at + 1
    }

    fn string(&mut self, at: usize) -> usize {
        let mut end = at + 1;
        while end < self.bytes.len() && self.bytes[end] != b'"' {
            end += if self.bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = (end + 1).min(self.bytes.len());
        let in_object = self.open.last().is_some_and(|index| self.nodes[*index].kind == Kind::Object);
        if in_object && self.key.is_none() {
            self.key = Some(at..end);
        } else {
            self.push(Kind::Text, at..end);
        }
        end
    }

    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let after = self.nodes.len() + 1;
        self.nodes.push(Node { kind, span, key: self.key.take(), after });
    }
}

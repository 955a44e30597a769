//! Reads here-documents, and the messages that coding agents write with them.

use super::{
    builder::WordBuilder,
    line::{CommandRedirection, CommandWord, RedirectionKind, SimpleCommand},
    reader::LineReader,
};
use std::ops::Range;

/// A here-document whose content starts on the next line.
#[derive(Debug)]
pub(super) struct PendingDocument {
    tag: String,
    /// Whether the operator is `<<-`, which removes tabs at the start of each line.
    strips_tabs: bool,
    /// Whether the shell expands the content, because the tag is not quoted.
    expands: bool,
    pub(super) place: DocumentPlace,
    /// The index of its redirection there.
    pub(super) redirection: usize,
}

/// The command or block that reads a here-document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentPlace {
    /// The command that is being read.
    OpenCommand,
    /// A line command, by its index.
    Command(usize),
    /// A group, a loop or a subshell.
    Block,
}

impl LineReader<'_> {
    /// Reads the tag after `<<`. `None` if it is not plain: shells disagree about the end of such a document.
    pub(super) fn read_tag(&mut self) -> Option<PendingDocument> {
        let strips_tabs = self.cursor.eat('-');
        self.cursor.skip_blanks();
        let (tag, expands, length) = split_tag(self.cursor.rest())?;
        self.cursor.advance(length);
        Some(PendingDocument {
            tag: tag.to_owned(),
            strips_tabs,
            expands,
            place: DocumentPlace::OpenCommand,
            redirection: 0,
        })
    }

    /// Reads the here-document contents, which follow this line break.
    pub(super) fn read_documents(&mut self, pending: &mut Vec<PendingDocument>) {
        self.awaits_document = false;
        for document in pending.drain(..) {
            let Some(range) = self.find_document(&document) else {
                return self.mark_unclear("a here-document does not end");
            };
            let target = self.read_document(range, document.expands);
            let redirections = match document.place {
                DocumentPlace::Command(at) => {
                    self.line.commands.get_mut(at).map(|command| &mut command.redirections)
                }
                DocumentPlace::Block => Some(&mut self.line.block_redirections),
                DocumentPlace::OpenCommand => None,
            };
            if let Some(place) = redirections.and_then(|all| all.get_mut(document.redirection)) {
                place.target = target;
            }
        }
    }

    /// Finds here-document content and moves past its end.
    fn find_document(&mut self, document: &PendingDocument) -> Option<Range<usize>> {
        let start = self.cursor.position();
        while !self.cursor.rest().is_empty() {
            let line_start = self.cursor.position();
            let line = self.cursor.rest().split('\n').next().unwrap_or_default();
            self.cursor.advance(line.len());
            let content = if document.strips_tabs { line.trim_start_matches('\t') } else { line };
            if content == document.tag {
                return Some(start..line_start);
            }
            if document.expands && line.ends_with('\\') {
                self.mark_unclear("a continued line in a here-document");
            }
            self.cursor.next_raw();
        }
        None
    }

    fn read_document(&mut self, range: Range<usize>, expands: bool) -> CommandWord {
        let mut word = WordBuilder::new(range.start);
        let raw = self.cursor.slice(range.clone());
        if !expands {
            word.add_message(raw, range.start);
            return word.finish(raw);
        }
        let before = self.cursor.enter(range);
        while let Some(c) = self.cursor.peek() {
            self.read_quoted_part(c, &mut word);
        }
        self.cursor.leave(before);
        word.finish(raw)
    }

    /// Reads `cat <<'TAG' … TAG )` as the message that it prints. Returns false if the text here is anything else.
    pub(super) fn read_message(&mut self, word: &mut WordBuilder) -> bool {
        let rest = self.cursor.rest();
        let Some(message) = find_message(rest) else {
            let is_searched = rest.trim_start_matches([' ', '\n']).starts_with("cat");
            self.cursor.meter.count_steps(if is_searched { rest.len() } else { 0 });
            return false;
        };
        let start = self.cursor.position();
        let text = rest[message.text.clone()].trim_end_matches('\n');
        word.add_message(text, start + message.text.start);
        self.cursor.advance(message.end);
        self.line.commands.push(message_command(start + message.name));
        true
    }
}

/// A message at the start of a string.
struct FoundMessage {
    /// The position of `cat`.
    name: usize,
    text: Range<usize>,
    /// The position after the closing parenthesis.
    end: usize,
}

/// Finds `cat <<'TAG'`, the content, `TAG` and `)` at the start of `rest`.
fn find_message(rest: &str) -> Option<FoundMessage> {
    let name = rest.len() - rest.trim_start_matches([' ', '\n']).len();
    let after = rest[name..].strip_prefix("cat")?.trim_start_matches(' ').strip_prefix("<<")?;
    let (tag, expands, length) = split_tag(after.trim_start_matches(' '))?;
    let body = after.trim_start_matches(' ')[length..].trim_start_matches(' ').strip_prefix('\n')?;
    let start = rest.len() - body.len();
    let mut line_start = start;
    for line in body.split_inclusive('\n') {
        let line_end = line_start + line.len();
        if line.trim_end_matches('\n') == tag {
            let behind = &rest[line_end..];
            let close = behind.trim_start_matches([' ', '\n']).strip_prefix(')')?;
            let text = start..line_start;
            let is_read_alike = !expands && is_read_alike(&rest[text.clone()], close);
            return is_read_alike.then(|| FoundMessage { name, text, end: rest.len() - close.len() });
        }
        line_start = line_end;
    }
    None
}

/// False if old versions of bash, which look for the closing parenthesis without knowing here-documents, find another
/// one than newer ones: the text opens a quote, or closes a parenthesis and the quotes around it.
fn is_read_alike(text: &str, behind: &str) -> bool {
    let closes_quote =
        |c: char| text.matches(c).count() % 2 == 1 && behind.strip_prefix('"').unwrap_or(behind).contains(c);
    let mut depth = 0_i32;
    let mut lowest = 0;
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        lowest = lowest.min(depth);
    }
    let closes_all = lowest < 0 && text.contains('"');
    !closes_all && !['\'', '"', '`'].into_iter().any(closes_quote)
}

/// The command that prints a message. It counts for a `block` rule.
fn message_command(at: usize) -> SimpleCommand {
    let mut word = CommandWord::from_literal("cat");
    word.span = at..at + word.text.len();
    let target = CommandWord { is_message: true, ..CommandWord::default() };
    let document = CommandRedirection { kind: RedirectionKind::HereDocument, target, words_before: 1 };
    SimpleCommand {
        words: vec![word],
        redirections: vec![document],
        prints_message: true,
        ..SimpleCommand::default()
    }
}

/// Splits a plain tag off: the tag, true if it is not quoted, and its length as written.
fn split_tag(text: &str) -> Option<(&str, bool, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let inner = &text[quote.map_or(0, char::len_utf8)..];
    let end = inner.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let (tag, behind) = inner.split_at(end);
    let behind = match quote {
        Some(quote) => behind.strip_prefix(quote)?,
        None => behind,
    };
    let is_whole = behind.chars().next().is_none_or(|c| " \t\n;&|<>)".contains(c));
    (is_whole && !tag.is_empty()).then_some((tag, quote.is_none(), text.len() - behind.len()))
}

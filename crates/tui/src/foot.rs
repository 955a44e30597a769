//! The lines below the call: prompts, status and keys.

use crate::{
    inbox::{
        field::TextField,
        question::{ScopeQuestion, ScopeStep},
        state::{InboxMode, InboxState, StatusTone},
        typed_answers::TypedAnswers,
    },
    picture::{InboxHints, TextInk, TextPart},
};
use countersign_console::{
    ScopeKind, answer_prompt, describe_remembered_denial, escape_text, join_parts, pattern_letter,
    split_columns, text_width, truncate_text, wrap_words,
};
use countersign_events::{Decision, QuestionKind};

/// Wraps text into lines.
type LineBuilder<'a> = dyn Fn(TextInk, &str) -> Vec<Vec<TextPart>> + 'a;

/// The prompt or the status below the call, and the cursor position.
pub(crate) fn status_lines(
    inbox: &InboxState,
    columns: usize,
    hints: &InboxHints,
) -> (Vec<Vec<TextPart>>, Option<(usize, usize)>) {
    let said = |ink: TextInk, text: &str| -> Vec<Vec<TextPart>> {
        wrap_words(text, columns).into_iter().map(|line| vec![(ink, line)]).collect()
    };
    match &inbox.mode {
        InboxMode::WritingDenial(field, chosen) => {
            let Some(waiting) = inbox.current() else { return (Vec::new(), None) };
            let tool = truncate_text(&escape_text(waiting.call.name.as_str()), columns / 2);
            let Some(chosen) = chosen else {
                return field_lines(&format!("Deny {tool}, because: "), field, columns);
            };
            let effect = describe_remembered_denial(&waiting.call, &chosen.says, &hints.command_prefix);
            let mut lines: Vec<_> = effect.iter().flat_map(|text| said(TextInk::Plain, text)).collect();
            let above = lines.len();
            let label = format!("Deny {tool} and later calls, because: ");
            let (typed, cursor) = field_lines(&label, field, columns);
            lines.extend(typed);
            (lines, cursor.map(|(line, column)| (line + above, column)))
        }
        InboxMode::WritingComment(field) => field_lines("Comment: ", field, columns),
        InboxMode::Answering(typed) => answer_lines(inbox, typed, &said, columns),
        InboxMode::Searching(field) => field_lines("Search: ", field, columns),
        InboxMode::ChoosingScope(question) => (scope_lines(inbox, question, &said), None),
        InboxMode::Interrupted => {
            let how = inbox.current().and_then(|waiting| waiting.gone.as_deref()).unwrap_or("gone");
            let text = format!("This call was {how} meanwhile. Your text was not sent. Enter continues.");
            (said(TextInk::Said(StatusTone::Bad), &text), None)
        }
        InboxMode::Reading | InboxMode::Help => (status(inbox, &said), None),
    }
}

/// The question that is answered now, with the typed answer, and what is wrong with it.
fn answer_lines(
    inbox: &InboxState,
    typed: &TypedAnswers,
    said: &LineBuilder<'_>,
    columns: usize,
) -> (Vec<Vec<TextPart>>, Option<(usize, usize)>) {
    let prompt = inbox.open_question(typed).map(answer_prompt).unwrap_or_default();
    let (mut lines, cursor) = field_lines(&prompt, &typed.field, columns);
    if let Some((tone, text)) = &inbox.status {
        lines.extend(said(TextInk::Said(*tone), &escape_text(text)));
    }
    (lines, cursor)
}

/// The question about the scope, with its answers.
fn scope_lines(inbox: &InboxState, question: &ScopeQuestion, said: &LineBuilder<'_>) -> Vec<Vec<TextPart>> {
    let (title, answers) = inbox.describe_scope_question(question);
    let mut lines = said(TextInk::Strong, &title);
    lines.extend(answers.iter().flat_map(|text| said(TextInk::Plain, text)));
    if let Some((tone, text)) = &inbox.status {
        lines.extend(said(TextInk::Said(*tone), text));
    }
    lines
}

fn status(inbox: &InboxState, said: &LineBuilder<'_>) -> Vec<Vec<TextPart>> {
    let mut lines = Vec::new();
    if let Some(why) = &inbox.lost {
        lines.extend(said(TextInk::Said(StatusTone::Bad), &format!("Reconnecting… {}", escape_text(why))));
    }
    if let Some(sent) = &inbox.sending {
        let what = match sent.decision {
            Decision::Deny => "deny",
            Decision::AllowSession => "allow for the session",
            _ => "allow",
        };
        lines.extend(said(TextInk::Strong, &format!("Sending… {what} {}", InboxState::call_name(sent))));
    } else if let Some((tone, text)) = &inbox.status {
        lines.extend(said(TextInk::Said(*tone), text));
    }
    // The comment and the level apply only to a pending call.
    let waits = inbox.current().is_some_and(|waiting| waiting.gone.is_none());
    let notes = inbox.shown.as_ref().filter(|_| waits).and_then(|shown| inbox.notes.get(shown));
    if let (Some(notes), None) = (notes, &inbox.sending) {
        if let Some(level) = &notes.level {
            lines.extend(said(TextInk::Faint, &format!("Level: {}", escape_text(level))));
        }
        if !notes.comment.is_empty() {
            lines.extend(said(TextInk::Faint, &format!("Comment: {}", escape_text(&notes.comment))));
        }
    }
    if lines.is_empty() {
        lines.push(Vec::new());
    }
    lines
}

/// A text field with its label and cursor, on as many lines as it needs.
fn field_lines(
    label: &str,
    field: &TextField,
    columns: usize,
) -> (Vec<Vec<TextPart>>, Option<(usize, usize)>) {
    let (before, after) = field.parts();
    let shown = split_columns(&format!("{label}{}{} ", escape_text(before), escape_text(&after)), columns);
    let up_to = split_columns(&format!("{label}{}", escape_text(before)), columns);
    let (mut line, mut column) = (up_to.len() - 1, up_to.last().map_or(0, |last| text_width(last)));
    if column >= columns {
        (line, column) = (line + 1, 0);
    }
    let mut lines: Vec<_> = shown.into_iter().map(|line| vec![(TextInk::Strong, line)]).collect();
    // A very long text would push the call off the screen, so only the lines around the cursor are shown.
    let most = 4;
    let skipped = (line + 1).saturating_sub(most);
    lines = lines.into_iter().skip(skipped).take(most).collect();
    (lines, Some((line - skipped, column)))
}

/// The keys that have an effect now.
pub(crate) fn key_lines(inbox: &InboxState, columns: usize) -> Vec<String> {
    let texts: &[&str] = match &inbox.mode {
        InboxMode::WritingDenial(..) => &["Enter deny", "a reason is optional", "Esc back"],
        InboxMode::Answering(_) => &["Enter answer", "a number chooses an option", "Esc back"],
        InboxMode::WritingComment(_) => &["Enter keeps it for the decision", "Esc back"],
        InboxMode::ChoosingScope(question) => return scope_keys(inbox, question, columns),
        InboxMode::Searching(_) => &["Enter search", "Esc show all"],
        InboxMode::Interrupted => &["Enter continues"],
        InboxMode::Help => &["j k scroll", "Esc back"],
        InboxMode::Reading => return reading_keys(inbox, columns),
    };
    join_parts(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), columns)
}

/// The keys for a scope question. The scope letters are the same for every call.
fn scope_keys(inbox: &InboxState, question: &ScopeQuestion, columns: usize) -> Vec<String> {
    let mut texts = match &question.step {
        ScopeStep::Waiting(chosen) => {
            let count = chosen.waiting.len();
            vec![
                format!("w also the {count} that wait{}", if count == 1 { "s" } else { "" }),
                "l later calls only".to_owned(),
            ]
        }
        ScopeStep::WholeTool(_) => vec!["y allow the whole tool".to_owned()],
        ScopeStep::Kind => vec!["x exact".to_owned(), "p pattern".to_owned(), "t whole tool".to_owned()],
        ScopeStep::Pattern => {
            let call = inbox.current().map(|waiting| &waiting.call);
            let offers = call.map(|call| ScopeKind::Pattern.offers(call)).unwrap_or_default();
            offers.iter().map(|offer| format!("{} choose", pattern_letter(&offer.scope))).collect()
        }
    };
    if question.decision.allows() && matches!(question.step, ScopeStep::Kind | ScopeStep::Pattern) {
        texts.push("h time".to_owned());
    }
    let last = if question.decision.allows() { "n cancel" } else { "Esc cancel" };
    texts.push(last.to_owned());
    join_parts(&texts, columns)
}

/// The keys for a small window. The help lists the others.
pub(crate) fn short_key_lines(columns: usize) -> Vec<String> {
    join_parts(&["? help".to_owned(), "q quit".to_owned()], columns)
}

fn reading_keys(inbox: &InboxState, columns: usize) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(waiting) = inbox.current().filter(|waiting| waiting.gone.is_none()) {
        let options =
            waiting.call.request.as_ref().map(|request| request.options.clone()).unwrap_or_default();
        let kind = waiting.call.question.as_ref().map(|form| form.kind);
        let (deny, allow) = match kind {
            Some(QuestionKind::Questions) => ("d dismiss", "o answer"),
            Some(QuestionKind::Plan) => ("d keep planning", "o approve the plan"),
            Some(QuestionKind::Other) | None => ("d deny", "o allow once"),
        };
        texts.push(deny);
        if options.contains(&Decision::AllowOnce) {
            texts.push(allow);
        }
        if options.contains(&Decision::AllowSession) {
            texts.push("s session");
        }
        texts.extend(["e edit", "c comment"]);
    }
    if inbox.calls.len() > 1 || inbox.current().is_some_and(|waiting| waiting.gone.is_some()) {
        texts.push("n p others");
    }
    if inbox.last_allowed.is_some() {
        texts.push("u take back");
    }
    texts.extend(["? help", "q quit"]);
    join_parts(&texts.into_iter().map(str::to_owned).collect::<Vec<_>>(), columns)
}

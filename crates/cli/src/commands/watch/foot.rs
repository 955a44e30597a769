//! What stands below the call: what is asked or said, and the keys.

use super::{
    inbox::Field,
    inbox::{Inbox, Mode, Tone},
    view::{Ink, Piece},
    wrap::{cut, flow, hard, soft, width},
};
use crate::{facts, output::visible};
use countersign_gate::event::Decision;

/// Says something in as many lines as it takes.
type Say<'a> = dyn Fn(Ink, &str) -> Vec<Vec<Piece>> + 'a;

/// Each is chosen with one key.
const MOST_WIDTHS: usize = 9;

/// What is asked or said below the call, and where the cursor stands in it.
pub(super) fn bottom(inbox: &Inbox, columns: usize) -> (Vec<Vec<Piece>>, Option<(usize, usize)>) {
    let said = |ink: Ink, text: &str| -> Vec<Vec<Piece>> {
        soft(text, columns).into_iter().map(|line| vec![(ink, line)]).collect()
    };
    match &inbox.mode {
        Mode::Denying(field, width) => {
            let tool = inbox.current().map_or("", |waiting| waiting.call.name.as_str());
            let again = if width.is_some() { " from now on" } else { "" };
            written(&format!("Deny {}{again}, because: ", cut(&visible(tool), columns / 2)), field, columns)
        }
        Mode::Noting(field) => written("Comment: ", field, columns),
        Mode::Searching(field) => written("Look for: ", field, columns),
        Mode::Widening(decision) => (widening(inbox, *decision, &said), None),
        Mode::Torn => {
            let how = inbox.current().and_then(|waiting| waiting.gone.as_deref()).unwrap_or("gone");
            let text = format!("It was {how} meanwhile. What you typed went nowhere. Enter goes on.");
            (said(Ink::Said(Tone::Bad), &text), None)
        }
        Mode::Reading | Mode::Help => (status(inbox, &said), None),
    }
}

/// The widths that can be chosen, each with how far it would have reached.
fn widening(inbox: &Inbox, decision: Decision, said: &Say<'_>) -> Vec<Vec<Piece>> {
    let Some(waiting) = inbox.current() else { return Vec::new() };
    let (tool, thread) = (visible(waiting.call.name.as_str()), visible(waiting.call.thread_id.as_str()));
    let what = if decision.allows() { "Allow" } else { "Deny" };
    let mut lines =
        said(Ink::Strong, &format!("{what} it, and which later calls of {tool} in thread {thread}?"));
    for (index, reach) in inbox.widths().iter().take(MOST_WIDTHS).enumerate() {
        lines.extend(said(Ink::Plain, &format!("{} {}", index + 1, facts::reach(reach))));
    }
    lines
}

fn status(inbox: &Inbox, said: &Say<'_>) -> Vec<Vec<Piece>> {
    let mut lines = Vec::new();
    if let Some(why) = &inbox.lost {
        lines.extend(said(Ink::Said(Tone::Bad), &format!("Reconnecting… {}", visible(why))));
    }
    if let Some(sent) = &inbox.sending {
        let what = match sent.decision {
            Decision::Deny => "deny",
            Decision::AllowSession => "allow for the session",
            _ => "allow",
        };
        lines.extend(said(Ink::Strong, &format!("Sending… {what} {}", Inbox::name_of(sent))));
    } else if let Some((tone, text)) = &inbox.status {
        lines.extend(said(Ink::Said(*tone), text));
    }
    // What somebody else decided takes no comment of ours with it.
    let waits = inbox.current().is_some_and(|waiting| waiting.gone.is_none());
    let draft = inbox.shown.as_ref().filter(|_| waits).and_then(|shown| inbox.drafts.get(shown));
    let level = inbox.shown.as_ref().filter(|_| waits).and_then(|shown| inbox.levels.get(shown));
    if let (Some(level), None) = (level, &inbox.sending) {
        lines.extend(said(Ink::Faint, &format!("At level {}", visible(level))));
    }
    if let (Some(draft), None) = (draft, &inbox.sending) {
        lines.extend(said(Ink::Faint, &format!("With the comment: {}", visible(draft))));
    }
    if lines.is_empty() {
        lines.push(Vec::new());
    }
    lines
}

/// A line that is written, whole, however long, with its cursor.
fn written(label: &str, field: &Field, columns: usize) -> (Vec<Vec<Piece>>, Option<(usize, usize)>) {
    let (before, after) = field.parts();
    let shown = hard(&format!("{label}{}{} ", visible(before), visible(&after)), columns);
    let up_to = hard(&format!("{label}{}", visible(before)), columns);
    let (mut line, mut column) = (up_to.len() - 1, up_to.last().map_or(0, |last| width(last)));
    if column >= columns {
        (line, column) = (line + 1, 0);
    }
    let mut lines: Vec<_> = shown.into_iter().map(|line| vec![(Ink::Strong, line)]).collect();
    // A very long text would push the call off the screen: what is being written stays in sight.
    let most = 4;
    let skipped = (line + 1).saturating_sub(most);
    lines = lines.into_iter().skip(skipped).take(most).collect();
    (lines, Some((line - skipped, column)))
}

/// The keys that mean something now.
pub(super) fn keys(inbox: &Inbox, columns: usize) -> Vec<String> {
    let texts: &[&str] = match &inbox.mode {
        Mode::Denying(..) => &["Enter denies", "empty is fine", "Esc goes back"],
        Mode::Noting(_) => &["Enter keeps it for your decision", "Esc goes back"],
        Mode::Widening(decision) => {
            let last = inbox.widths().len().min(MOST_WIDTHS);
            let number = if last > 1 { format!("1–{last} chooses") } else { "1 chooses".to_owned() };
            let rest: &[&str] =
                if decision.allows() { &["n nothing"] } else { &["then say why", "Esc nothing"] };
            let rest = rest.iter().map(|text| (*text).to_owned());
            return flow(&std::iter::once(number).chain(rest).collect::<Vec<_>>(), columns);
        }
        Mode::Searching(_) => &["Enter keeps", "Esc shows all"],
        Mode::Torn => &["Enter goes on"],
        Mode::Help => &["j k scroll", "Esc goes back"],
        Mode::Reading => return reading_keys(inbox, columns),
    };
    flow(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), columns)
}

/// The keys that a small window has room for: the first of them tells the others.
pub(super) fn few_keys(columns: usize) -> Vec<String> {
    flow(&["? help".to_owned(), "q quit".to_owned()], columns)
}

fn reading_keys(inbox: &Inbox, columns: usize) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(waiting) = inbox.current().filter(|waiting| waiting.gone.is_none()) {
        let options =
            waiting.call.request.as_ref().map(|request| request.options.clone()).unwrap_or_default();
        texts.push("d deny");
        if options.contains(&Decision::AllowOnce) {
            texts.push("o allow once");
        }
        if options.contains(&Decision::AllowSession) {
            texts.push("s session");
        }
        texts.extend(["e edit", "c comment"]);
    }
    if inbox.calls.len() > 1 || inbox.current().is_some_and(|waiting| waiting.gone.is_some()) {
        texts.push("n p others");
    }
    texts.extend(["? help", "q quit"]);
    flow(&texts.into_iter().map(str::to_owned).collect::<Vec<_>>(), columns)
}

//! A call as a document: all that somebody has to read before deciding, and nothing cut short.

use super::wrap::{gently, hard, soft, width};
use crate::{edit, facts, impact::Impact, json::shown_as, output::visible};
use countersign_api as api;
use countersign_gate::{Json, Principal};

/// What a line is, which is how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What the agent and the policy say about the call.
    Fact,
    /// The line above the arguments.
    Heading,
    /// What would run.
    Argument,
    /// What must not be passed over.
    Warning,
}

/// A line of the document before it is fitted to a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paragraph {
    pub(super) role: Role,
    pub(super) label: String,
    pub(super) text: String,
}

/// A line of the window: what stands in its margin, and the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) role: Role,
    pub(super) lead: String,
    pub(super) text: String,
}

/// The whole call, for somebody who would decide as `me`; with the arguments that they would have it run with
/// instead, if they changed them.
pub(super) fn document(call: &api::Call, edited: Option<&Json>, me: &Principal) -> Vec<Paragraph> {
    let mut lines = Vec::new();
    warnings(call, me, &mut lines);
    wishes(call, &mut lines);
    if let Some(edited) = edited {
        lines.push(heading("Changed by you"));
        let changes = edit::differences(&call.arguments, edited).into_iter();
        lines.extend(changes.map(|text| Paragraph { role: Role::Warning, label: String::new(), text }));
        lines.push(heading("Arguments, as you changed them"));
    } else {
        lines.push(heading("Arguments"));
    }
    arguments(edited.unwrap_or(&call.arguments), &mut lines);
    lines.push(heading("Request"));
    request(call, &mut lines);
    lines
}

fn heading(text: &str) -> Paragraph {
    Paragraph { role: Role::Heading, label: String::new(), text: text.to_owned() }
}

fn warnings(call: &api::Call, me: &Principal, lines: &mut Vec<Paragraph>) {
    let mut warn =
        |text: String| lines.push(Paragraph { role: Role::Warning, label: "Careful".to_owned(), text });
    if call.proposal.principal == *me {
        warn("you proposed this call yourself, so somebody else has to decide it".to_owned());
    }
    let arguments = call.arguments.members().unwrap_or_default();
    let hidden = arguments.iter().map(|(_, value)| hidden(value)).sum::<usize>();
    if hidden > 0 {
        let (what, are) = if hidden == 1 { ("character", "is") } else { ("characters", "are") };
        warn(format!("{hidden} {what} that a terminal hides {are} written out as \\u{{…}}"));
    }
    if let Some(masked) = facts::masked(call) {
        warn(masked);
    }
}

/// How many characters of a value would not show as themselves. A line break in a string does, as one.
fn hidden(value: &Json) -> usize {
    let hides = |c: char| visible(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8();
    match value.read::<String>() {
        Ok(text) => text.chars().filter(|c| *c != '\n' && hides(*c)).count(),
        Err(_) => value.as_str().chars().filter(|c| !c.is_ascii_whitespace() && hides(*c)).count(),
    }
}

/// A text under a label, in as many lines as it has.
fn fact(lines: &mut Vec<Paragraph>, label: &str, text: &str) {
    for (index, part) in text.split('\n').enumerate() {
        let label = if index == 0 { label.to_owned() } else { String::new() };
        lines.push(Paragraph { role: Role::Fact, label, text: visible(part) });
    }
}

/// What the agent says about it.
fn wishes(call: &api::Call, lines: &mut Vec<Paragraph>) {
    if let Some(description) = &call.description {
        fact(lines, "For", description);
    }
    let mut before = "";
    for (label, text) in Impact::of(call).facts {
        fact(lines, &if label == before { String::new() } else { capital(label) }, &text);
        before = label;
    }
}

/// A name longer than this does not fit above the document, and is written out in it.
pub(super) const LONG_NAME: usize = 40;

/// A label as it stands in the inbox.
fn capital(label: &str) -> String {
    let mut rest = label.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Why people are asked, whom it takes, and by what name.
fn request(call: &api::Call, lines: &mut Vec<Paragraph>) {
    let mut before = "";
    for (label, text) in facts::asked(call) {
        fact(lines, &if label == before { String::new() } else { capital(label) }, &text);
        before = label;
    }
    if let Some(annotations) = &call.annotations {
        fact(lines, "Hints", &shown_as(annotations).join("\n"));
    }
    let names = [
        ("Tool", call.name.as_str()),
        ("By", call.proposal.principal.as_str()),
        ("Thread", call.thread_id.as_str()),
    ];
    for (label, name) in names {
        if width(&visible(name)) > LONG_NAME {
            fact(lines, label, name);
        }
    }
    fact(lines, "Call", call.id.as_str());
    fact(lines, "sha256", &call.arguments_hash.to_string());
}

fn arguments(json: &Json, lines: &mut Vec<Paragraph>) {
    let mut argument =
        |label: String, text: String| lines.push(Paragraph { role: Role::Argument, label, text });
    let members = json.members().unwrap_or_default();
    if members.is_empty() {
        for line in shown_as(json) {
            argument(String::new(), line);
        }
    }
    for (key, value) in members {
        let mut shown = shown_as(&value).into_iter();
        argument(visible(&key), shown.next().unwrap_or_default());
        for line in shown {
            argument(String::new(), line);
        }
    }
}

/// The most columns that a label takes; a longer one stands on a line of its own.
const WIDEST_LABEL: usize = 14;

/// What begins a line that goes on with the one before it: no line break stands there.
const GOES_ON: &str = "↪ ";

/// The document in a window of so many columns.
pub(super) fn fit(document: &[Paragraph], columns: usize) -> Vec<Row> {
    let widest = document.iter().map(|line| width(&line.label)).filter(|label| *label <= WIDEST_LABEL).max();
    let margin = (widest.unwrap_or(0) + 2).min(columns / 3);
    let mut rows = Vec::new();
    for Paragraph { role, label, text } in document {
        if *role == Role::Heading {
            rows.push(Row { role: *role, lead: String::new(), text: text.clone() });
            continue;
        }
        let mut lead = label.clone();
        if width(label) + 2 > margin {
            let over = hard(label, columns).into_iter();
            rows.extend(over.map(|lead| Row { role: *role, lead, text: String::new() }));
            lead.clear();
        }
        lead.push_str(&" ".repeat(margin.saturating_sub(width(&lead))));
        let room = columns.saturating_sub(margin).max(2);
        let parts = if *role == Role::Argument { gently(text, room) } else { soft(text, room) };
        for (index, part) in parts.into_iter().enumerate() {
            let goes_on = format!("{GOES_ON:>margin$}");
            let blank = " ".repeat(margin);
            let lead = match (index, *role) {
                (0, _) => lead.clone(),
                (_, Role::Argument) if margin >= 2 => goes_on,
                _ => blank,
            };
            rows.push(Row { role: *role, lead, text: part });
        }
    }
    rows
}

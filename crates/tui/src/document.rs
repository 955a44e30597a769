//! A call as a document: everything that a person must read before deciding, nothing truncated.

use countersign_api as api;
use countersign_console::{
    ImpactSummary, describe_masked, describe_mixed_scripts, describe_padding, difference_lines,
    escape_tabbed_line, escape_text, is_said_by_form, json_lines, place_facts, question_lines, request_facts,
    split_columns, split_lines, split_near_space, text_width, wrap_words,
};
use countersign_events::{Json, Principal, QuestionKind};

/// The line kind, which decides how a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRole {
    /// A statement by the agent or the policy.
    Fact,
    /// A heading.
    Heading,
    /// Part of the arguments.
    Argument,
    /// A warning.
    Warning,
}

/// A document line before it is fitted to a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentLine {
    pub(crate) role: LineRole,
    pub(crate) label: String,
    pub(crate) text: String,
}

/// A window line: the text in its margin, and the text itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentRow {
    pub(crate) role: LineRole,
    pub(crate) lead: String,
    pub(crate) text: String,
}

impl DocumentRow {
    /// A fact line.
    pub(crate) fn fact(lead: String, text: String) -> Self {
        Self { role: LineRole::Fact, lead, text }
    }
}

/// The whole call for `me`, with the edited arguments if the person changed them.
pub(crate) fn document_lines(call: &api::Call, edited: Option<&Json>, me: &Principal) -> Vec<DocumentLine> {
    let mut lines = Vec::new();
    warnings(call, me, &mut lines);
    actions(call, &mut lines);
    let form = call.question.as_deref();
    if let Some(form) = form {
        let title = if form.kind == QuestionKind::Plan { "Plan" } else { "Questions" };
        lines.push(heading(title));
        let asked = question_lines(form).into_iter();
        lines.extend(asked.map(|text| DocumentLine { role: LineRole::Argument, label: String::new(), text }));
    }
    let is_said = edited.is_none() && is_said_by_form(call);
    if let Some(edited) = edited {
        lines.push(heading("Changed by you"));
        let changes = difference_lines(&call.arguments, edited).into_iter();
        lines.extend(changes.map(|text| DocumentLine {
            role: LineRole::Warning,
            label: String::new(),
            text,
        }));
        lines.push(heading("Arguments, as you changed them"));
    } else if !is_said {
        lines.push(heading("Arguments"));
    }
    if !is_said {
        arguments(edited.unwrap_or(&call.arguments), &mut lines);
    }
    // Beside the arguments, because it changes what they do as much as they themselves.
    let place = place_facts(call).into_iter();
    lines.extend(place.map(|(name, text)| DocumentLine {
        role: LineRole::Argument,
        label: format!("in {name}"),
        text,
    }));
    lines.push(heading("Request"));
    request(call, &mut lines);
    lines
}

fn heading(text: &str) -> DocumentLine {
    DocumentLine { role: LineRole::Heading, label: String::new(), text: text.to_owned() }
}

fn warnings(call: &api::Call, me: &Principal, lines: &mut Vec<DocumentLine>) {
    let mut warn = |text: String| {
        lines.push(DocumentLine { role: LineRole::Warning, label: "Warning".to_owned(), text });
    };
    if call.proposal.principal == *me {
        warn("you proposed this call, so another person must decide it".to_owned());
    }
    let arguments = call.arguments.members().unwrap_or_default();
    let hidden = arguments.iter().map(|(_, value)| hidden(value)).sum::<usize>();
    if hidden > 0 {
        let (what, are) = if hidden == 1 { ("character", "is") } else { ("characters", "are") };
        warn(format!("{hidden} {what} that a terminal would hide {are} shown as \\u{{…}}"));
    }
    let cautions = [describe_mixed_scripts(call), describe_padding(call), describe_masked(call)];
    for text in cautions.into_iter().flatten() {
        warn(text);
    }
}

/// The number of characters that a terminal would hide. A line break or a tab inside a string is shown as one, so it
/// does not count.
fn hidden(value: &Json) -> usize {
    let hides = |c: char| escape_text(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8();
    match value.read::<String>() {
        Ok(text) => {
            let hidden = |line: &str| line.chars().filter(|c| *c != '\t' && hides(*c)).count();
            split_lines(&text).map(hidden).sum()
        }
        Err(_) => value.as_str().chars().filter(|c| !c.is_ascii_whitespace() && hides(*c)).count(),
    }
}

/// Adds text under a label, line by line.
fn fact(lines: &mut Vec<DocumentLine>, label: &str, text: &str) {
    for (index, part) in split_lines(text).enumerate() {
        let label = if index == 0 { label.to_owned() } else { String::new() };
        lines.push(DocumentLine { role: LineRole::Fact, label, text: escape_tabbed_line(part) });
    }
}

/// Adds the purpose and the impact that the agent declares.
fn actions(call: &api::Call, lines: &mut Vec<DocumentLine>) {
    if let Some(description) = &call.description {
        fact(lines, "Purpose", description);
    }
    let mut before = "";
    for (label, text) in ImpactSummary::from_call(call).facts {
        fact(lines, &if label == before { String::new() } else { capital(label) }, &text);
        before = label;
    }
}

/// A longer name does not fit the heading, so the document repeats it in full.
pub(crate) const MAX_NAME: usize = 40;

/// The label with a capital first letter.
fn capital(label: &str) -> String {
    let mut rest = label.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Adds the request facts, and names that are too long for the heading.
fn request(call: &api::Call, lines: &mut Vec<DocumentLine>) {
    let mut before = "";
    for (label, text) in request_facts(call) {
        fact(lines, &if label == before { String::new() } else { capital(label) }, &text);
        before = label;
    }
    if let Some(annotations) = &call.annotations {
        fact(lines, "Hints", &json_lines(annotations).join("\n"));
    }
    let names = [
        ("Tool", call.name.as_str()),
        ("By", call.proposal.principal.as_str()),
        ("Thread", call.thread_id.as_str()),
    ];
    for (label, name) in names {
        if text_width(&escape_text(name)) > MAX_NAME {
            fact(lines, label, name);
        }
    }
    fact(lines, "Call", call.id.as_str());
    fact(lines, "sha256", &call.arguments_hash.to_string());
}

fn arguments(json: &Json, lines: &mut Vec<DocumentLine>) {
    let mut argument =
        |label: String, text: String| lines.push(DocumentLine { role: LineRole::Argument, label, text });
    let members = json.members().unwrap_or_default();
    if members.is_empty() {
        for line in json_lines(json) {
            argument(String::new(), line);
        }
    }
    for (key, value) in members {
        let mut shown = json_lines(&value).into_iter();
        argument(escape_text(&key), shown.next().unwrap_or_default());
        for line in shown {
            argument(String::new(), line);
        }
    }
}

/// The maximum width of a label. A longer one gets a line of its own.
const WIDEST_LABEL: usize = 14;

/// Marks a line that continues the line above without a line break.
const CONTINUATION: &str = "↪ ";

/// Fits the document to a number of columns.
pub(crate) fn fit_document(document: &[DocumentLine], columns: usize) -> Vec<DocumentRow> {
    let widest =
        document.iter().map(|line| text_width(&line.label)).filter(|label| *label <= WIDEST_LABEL).max();
    let margin = (widest.unwrap_or(0) + 2).min(columns / 3);
    let mut rows = Vec::new();
    for DocumentLine { role, label, text } in document {
        if *role == LineRole::Heading {
            rows.push(DocumentRow { role: *role, lead: String::new(), text: text.clone() });
            continue;
        }
        let mut lead = label.clone();
        if text_width(label) + 2 > margin {
            let over = split_columns(label, columns).into_iter();
            rows.extend(over.map(|lead| DocumentRow { role: *role, lead, text: String::new() }));
            lead.clear();
        }
        lead.push_str(&" ".repeat(margin.saturating_sub(text_width(&lead))));
        let room = columns.saturating_sub(margin).max(2);
        let parts =
            if *role == LineRole::Argument { split_near_space(text, room) } else { wrap_words(text, room) };
        for (index, part) in parts.into_iter().enumerate() {
            let continuation = format!("{CONTINUATION:>margin$}");
            let blank = " ".repeat(margin);
            let lead = match (index, *role) {
                (0, _) => lead.clone(),
                (_, LineRole::Argument) if margin >= 2 => continuation,
                _ => blank,
            };
            rows.push(DocumentRow { role: *role, lead, text: part });
        }
    }
    rows
}

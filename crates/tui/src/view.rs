//! Builds the picture of the inbox for a window size.

use crate::{
    document::{DocumentRow, MAX_NAME},
    foot::{key_lines, short_key_lines, status_lines},
    help::help_rows,
    inbox::{
        message::call_key,
        state::{InboxMode, InboxState, ListedCall, StatusTone},
    },
    page::DocumentWindow,
    picture::{InboxHints, InboxPicture, ListItem, PictureBody, TextInk, TextPart, risk_word},
    present::{
        impact::ImpactSummary,
        text::{escape_text, format_age, format_duration},
    },
    wrap::{join_parts, text_width, truncate_text, wrap_words},
};
use countersign_api as api;
use countersign_gate::Timestamp;

/// The number of columns from which the list of calls is shown beside the call.
const ROOM_FOR_A_LIST: usize = 100;

/// The smallest window in which a call is readable.
const MIN_SIZE: (usize, usize) = (24, 9);

/// If the call itself has fewer lines than this, the heading and the keys shrink.
const ROOM_TO_READ: usize = 3;

/// The title of the terminal window.
pub(crate) fn window_title(inbox: &InboxState) -> String {
    match inbox.count() {
        0 => "Countersign".to_owned(),
        count => format!("({count}) Countersign"),
    }
}

/// Builds the picture. A call whose last line is visible counts as read.
pub(crate) fn build_picture(
    inbox: &mut InboxState,
    columns: usize,
    lines: usize,
    now: Timestamp,
    hints: &InboxHints,
) -> InboxPicture {
    if columns < MIN_SIZE.0 || lines < MIN_SIZE.1 {
        return too_small(columns);
    }
    let list =
        (columns >= ROOM_FOR_A_LIST).then(|| ((columns / 4).clamp(28, 44), items(inbox, lines / 2, now)));
    let pane = columns - list.as_ref().map_or(0, |(list, _)| list + 2) - 2;
    let (mut heading, heading_right) = heading(inbox, pane, now);
    let (bottom, cursor) = status_lines(inbox, columns - 2, hints);
    let mut keys = key_lines(inbox, columns - 2);
    let rules = 2 + usize::from(!heading.is_empty());
    let room = |heading: &[Vec<TextPart>], keys: &[String]| {
        lines.saturating_sub(heading.len() + bottom.len() + keys.len() + rules)
    };
    if inbox.mode == InboxMode::Reading && room(&heading, &keys) < ROOM_TO_READ {
        keys = short_key_lines(columns - 2);
        if room(&heading, &keys) < ROOM_TO_READ {
            // The tool and its risk stay.
            heading.retain(|line| line.first().is_none_or(|(ink, _)| *ink != TextInk::Faint));
        }
    }
    let height = room(&heading, &keys);
    let mut position = String::new();
    let body = if inbox.mode == InboxMode::Help {
        inbox.help.rows = help_rows(pane);
        inbox.help.scroll(0, height);
        position = position_text(&inbox.help);
        PictureBody::Rows(window(&inbox.help))
    } else if inbox.shown.is_some() {
        inbox.lay_out_document(pane, height);
        position = position_text(&inbox.page);
        PictureBody::Rows(window(&inbox.page))
    } else {
        PictureBody::Centred(empty_lines(inbox, pane, hints))
    };
    let keys_faint = inbox.mode == InboxMode::Reading && (inbox.sending.is_some() || inbox.guard.holds(now));
    InboxPicture {
        top: top(inbox, columns - 2),
        list: list.filter(|_| inbox.shown.is_some()),
        heading,
        heading_right,
        body,
        position,
        bottom,
        cursor,
        keys,
        keys_faint,
    }
}

fn too_small(columns: usize) -> InboxPicture {
    let text = format!("The window is too small: at least {} × {}", MIN_SIZE.0, MIN_SIZE.1);
    InboxPicture {
        top: (String::new(), String::new()),
        list: None,
        heading: Vec::new(),
        heading_right: String::new(),
        body: PictureBody::Centred(
            wrap_words(&text, columns.max(1)).into_iter().map(|line| (TextInk::Plain, line)).collect(),
        ),
        position: String::new(),
        bottom: Vec::new(),
        cursor: None,
        keys: Vec::new(),
        keys_faint: false,
    }
}

fn window(page: &DocumentWindow) -> Vec<DocumentRow> {
    page.rows.iter().skip(page.offset).take(page.height).cloned().collect()
}

/// The position in the document, such as `line 1–20 of 45`.
fn position_text(page: &DocumentWindow) -> String {
    let all = page.rows.len();
    if all <= page.height {
        return String::new();
    }
    let last = (page.offset + page.height).min(all);
    format!("line {}–{last} of {all}", page.offset + 1)
}

fn top(inbox: &InboxState, columns: usize) -> (String, String) {
    let mut left = format!("Countersign · {} pending", inbox.count());
    if !inbox.search_text.is_empty() {
        left.extend([" · search “", &escape_text(&inbox.search_text), "”"]);
    }
    let left = truncate_text(&left, columns);
    let right = truncate_text(&escape_text(inbox.me.as_str()), columns.saturating_sub(text_width(&left) + 2));
    (left, right)
}

fn heading(inbox: &InboxState, columns: usize, now: Timestamp) -> (Vec<Vec<TextPart>>, String) {
    if inbox.mode == InboxMode::Help {
        return (vec![vec![(TextInk::Strong, "Keys".to_owned())]], String::new());
    }
    let Some(waiting) = inbox.current() else { return (Vec::new(), String::new()) };
    let call = &waiting.call;
    let right = ordinal(inbox, waiting);
    let tool =
        truncate_text(&escape_text(call.name.as_str()), columns.saturating_sub(text_width(&right) + 2));
    let mut lines = vec![vec![(TextInk::Strong, tool)]];
    let facts = join_parts(&origin_parts(call, now), columns);
    lines.extend(facts.into_iter().map(|line| vec![(TextInk::Faint, line)]));
    if let Some(how) = &waiting.gone {
        lines.push(vec![(
            TextInk::Said(StatusTone::Bad),
            truncate_text(&format!("No longer pending: {how}"), columns),
        )]);
        return (lines, right);
    }
    let impact = ImpactSummary::from_call(call);
    let mut pieces = Vec::new();
    if let Some(risk) = impact.risk {
        pieces.push((TextInk::Risk(risk), risk_word(risk).to_owned()));
    }
    match impact.reversible {
        Some(true) => pieces.push((TextInk::Plain, "can be undone".to_owned())),
        Some(false) => pieces.push((TextInk::Strong, "cannot be undone".to_owned())),
        None => {}
    }
    if let Some(end) = call.request.as_ref().and_then(|request| request.expires_at) {
        let left = end.since(now).as_secs();
        let ink = if left < 60 { TextInk::Urgent } else { TextInk::Plain };
        pieces.push((ink, format!("{} left", format_duration(left))));
    }
    if !pieces.is_empty() {
        lines.push(pieces);
    }
    (lines, right)
}

/// The position in the list, such as `2 of 3`.
fn ordinal(inbox: &InboxState, waiting: &ListedCall) -> String {
    if waiting.gone.is_some() {
        return "decided".to_owned();
    }
    let mut listed = inbox.listed().filter(|other| other.gone.is_none());
    let at = listed.position(|other| call_key(&other.call) == call_key(&waiting.call));
    let count = inbox.listed().filter(|other| other.gone.is_none()).count();
    at.map_or_else(String::new, |at| format!("{} of {count}", at + 1))
}

/// The proposer, the thread and the age of the request.
fn origin_parts(call: &api::Call, now: Timestamp) -> Vec<String> {
    let name = |name: &str| truncate_text(&escape_text(name), MAX_NAME);
    let since = call.request.as_ref().map_or(call.proposal.at, |request| request.requested_at);
    vec![
        format!("by {}", name(call.proposal.principal.as_str())),
        format!("in {}", name(call.thread_id.as_str())),
        format_age(since, now),
    ]
}

/// The part of the list around the shown call. With thousands of calls, the rest is not formatted.
fn items(inbox: &InboxState, room: usize, now: Timestamp) -> Vec<ListItem> {
    let shown = inbox.listed().position(|waiting| inbox.shown.as_ref() == Some(&call_key(&waiting.call)));
    let first = shown.map_or(0, |at| at.saturating_sub(room / 2));
    let item = |waiting: &ListedCall| {
        let call = &waiting.call;
        let about = match &waiting.gone {
            Some(how) => how.clone(),
            None => {
                format!("{} · {}", escape_text(call.thread_id.as_str()), format_age(call.proposal.at, now))
            }
        };
        ListItem {
            shown: inbox.shown.as_ref() == Some(&call_key(call)),
            title: escape_text(call.name.as_str()),
            risk: ImpactSummary::from_call(call).risk,
            about,
        }
    };
    inbox.listed().skip(first).take(room).map(item).collect()
}

/// The text of an empty inbox.
fn empty_lines(inbox: &InboxState, columns: usize, hints: &InboxHints) -> Vec<TextPart> {
    let mut lines = Vec::new();
    let mut add = |ink: TextInk, text: &str| {
        lines.extend(wrap_words(text, columns).into_iter().map(|line| (ink, line)));
    };
    if inbox.count() > 0 {
        let wanted = escape_text(&inbox.search_text);
        add(TextInk::Strong, &format!("No pending call contains “{wanted}”."));
        add(TextInk::Faint, &format!("Esc shows all {}.", inbox.count()));
        return lines;
    }
    add(TextInk::Strong, "No call is pending.");
    add(TextInk::Plain, "");
    if inbox.allowed + inbox.denied > 0 {
        add(TextInk::Plain, &format!("You allowed {} and denied {}.", inbox.allowed, inbox.denied));
    } else {
        add(TextInk::Faint, "New calls appear here automatically.");
        add(TextInk::Faint, "To try it, run this in another terminal:");
        add(TextInk::Plain, "");
        add(TextInk::Plain, &format!("{} run -- git --version", hints.command_prefix));
    }
    lines
}

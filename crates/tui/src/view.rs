//! Builds the inbox picture for a window size.

use crate::{
    CallOrder,
    document::DocumentRow,
    foot::{key_lines, short_key_lines, status_lines},
    heading::heading,
    help::help_rows,
    inbox::state::{InboxMode, InboxState},
    list::{list_pane, recent_lines},
    page::DocumentWindow,
    picture::{InboxHints, InboxPicture, ListPane, PictureBody, TextInk, TextPart},
};
use countersign_console::{escape_text, text_width, truncate_start, truncate_text, wrap_words};
use countersign_events::Timestamp;

/// The smallest window in which a call is readable.
const MIN_SIZE: (usize, usize) = (24, 9);

/// If the call itself has fewer lines than this, the heading and the keys shrink.
const ROOM_TO_READ: usize = 3;

/// If the call itself has fewer lines than this, the list above it is not shown.
const ROOM_BESIDE_LIST: usize = 6;

/// The terminal window title.
pub(crate) fn window_title(inbox: &InboxState) -> String {
    match inbox.count() {
        0 => "Countersign".to_owned(),
        count => format!("({count}) Countersign"),
    }
}

/// Builds the picture. A call whose last line is visible is treated as read.
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
    let mut list = list_pane(inbox, columns, lines, now).filter(|_| inbox.mode != InboxMode::Help);
    let (beside, mut above) = match &list {
        Some(ListPane::Beside { columns, .. }) => (columns + 2, 0),
        Some(ListPane::Above(items)) => (0, items.len() + 1),
        None => (0, 0),
    };
    let pane = columns - beside - 2;
    let (mut heading, heading_right) = heading(inbox, pane, now);
    let (mut bottom, cursor) = status_lines(inbox, columns - 2, hints);
    if inbox.mode == InboxMode::Reading && inbox.shown.is_some() {
        let recent = recent_lines(inbox, columns - 2, lines).into_iter();
        bottom.splice(0..0, recent.map(|line| vec![(TextInk::Faint, line)]));
    }
    let mut keys = key_lines(inbox, columns - 2);
    let rules = 2 + usize::from(!heading.is_empty());
    let room = |heading: &[Vec<TextPart>], keys: &[String]| {
        lines.saturating_sub(heading.len() + bottom.len() + keys.len() + rules)
    };
    // A question and the call are more important than the list.
    if above > 0 && room(&heading, &keys).saturating_sub(above) < ROOM_BESIDE_LIST {
        (list, above) = (None, 0);
    }
    if inbox.mode == InboxMode::Reading && room(&heading, &keys) < ROOM_TO_READ {
        keys = short_key_lines(columns - 2);
        if room(&heading, &keys) < ROOM_TO_READ {
            // The tool and its risk stay.
            heading.retain(|line| line.first().is_none_or(|(ink, _)| *ink != TextInk::Faint));
        }
    }
    let height = room(&heading, &keys).saturating_sub(above);
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
        top: top(inbox, columns - 2, hints),
        list,
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

/// With less room than this, the bar at the top does not name the log.
const ROOM_FOR_LOG: usize = 12;

/// The bar at the top: the number of calls and the log at the left, the person at the right.
fn top(inbox: &InboxState, columns: usize, hints: &InboxHints) -> (String, String) {
    let mut left = format!("Countersign · {} pending", inbox.count());
    if inbox.order != CallOrder::default() {
        left.extend([" · ", inbox.order.describe()]);
    }
    if !inbox.search_text.is_empty() {
        left.extend([" · search “", &escape_text(&inbox.search_text), "”"]);
    }
    let mut left = truncate_text(&left, columns);
    let right = truncate_text(&escape_text(inbox.me.as_str()), columns.saturating_sub(text_width(&left) + 2));
    let room = columns.saturating_sub(text_width(&left) + text_width(&right) + 5);
    if room >= ROOM_FOR_LOG && !hints.log.is_empty() {
        left.extend([" · ", &truncate_start(&hints.log, room)]);
    }
    (left, right)
}

/// What an empty inbox shows.
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
    }
    if !inbox.recent.is_empty() {
        add(TextInk::Plain, "");
        for line in inbox.recent.lines() {
            add(TextInk::Faint, &truncate_text(&line, columns));
        }
    } else if inbox.allowed + inbox.denied == 0 {
        add(TextInk::Faint, "New calls appear here automatically.");
        add(TextInk::Faint, "To try it, run this in another terminal:");
        add(TextInk::Plain, "");
        add(TextInk::Plain, &format!("{} run -- git --version", hints.command_prefix));
    }
    lines
}

//! What the inbox looks like in a window of some size: texts and what they are, without colours.

use super::{
    document::{LONG_NAME, Role, Row},
    foot::{bottom, few_keys, keys},
    help,
    inbox::{Inbox, Mode, Tone, Waiting, key},
    page::Page,
    wrap::{cut, flow, soft, width},
};
use crate::{
    impact::Impact,
    output::{ago, span, visible},
};
use countersign_api as api;
use countersign_gate::{Timestamp, event::RiskLevel};

/// From so many columns on, the list of what waits stands beside the call.
const ROOM_FOR_A_LIST: usize = 100;

/// The smallest window that something can be read in.
const LEAST: (usize, usize) = (24, 9);

/// With fewer lines than this for the call itself, what stands around it gives way.
const ROOM_TO_READ: usize = 3;

/// What a text is, which is how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Strong,
    Faint,
    Urgent,
    Risk(RiskLevel),
    Said(Tone),
}

/// A piece of a line.
pub(super) type Piece = (Ink, String);

/// One of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) shown: bool,
    pub(super) title: String,
    pub(super) risk: Option<RiskLevel>,
    pub(super) about: String,
}

/// All that is drawn.
#[derive(Debug)]
pub(super) struct View {
    pub(super) top: (String, String),
    pub(super) list: Option<(usize, Vec<Item>)>,
    pub(super) heading: Vec<Vec<Piece>>,
    pub(super) heading_right: String,
    pub(super) body: Body,
    pub(super) position: String,
    pub(super) bottom: Vec<Vec<Piece>>,
    /// Where the cursor stands in the last line but one of `bottom`, while something is written.
    pub(super) cursor: Option<(usize, usize)>,
    pub(super) keys: Vec<String>,
    /// The keys that do nothing now are drawn faint.
    pub(super) keys_faint: bool,
}

#[derive(Debug)]
pub(super) enum Body {
    Rows(Vec<Row>),
    Centred(Vec<Piece>),
}

/// Where a newcomer finds something to decide on.
pub(super) struct Hints {
    pub(super) how: String,
}

/// What the window's title says.
pub(super) fn title(inbox: &Inbox) -> String {
    match inbox.count() {
        0 => "Countersign".to_owned(),
        count => format!("({count}) Countersign"),
    }
}

/// Looks at the inbox. What is looked at to its end counts as read.
pub(super) fn view(inbox: &mut Inbox, columns: usize, lines: usize, now: Timestamp, hints: &Hints) -> View {
    if columns < LEAST.0 || lines < LEAST.1 {
        return too_small(columns);
    }
    let list =
        (columns >= ROOM_FOR_A_LIST).then(|| ((columns / 4).clamp(28, 44), items(inbox, lines / 2, now)));
    let pane = columns - list.as_ref().map_or(0, |(list, _)| list + 2) - 2;
    let (mut heading, heading_right) = heading(inbox, pane, now);
    let (bottom, cursor) = bottom(inbox, columns - 2);
    let mut keys = keys(inbox, columns - 2);
    let rules = 2 + usize::from(!heading.is_empty());
    let room = |heading: &[Vec<Piece>], keys: &[String]| {
        lines.saturating_sub(heading.len() + bottom.len() + keys.len() + rules)
    };
    if inbox.mode == Mode::Reading && room(&heading, &keys) < ROOM_TO_READ {
        keys = few_keys(columns - 2);
        if room(&heading, &keys) < ROOM_TO_READ {
            // The tool and its risk stay.
            heading.retain(|line| line.first().is_none_or(|(ink, _)| *ink != Ink::Faint));
        }
    }
    let height = room(&heading, &keys);
    let mut position = String::new();
    let body = if inbox.mode == Mode::Help {
        inbox.help.rows = help::rows(pane);
        inbox.help.turn(0, height);
        position = place(&inbox.help);
        Body::Rows(window(&inbox.help))
    } else if inbox.shown.is_some() {
        inbox.lay_out(pane, height);
        position = place(&inbox.page);
        Body::Rows(window(&inbox.page))
    } else {
        Body::Centred(nothing(inbox, pane, hints))
    };
    let keys_faint = inbox.mode == Mode::Reading && (inbox.sending.is_some() || inbox.holds(now));
    View {
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

fn too_small(columns: usize) -> View {
    let text = format!("Too small: {} × {} at least", LEAST.0, LEAST.1);
    View {
        top: (String::new(), String::new()),
        list: None,
        heading: Vec::new(),
        heading_right: String::new(),
        body: Body::Centred(soft(&text, columns.max(1)).into_iter().map(|line| (Ink::Plain, line)).collect()),
        position: String::new(),
        bottom: Vec::new(),
        cursor: None,
        keys: Vec::new(),
        keys_faint: false,
    }
}

fn window(page: &Page) -> Vec<Row> {
    page.rows.iter().skip(page.offset).take(page.height).cloned().collect()
}

/// Which lines are on the screen.
fn place(page: &Page) -> String {
    let all = page.rows.len();
    if all <= page.height {
        return String::new();
    }
    let last = (page.offset + page.height).min(all);
    format!("line {}–{last} of {all}", page.offset + 1)
}

fn top(inbox: &Inbox, columns: usize) -> (String, String) {
    let mut left = format!("Countersign · {} waiting", inbox.count());
    if !inbox.looking_for.is_empty() {
        left.extend([" · with “", &visible(&inbox.looking_for), "”"]);
    }
    let left = cut(&left, columns);
    let right = cut(&visible(inbox.me.as_str()), columns.saturating_sub(width(&left) + 2));
    (left, right)
}

/// The risk in words that need no colour.
pub(super) fn risk_word(risk: RiskLevel) -> &'static str {
    match risk {
        RiskLevel::Low => "LOW RISK",
        RiskLevel::Medium => "MEDIUM RISK",
        RiskLevel::High => "HIGH RISK",
        RiskLevel::Critical => "CRITICAL RISK",
        RiskLevel::Other => "UNKNOWN RISK",
    }
}

fn heading(inbox: &Inbox, columns: usize, now: Timestamp) -> (Vec<Vec<Piece>>, String) {
    if inbox.mode == Mode::Help {
        return (vec![vec![(Ink::Strong, "Keys".to_owned())]], String::new());
    }
    let Some(waiting) = inbox.current() else { return (Vec::new(), String::new()) };
    let call = &waiting.call;
    let right = ordinal(inbox, waiting);
    let tool = cut(&visible(call.name.as_str()), columns.saturating_sub(width(&right) + 2));
    let mut lines = vec![vec![(Ink::Strong, tool)]];
    let facts = flow(&about(call, now), columns);
    lines.extend(facts.into_iter().map(|line| vec![(Ink::Faint, line)]));
    if let Some(how) = &waiting.gone {
        lines.push(vec![(Ink::Said(Tone::Bad), cut(&format!("No longer waits: {how}"), columns))]);
        return (lines, right);
    }
    let impact = Impact::of(call);
    let mut pieces = Vec::new();
    if let Some(risk) = impact.risk {
        pieces.push((Ink::Risk(risk), risk_word(risk).to_owned()));
    }
    match impact.reversible {
        Some(true) => pieces.push((Ink::Plain, "can be undone".to_owned())),
        Some(false) => pieces.push((Ink::Strong, "cannot be undone".to_owned())),
        None => {}
    }
    if let Some(end) = call.request.as_ref().and_then(|request| request.expires_at) {
        let left = end.since(now).as_secs();
        let ink = if left < 60 { Ink::Urgent } else { Ink::Plain };
        pieces.push((ink, format!("{} left", span(left))));
    }
    if !pieces.is_empty() {
        lines.push(pieces);
    }
    (lines, right)
}

/// `2 of 3`.
fn ordinal(inbox: &Inbox, waiting: &Waiting) -> String {
    if waiting.gone.is_some() {
        return "decided".to_owned();
    }
    let mut listed = inbox.listed().filter(|other| other.gone.is_none());
    let at = listed.position(|other| key(&other.call) == key(&waiting.call));
    let count = inbox.listed().filter(|other| other.gone.is_none()).count();
    at.map_or_else(String::new, |at| format!("{} of {count}", at + 1))
}

/// Who asks, where, since when.
fn about(call: &api::Call, now: Timestamp) -> Vec<String> {
    let name = |name: &str| cut(&visible(name), LONG_NAME);
    let since = call.request.as_ref().map_or(call.proposal.at, |request| request.requested_at);
    vec![
        format!("by {}", name(call.proposal.principal.as_str())),
        format!("in {}", name(call.thread_id.as_str())),
        ago(since, now),
    ]
}

/// The part of the list that the shown call is in: with thousands that wait, the rest is not even read.
fn items(inbox: &Inbox, room: usize, now: Timestamp) -> Vec<Item> {
    let shown = inbox.listed().position(|waiting| inbox.shown.as_ref() == Some(&key(&waiting.call)));
    let first = shown.map_or(0, |at| at.saturating_sub(room / 2));
    let item = |waiting: &Waiting| {
        let call = &waiting.call;
        let about = match &waiting.gone {
            Some(how) => how.clone(),
            None => format!("{} · {}", visible(call.thread_id.as_str()), ago(call.proposal.at, now)),
        };
        Item {
            shown: inbox.shown.as_ref() == Some(&key(call)),
            title: visible(call.name.as_str()),
            risk: Impact::of(call).risk,
            about,
        }
    };
    inbox.listed().skip(first).take(room).map(item).collect()
}

/// What stands where nothing waits.
fn nothing(inbox: &Inbox, columns: usize, hints: &Hints) -> Vec<Piece> {
    let mut lines = Vec::new();
    let mut add = |ink: Ink, text: &str| {
        lines.extend(soft(text, columns).into_iter().map(|line| (ink, line)));
    };
    if inbox.count() > 0 {
        let wanted = visible(&inbox.looking_for);
        add(Ink::Strong, &format!("Nothing that waits has “{wanted}” in it."));
        add(Ink::Faint, &format!("Esc shows all {}.", inbox.count()));
        return lines;
    }
    add(Ink::Strong, "Nothing waits for a decision.");
    add(Ink::Plain, "");
    if inbox.allowed + inbox.denied > 0 {
        add(Ink::Plain, &format!("You allowed {} and denied {}.", inbox.allowed, inbox.denied));
    } else {
        add(Ink::Faint, "What agents ask for appears here by itself.");
        add(Ink::Faint, "To see it happen, type in another terminal:");
        add(Ink::Plain, "");
        add(Ink::Plain, &format!("{} run -- git --version", hints.how));
    }
    lines
}

/// Rows that are facts of our own, for the help.
pub(super) fn fact(lead: String, text: String) -> Row {
    Row { role: Role::Fact, lead, text }
}

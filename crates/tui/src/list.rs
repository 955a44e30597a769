//! The list of calls and the recent decisions.

use crate::{
    inbox::{
        message::call_key,
        state::{InboxState, ListedCall},
    },
    picture::{ListItem, ListPane},
};
use countersign_console::{
    ImpactSummary, escape_text, format_age, format_duration, summarize_call, truncate_text,
};
use countersign_events::Timestamp;

/// The number of columns from which the list is shown beside the call.
const ROOM_BESIDE: usize = 100;

/// The list for a window of this size. A single call needs no list, except to show the recent decisions beside it.
pub(crate) fn list_pane(
    inbox: &InboxState,
    columns: usize,
    lines: usize,
    now: Timestamp,
) -> Option<ListPane> {
    inbox.shown.as_ref()?;
    if columns >= ROOM_BESIDE {
        let columns = (columns * 2 / 5).clamp(36, 64);
        let height = lines.saturating_sub(5);
        let recent = recent_column(inbox, columns - 1, height);
        let items = list_items(inbox, height.saturating_sub(recent.len()) / 2, now);
        return Some(ListPane::Beside { columns, items, recent });
    }
    let room = match lines {
        0..16 => 0,
        16..24 => 2,
        24..30 => 3,
        30..40 => 5,
        _ => 8,
    };
    let items = list_items(inbox, room, now);
    (items.len() > 1).then_some(ListPane::Above(items))
}

/// The recent decisions for a window column, with a title.
fn recent_column(inbox: &InboxState, columns: usize, height: usize) -> Vec<String> {
    let lines = inbox.recent.lines().take(height / 4);
    let mut column: Vec<_> = lines.map(|line| truncate_text(&line, columns)).collect();
    if !column.is_empty() {
        column.insert(0, "Recent decisions".to_owned());
    }
    column
}

/// The last recent decisions for the lines below the call.
pub(crate) fn recent_lines(inbox: &InboxState, columns: usize, lines: usize) -> Vec<String> {
    let room = match lines {
        _ if columns + 2 >= ROOM_BESIDE => 0,
        0..20 => 0,
        20..30 => 1,
        30..40 => 2,
        _ => 4,
    };
    inbox.recent.lines().take(room).map(|line| truncate_text(&line, columns)).collect()
}

/// The list section around the shown call. With thousands of calls, the rest is not formatted.
fn list_items(inbox: &InboxState, room: usize, now: Timestamp) -> Vec<ListItem> {
    let count = inbox.listed().count();
    let shown = inbox.listed().position(|waiting| inbox.shown.as_ref() == Some(&call_key(&waiting.call)));
    let middle = shown.map_or(0, |at| at.saturating_sub(room / 2));
    let first = middle.min(count.saturating_sub(room));
    inbox.listed().skip(first).take(room).map(|waiting| list_item(inbox, waiting, now)).collect()
}

fn list_item(inbox: &InboxState, waiting: &ListedCall, now: Timestamp) -> ListItem {
    let call = &waiting.call;
    let age = format_age(call.request.as_ref().map_or(call.proposal.at, |request| request.requested_at), now);
    let end = call.request.as_ref().and_then(|request| request.expires_at);
    let left = end.map(|end| format!("{} left", format_duration(end.since(now).as_secs())));
    let about = waiting.gone.clone().unwrap_or_else(|| {
        let thread = escape_text(call.thread_id.as_str());
        let left = left.as_ref().map_or_else(String::new, |left| format!(" · {left}"));
        format!("{age}{left} · {thread}")
    });
    let (title, argument) = summarize_call(call);
    ListItem {
        shown: inbox.shown.as_ref() == Some(&call_key(call)),
        title,
        argument,
        risk: ImpactSummary::from_call(call).risk,
        when: waiting.gone.clone().or(left).unwrap_or(age),
        about,
    }
}

//! Plans notifications: compares what a person has to decide with what a device shows. There is one notification for each
//! thread. It reads no clock and sends nothing.

use crate::push_progress::{ShownNotice, ShownNotices};
use countersign_approvals::access::{PushDeviceRecord, TokenHolder};
use countersign_events::Timestamp;
use countersign_gate::NotifiedCall;
use std::collections::BTreeMap;

/// A change of what a device shows for a thread.
#[derive(Debug)]
pub(crate) struct NoticeChange<'a> {
    pub(crate) thread: &'a str,
    /// The call to show; `None` to withdraw the notification.
    pub(crate) call: Option<&'a NotifiedCall>,
    /// What the device shows afterwards.
    pub(crate) notice: Option<ShownNotice>,
    /// Whether the device makes a sound.
    pub(crate) alerts: bool,
    /// Whether the person may answer as themselves, so that the notification offers to decide.
    pub(crate) decides: bool,
    /// The number of calls that wait for the person.
    pub(crate) waiting: usize,
}

/// The changes for one device. In quiet hours, a device shows nothing new but escalated requests.
pub(crate) fn plan_notices<'a>(
    device: &PushDeviceRecord,
    holder: &TokenHolder,
    calls: &'a [NotifiedCall],
    shown: &'a ShownNotices,
    now: Timestamp,
) -> Vec<NoticeChange<'a>> {
    let own: Vec<_> = calls.iter().filter(|call| call.concerns(holder)).collect();
    let is_quiet = device.set.quiet.is_some_and(|quiet| quiet.end_after(now).is_some());
    let mut wanted: BTreeMap<&str, (&NotifiedCall, ShownNotice)> = BTreeMap::new();
    for call in &own {
        let (thread, notice) = (call.call.thread_id.as_str(), notice_of(call));
        let is_shown = shown.get(thread).is_some_and(|before| before.call == call.call.id);
        let is_new = notice.rank > device.added_seq && (!is_quiet || is_escalated(call));
        let is_newest = wanted.get(thread).is_none_or(|(_, other)| other.rank < notice.rank);
        if (is_shown || is_new) && is_newest {
            wanted.insert(thread, (call, notice));
        }
    }
    let waiting = own.len();
    let withdrawn = shown.keys().filter(|thread| !wanted.contains_key(thread.as_str()));
    let withdrawn = withdrawn.map(|thread| NoticeChange {
        thread,
        call: None,
        notice: None,
        alerts: false,
        decides: false,
        waiting,
    });
    let withdrawn: Vec<_> = withdrawn.collect();
    let changed = wanted.into_iter().filter(|(thread, (_, notice))| shown.get(*thread) != Some(notice));
    let changed = changed.map(|(thread, (call, notice))| NoticeChange {
        thread,
        call: Some(call),
        decides: call.is_own(holder),
        alerts: shown.get(thread).is_none_or(|before| before.rank < notice.rank),
        notice: Some(notice),
        waiting,
    });
    changed.chain(withdrawn).collect()
}

fn is_escalated(call: &NotifiedCall) -> bool {
    call.call.request.as_ref().is_some_and(|request| request.escalated.is_some())
}

fn notice_of(notified: &NotifiedCall) -> ShownNotice {
    let call = &notified.call;
    let request = call.request.as_ref();
    let escalated = request.and_then(|request| request.escalated.as_ref()).map(|mark| mark.seq);
    ShownNotice {
        call: call.id.clone(),
        rank: escalated.or(request.map(|request| request.seq)).unwrap_or_default(),
        arguments_hash: call.arguments_hash,
        may_allow: notified.may_allow,
    }
}

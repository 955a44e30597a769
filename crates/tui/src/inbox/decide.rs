//! Conditions for a decision, and sending it.

use crate::inbox::{
    message::{InboxAction, SentDecision, call_key},
    question::ChosenScope,
    state::{InboxState, StatusTone},
};
use countersign_console::escape_text;
use countersign_events::{Decision, Timestamp};

/// The status after a key that is pressed while a decision is on its way.
pub(crate) const NOT_CONFIRMED: &str = "Your last decision is not confirmed yet.";

impl InboxState {
    /// The reason why no call is shown.
    pub(crate) fn describe_empty_list(&self) -> String {
        if self.count() > 0 {
            format!("No pending call contains “{}”. Esc shows all.", escape_text(&self.search_text))
        } else {
            "No call is pending.".to_owned()
        }
    }

    /// Returns true if the shown call can be decided now. If not, the status says why.
    pub(crate) fn may_decide(&mut self, now: Timestamp) -> bool {
        let (tone, why) = match self.current() {
            None => (StatusTone::Calm, self.describe_empty_list()),
            Some(waiting) => match &waiting.gone {
                Some(how) => (StatusTone::Bad, format!("This call is {how}. n shows the next one.")),
                None if self.sending.is_some() => (StatusTone::Calm, NOT_CONFIRMED.to_owned()),
                None if self.lost.is_some() => (
                    StatusTone::Bad,
                    "Nothing was sent, because the log is unreachable. Wait for the connection.".to_owned(),
                ),
                None if self.guard.holds(now) => (
                    StatusTone::Calm,
                    "Ignored: the key came too early. Release it, read the call, then decide.".to_owned(),
                ),
                None => return true,
            },
        };
        self.set_status(tone, why);
        false
    }

    /// Returns true if the shown call can be allowed: it must have been on the screen to its end.
    pub(crate) fn may_allow(&mut self, decision: Decision, now: Timestamp) -> bool {
        if !self.may_decide(now) {
            return false;
        }
        let offered = self
            .current()
            .and_then(|waiting| waiting.call.request.as_ref())
            .is_some_and(|request| request.options.contains(&decision));
        if !offered {
            self.set_status(StatusTone::Bad, "This decision is not offered for this call.");
            return false;
        }
        if !self.is_read() {
            let end = self.page.arguments_end();
            let below = end.saturating_sub(self.page.offset + self.page.height);
            let lines = if below == 1 { "line" } else { "lines" };
            self.set_status(
                StatusTone::Bad,
                format!("Read to the end first: {below} more {lines}. Space scrolls, G goes to the end."),
            );
            return false;
        }
        true
    }

    /// Allows the shown call with the comment that the person wrote for it.
    pub(crate) fn allow(
        &mut self,
        decision: Decision,
        chosen: Option<ChosenScope>,
        now: Timestamp,
    ) -> Option<InboxAction> {
        if !self.may_allow(decision, now) {
            return None;
        }
        let comment = self.shown_notes().map(|notes| notes.comment.clone()).unwrap_or_default();
        self.send(decision, &comment, chosen)
    }

    /// Sends a decision about the shown call.
    pub(crate) fn send(
        &mut self,
        decision: Decision,
        comment: &str,
        chosen: Option<ChosenScope>,
    ) -> Option<InboxAction> {
        let call = &self.current()?.call;
        let (key, about) = (call_key(call), call.arguments_hash);
        let comment = Some(comment.trim().to_owned()).filter(|text| !text.is_empty());
        let notes = self.notes.get(&key);
        let arguments = notes.and_then(|notes| notes.edited.clone()).filter(|_| decision.allows());
        let level = notes.and_then(|notes| notes.level.clone());
        let and_waiting = chosen.as_ref().is_some_and(|chosen| chosen.and_waiting);
        let (scope, limits) = chosen.map(|chosen| (Some(chosen.scope), chosen.limits)).unwrap_or_default();
        let sent =
            SentDecision { key, decision, comment, about, arguments, scope, level, and_waiting, limits };
        self.status = None;
        self.sending = Some(sent.clone());
        Some(InboxAction::Decide(sent))
    }
}

//! An inbox tester without a terminal: it presses keys, sets the clock and reads the screen.

mod guard;
mod list;
mod pictures;
mod presence;
mod scope;
mod stories;

use crate::{
    draw::draw_picture,
    inbox::{
        message::{DecisionFailure, DecisionSummary, InboxAction, InboxEvent, SentDecision, call_key},
        state::InboxState,
    },
    painter::ColourTheme,
    picture::InboxHints,
    view::build_picture,
};
use countersign_api as api;
use countersign_events::{CallState, Principal, Timestamp};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{Terminal, backend::TestBackend};
use serde_json::{Value, json};
use std::time::Duration;

/// The time at which every story starts.
const START_MILLIS: i64 = 1_790_000_000_000;

/// A call that is pending since the start, as the gate returns it.
pub(crate) fn call(seq: i64, tool: &str, arguments: &Value, more: &Value) -> api::Call {
    let at = Timestamp::from_millis(START_MILLIS);
    let mut call = json!({
        "threadId": "conversation-7",
        "id": format!("call_{seq}"),
        "name": tool,
        "state": "pending",
        "arguments": arguments,
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "proposal": {"seq": seq, "principal": "agent:ada", "at": at},
        "request": {
            "seq": seq + 1,
            "requestedAt": at,
            "options": ["allow_once", "allow_session", "deny"],
            "quorum": 1,
            "denials": 1,
            "reason": "no rule matches this call",
            "policy": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        call[name] = value.clone();
    }
    serde_json::from_value(call).expect("a call")
}

/// A call that fits on the screen.
pub(crate) fn short_call(seq: i64, tool: &str) -> api::Call {
    call(seq, tool, &json!({"command": format!("run {seq}")}), &json!({}))
}

pub(crate) struct InboxTester {
    pub(crate) inbox: InboxState,
    pub(crate) now: Timestamp,
    size: (u16, u16),
    /// The log's location; empty if the bar at the top does not name it.
    log: String,
}

impl InboxTester {
    /// Opens an inbox with these calls in a window of 60 columns and 20 lines.
    pub(crate) fn with_calls(calls: &[api::Call]) -> Self {
        let now = Timestamp::from_millis(START_MILLIS + 5_000);
        let mut inbox = InboxState::new(Principal::user("ben"));
        inbox.apply_event(InboxEvent::Loaded(calls.to_vec()), now);
        inbox.guard.lift();
        let mut person = Self { inbox, now, size: (60, 20), log: String::new() };
        person.screen();
        person
    }

    pub(crate) fn with_window(mut self, columns: u16, lines: u16) -> Self {
        self.size = (columns, lines);
        self
    }

    pub(crate) fn with_log(mut self, location: &str) -> Self {
        location.clone_into(&mut self.log);
        self
    }

    /// Advances the clock.
    pub(crate) fn advance_clock(&mut self, span: Duration) {
        self.now = self.now.after(span);
    }

    /// Draws the screen and returns its text.
    pub(crate) fn screen(&mut self) -> String {
        let (columns, lines) = self.size;
        let hints = InboxHints { log: self.log.clone(), command_prefix: "countersign".to_owned() };
        let view = build_picture(&mut self.inbox, columns.into(), lines.into(), self.now, &hints);
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).expect("the screen is drawn");
        terminal
            .draw(|frame| draw_picture(frame, &view, ColourTheme { colours: true }))
            .expect("the screen is drawn");
        let buffer = terminal.backend().buffer().clone();
        let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..lines).map(|y| line(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    /// Presses keys, and redraws the screen after each. `⏎` is Enter, `⎋` Escape.
    pub(crate) fn press_keys(&mut self, keys: &str) -> Vec<InboxAction> {
        let press = |c| match c {
            '⏎' => KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE),
            '⎋' => KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE),
            c => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
        };
        keys.chars().filter_map(|c| self.press_key(press(c))).collect()
    }

    /// Presses one key, and redraws the screen. The gate has no previews, unless the test sends them.
    pub(crate) fn press_key(&mut self, key: KeyEvent) -> Option<InboxAction> {
        let action = self.inbox.handle_key(key, self.now);
        let action = match action {
            Some(InboxAction::Preview(call, ..)) => {
                self.receive(InboxEvent::Previewed(call, Vec::new()));
                None
            }
            action => action,
        };
        self.screen();
        action
    }

    /// The terminal reports that the key is still held down.
    pub(crate) fn repeat_key(&mut self, c: char) -> Option<InboxAction> {
        let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        self.press_key(KeyEvent { kind: KeyEventKind::Repeat, ..key })
    }

    /// Presses keys that send exactly one decision, and returns it.
    pub(crate) fn press_and_send(&mut self, keys: &str) -> SentDecision {
        match self.press_keys(keys).as_slice() {
            [InboxAction::Decide(sent)] => sent.clone(),
            other => panic!("{keys} sends {other:?}"),
        }
    }

    pub(crate) fn receive(&mut self, news: InboxEvent) -> Vec<InboxAction> {
        let actions = self.inbox.apply_event(news, self.now);
        self.screen();
        actions
    }

    /// The gate confirms the sent decision.
    pub(crate) fn confirm_sent(&mut self, sent: SentDecision) {
        let waiting = self.inbox.calls.iter().find(|one| call_key(&one.call) == sent.key);
        let call = waiting.expect("the call is in the inbox").call.clone();
        self.confirm_with(sent, call);
    }

    /// The gate confirms the sent decision with this answer, to which the decision is added.
    pub(crate) fn confirm_with(&mut self, sent: SentDecision, mut call: api::Call) {
        let response = json!({
            "decision": sent.decision, "source": "approver", "principal": "user:ben",
            "at": self.now, "seq": 99,
        });
        call.response = Some(serde_json::from_value(response).expect("a response"));
        call.state = if sent.decision.allows() { CallState::Allowed } else { CallState::Denied };
        self.receive(InboxEvent::Answered(sent, Ok(Box::new(call))));
    }

    /// The gate refuses the sent decision.
    pub(crate) fn refuse_sent(&mut self, sent: SentDecision, why: &str, gone: Option<DecisionSummary>) {
        self.receive(InboxEvent::Answered(sent, Err(DecisionFailure { why: why.to_owned(), gone })));
    }

    pub(crate) fn shown_call(&self) -> Option<&str> {
        self.inbox.shown.as_ref().map(|(_, id)| id.as_str())
    }

    /// The status line below the call.
    pub(crate) fn status_text(&self) -> &str {
        self.inbox.status.as_ref().map_or("", |(_, text)| text)
    }
}

/// The event of another approver's decision.
pub(crate) fn decided_by_other(call: &api::Call, text: &str) -> InboxEvent {
    InboxEvent::Decided(call_key(call), summarize_decision(text))
}

pub(crate) fn summarize_decision(text: &str) -> DecisionSummary {
    DecisionSummary { text: text.to_owned(), by: Principal::user("cleo") }
}

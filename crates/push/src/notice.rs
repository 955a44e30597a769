//! What a notification says: tool, agent, claimed risk, the most telling argument, the place, and the number of calls that wait. Secrets
//! are masked in the log already.

use crate::notice_plan::NoticeChange;
use countersign_api as api;
use countersign_console::{escape_text, summarize_call, tells_alone};
use countersign_events::RiskLevel;
use countersign_gate::NotifiedCall;
use serde_json::{Value, json};

/// The longest text of a summary, in characters. A telephone shows less.
const MAX_SUMMARY: usize = 160;

/// The version of the message, for the page's service worker.
const VERSION: u32 = 1;

/// The message that asks about a call. A message that alerts makes a sound; others only replace what the device shows. One about
/// a call that the person may answer only in another person's place offers no decision.
pub(crate) fn ask_message(notified: &NotifiedCall, change: &NoticeChange<'_>) -> Value {
    let NoticeChange { waiting, alerts, decides, .. } = *change;
    let call = &notified.call;
    let (tool, summary) = summarize_call(call);
    let risk = claimed_risk(call).map(|risk| format!("Risk, as the agent says: {risk}"));
    let escalated = call.request.as_ref().and_then(|request| request.escalated.as_ref());
    let escalated = escalated.map(|_| "Escalated".to_owned());
    let place = call.place.as_ref().map(|place| format!("in {}", escape_text(&place.to_string())));
    let others = (waiting > 1).then(|| format!("{waiting} calls wait"));
    let is_whole = is_whole(call, &summary) && place.as_deref().is_none_or(is_short);
    let place = place.as_deref().map(shorten);
    let lines = [escalated, risk, Some(shorten(&summary)), place, others].into_iter().flatten();
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    json!({
        "version": VERSION,
        "kind": "ask",
        "thread": call.thread_id,
        "call": call.id,
        "argumentsHash": call.arguments_hash,
        "title": format!("{} asks: {tool}", agent_name(call)),
        "body": lines.join("\n"),
        "waiting": waiting,
        "decide": decides,
        "allow": decides && notified.may_allow && is_whole,
        "alert": alerts,
    })
}

/// The message that withdraws the notification of a thread.
pub(crate) fn withdrawal_message(thread: &str, waiting: usize) -> Value {
    json!({ "version": VERSION, "kind": "withdraw", "thread": thread, "waiting": waiting })
}

/// Returns true if the notification shows the arguments as they are, so that a person who allows the call has seen what runs: none,
/// or one text, whose name says no more than the tool. A text on several lines, or with several blanks, would look like another.
fn is_whole(call: &api::Call, summary: &str) -> bool {
    let is_shown = match call.arguments.members().as_deref() {
        Some([]) => true,
        Some([(name, value)]) => {
            tells_alone(name) && value.read::<String>().is_ok_and(|text| text == summary)
        }
        _ => false,
    };
    let is_plain = call.redacted.is_empty()
        && call.hidden_characters.is_empty()
        && call.mixed_scripts.is_empty()
        && call.padded.is_empty();
    is_shown && is_plain && is_short(summary)
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= MAX_SUMMARY
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn agent_name(call: &api::Call) -> String {
    escape_text(call.proposal.principal.actor_name())
}

fn claimed_risk(call: &api::Call) -> Option<String> {
    let impact: Value = call.impact.as_ref()?.read().ok()?;
    let risk: RiskLevel = impact.get("riskLevel")?.as_str()?.parse().ok()?;
    Some(risk.as_str().to_owned())
}

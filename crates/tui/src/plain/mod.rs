//! The inbox line by line, for pipes and for terminals that cannot draw. An answer counts only for the call printed
//! above it, so nothing is printed between a question and its answer.

mod answer;
mod input;
mod question;

use crate::{
    EndNotice, WatchError, WatchExit, WatchOptions,
    feed::{CallFilter, PendingFeed},
    inbox::{
        message::{InboxAction, InboxEvent, SentDecision, call_key},
        state::InboxState,
    },
    log_access::{limit_time, send_to_log, take_back},
    options::wait_for_end,
};
use answer::PlainAnswer;
use countersign_api as api;
use countersign_console::{
    ValueDetail, describe_call, difference_lines, edit_arguments, escape_text, json_lines, print_error,
    print_line, warn_before_allowing,
};
use countersign_events::{Json, Timestamp};
use countersign_store::Clock;
use input::LineInput;
use question::DecisionDialog;
use std::sync::Arc;
use tokio::sync::{Notify, mpsc};

pub(crate) async fn run(options: WatchOptions) -> Result<WatchExit, WatchError> {
    let (feed, calls) = PendingFeed::start(options.gate.clone(), CallFilter::from_options(&options)).await?;
    let (sender, mut news) = mpsc::channel(64);
    let feed = tokio::spawn(feed.run(sender, Arc::new(Notify::new())));
    let mut inbox = InboxState::new(options.gate.principal().clone());
    inbox.order = options.order;
    inbox.apply_event(InboxEvent::Loaded(calls), Clock::System.now());
    print_line(&format!("Calls in {}, decided as {}", options.log, escape_text(inbox.me.as_str())));
    let mut input = LineInput::open();
    let mut end_notice = options.end_notice.clone();
    let exit = loop {
        while let Ok(told) = news.try_recv() {
            inbox.apply_event(told, Clock::System.now());
        }
        let Some(call) = next_call(&mut inbox) else {
            match wait_for_call(&options, &mut inbox, &mut news, &mut input, &mut end_notice).await? {
                Some(exit) => break exit,
                None => continue,
            }
        };
        if !input.discard_typed_lines()? {
            break WatchExit::Quit;
        }
        let call = with_latest_presence(&options, call).await;
        print_line(&describe_entry(&call, inbox.edit_of_shown(), inbox.count(), Clock::System.now()));
        let edited = inbox.edit_of_shown().cloned();
        let mut dialog = DecisionDialog {
            options: &options,
            input: &mut input,
            call: &call,
            edited: edited.as_ref(),
            can_take_back: inbox.last_allowed.is_some(),
            is_warned: false,
        };
        let answer = tokio::select! {
            answer = dialog.ask() => answer?,
            _ = tokio::signal::ctrl_c() => break WatchExit::Interrupted,
        };
        if answer == PlainAnswer::Quit {
            break WatchExit::Quit;
        }
        act(&options, &mut inbox, &call, answer).await;
    };
    feed.abort();
    Ok(exit)
}

/// Does what the person answered to the call.
async fn act(options: &WatchOptions, inbox: &mut InboxState, call: &api::Call, answer: PlainAnswer) {
    let edited = inbox.edit_of_shown().cloned();
    match answer {
        PlainAnswer::Quit => {}
        PlainAnswer::Next => inbox.step(1),
        PlainAnswer::TakeBack => take_back_last(options, inbox).await,
        PlainAnswer::Edit => {
            let from = edited.unwrap_or_else(|| call.arguments.clone());
            let written = edit_arguments(&from).await.map_err(|error| error.to_string());
            inbox.apply_event(InboxEvent::Edited(call_key(call), written), Clock::System.now());
            print_status(inbox);
        }
        PlainAnswer::Decide { decision, scope, comment, answered } => {
            let arguments = answered.or(edited).filter(|_| decision.allows());
            let (about, level) = (call.arguments_hash, None);
            let and_waiting = scope.as_ref().is_some_and(|scope| scope.and_waiting);
            let limits = scope.as_ref().map(|scope| scope.limits).unwrap_or_default();
            let scope = scope.map(|scope| scope.scope);
            let key = call_key(call);
            let sent =
                SentDecision { key, decision, comment, about, arguments, scope, level, and_waiting, limits };
            send_decision(options, inbox, sent).await;
        }
    }
}

/// Takes the last approval back, and prints what became of it.
async fn take_back_last(options: &WatchOptions, inbox: &mut InboxState) {
    if let Some(InboxAction::TakeBack(call)) = inbox.take_back() {
        let answer = take_back(&options.gate, &call).await;
        inbox.apply_event(InboxEvent::TakenBack(call, answer), Clock::System.now());
    }
    print_status(inbox);
}

/// The next pending call. Calls that another person decided are skipped.
fn next_call(inbox: &mut InboxState) -> Option<api::Call> {
    while inbox.current().is_some_and(|waiting| waiting.gone.is_some()) {
        inbox.step(1);
    }
    inbox.show_any_call();
    inbox.current().map(|waiting| waiting.call.clone())
}

/// Waits until a call arrives. Returns the reason if the person leaves instead.
async fn wait_for_call(
    options: &WatchOptions,
    inbox: &mut InboxState,
    news: &mut mpsc::Receiver<InboxEvent>,
    input: &mut LineInput,
    end_notice: &mut Option<EndNotice>,
) -> Result<Option<WatchExit>, WatchError> {
    if end_notice.as_ref().is_some_and(|notice| notice.ended.is_cancelled()) {
        return Ok(Some(WatchExit::Quit));
    }
    let keys =
        if inbox.last_allowed.is_some() { "u takes the last approval back, q quits" } else { "q quits" };
    print_line(&format!("No call is pending. Waiting for new calls; {keys}."));
    loop {
        tokio::select! {
            Some(told) = news.recv() => {
                if let InboxEvent::Lost(why) = &told {
                    print_error(&format!("countersign: reconnecting: {why}"));
                }
                inbox.apply_event(told, Clock::System.now());
                if inbox.count() > 0 {
                    return Ok(None);
                }
            }
            line = input.next_line() => {
                match line?.as_deref().map(str::trim) {
                    None | Some("q" | "quit") => return Ok(Some(WatchExit::Quit)),
                    Some("") => {}
                    Some("u" | "undo") => take_back_last(options, inbox).await,
                    Some(_) => print_line("No call is pending, so this answer was ignored. q quits."),
                }
            }
            _ = wait_for_end(end_notice) => return Ok(Some(WatchExit::Quit)),
            _ = tokio::signal::ctrl_c() => return Ok(Some(WatchExit::Interrupted)),
        }
    }
}

/// The call with the presence of its agent as it is now: the call may have been loaded long ago.
async fn with_latest_presence(options: &WatchOptions, call: api::Call) -> api::Call {
    match limit_time(options.gate.call(&call.thread_id, &call.id)).await {
        Ok(latest) if latest.is_pending() => api::Call {
            proposer_last_seen_at: latest.proposer_last_seen_at,
            proposer_gone: latest.proposer_gone,
            ..call
        },
        _ => call,
    }
}

async fn send_decision(options: &WatchOptions, inbox: &mut InboxState, sent: SentDecision) {
    let answer = send_to_log(&options.gate, &sent).await;
    inbox.sending = Some(sent.clone());
    inbox.apply_event(InboxEvent::Answered(sent, answer), Clock::System.now());
    print_status(inbox);
}

fn print_status(inbox: &mut InboxState) {
    if let Some((_, text)) = inbox.status.take() {
        print_line(&text);
    }
    print_line("");
}

/// The call in full, with the person's changes.
fn describe_entry(call: &api::Call, edited: Option<&Json>, waiting: usize, now: Timestamp) -> String {
    let mut text = describe_call(call, now, ValueDetail::Full);
    let hints = call.annotations.iter().flat_map(json_lines).map(|line| ("hints", line));
    let changes = edited.map(|edited| difference_lines(&call.arguments, edited)).unwrap_or_default();
    let mut before = "";
    for (label, line) in hints.chain(changes.into_iter().map(|line| ("changed", line))) {
        let shown = if label == before { "" } else { label };
        text.extend(["\n", &format!("  {shown:<10} {line}")]);
        before = label;
    }
    if let Some(warning) = warn_before_allowing(call, now) {
        text.extend(["\n", &warning]);
    }
    let others = match waiting.saturating_sub(1) {
        0 => String::new(),
        1 => " (1 more pending)".to_owned(),
        more => format!(" ({more} more pending)"),
    };
    let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{title}{others}\n{rest}")
}

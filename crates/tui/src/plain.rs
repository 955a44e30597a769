//! The inbox line by line, for pipes and for terminals that cannot draw. An answer counts only for the call printed
//! above it, so nothing is printed between a question and its answer.

use crate::{
    feed::{CallFilter, PendingFeed, send_to_log},
    inbox::{
        message::{InboxEvent, SentDecision, call_key},
        state::InboxState,
    },
    options::{EndNotice, WatchError, WatchExit, WatchOptions, wait_for_end},
    present::{
        call::describe_call,
        editor::{difference_lines, edit_arguments},
        json::json_lines,
        print::{print_error, print_line, print_prompt},
        text::escape_text,
    },
};
use countersign_api as api;
use countersign_gate::{Clock, Json, Timestamp, event::Decision};
use futures_util::FutureExt;
use rustix::termios::{QueueSelector, tcflush};
use std::{io::IsTerminal, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines, Stdin},
    sync::{Notify, mpsc},
};

/// An answer that the person typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TypedAnswer {
    Decide(Decision, Option<Json>, Option<String>),
    Edit,
    Next,
    Quit,
}

const PROMPT: &str = "[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: ";

pub(crate) async fn run(options: WatchOptions) -> Result<WatchExit, WatchError> {
    let (feed, calls) = PendingFeed::start(options.gate.clone(), CallFilter::from_options(&options)).await?;
    let (sender, mut news) = mpsc::channel(64);
    let feed = tokio::spawn(feed.run(sender, Arc::new(Notify::new())));
    let mut inbox = InboxState::new(options.gate.principal().clone());
    inbox.apply_event(InboxEvent::Loaded(calls), Clock::System.now());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut end_notice = options.end_notice.clone();
    let exit = loop {
        while let Ok(told) = news.try_recv() {
            inbox.apply_event(told, Clock::System.now());
        }
        let Some(call) = next_call(&mut inbox) else {
            match wait_for_call(&mut inbox, &mut news, &mut lines, &mut end_notice).await? {
                Some(exit) => break exit,
                None => continue,
            }
        };
        if !discard_typed_lines(&mut lines)? {
            break WatchExit::Quit;
        }
        print_line(&describe_entry(&call, inbox.edit_of_shown(), inbox.count(), Clock::System.now()));
        let word = tokio::select! {
            word = ask_for_answer(&call, &mut lines) => word?,
            _ = tokio::signal::ctrl_c() => break WatchExit::Interrupted,
        };
        match word {
            TypedAnswer::Quit => break WatchExit::Quit,
            TypedAnswer::Next => inbox.step(1),
            TypedAnswer::Edit => {
                let from = inbox.edit_of_shown().unwrap_or(&call.arguments).clone();
                let written = edit_arguments(&from).await.map_err(|error| error.to_string());
                inbox.apply_event(InboxEvent::Edited(call_key(&call), written), Clock::System.now());
                print_status(&mut inbox);
            }
            TypedAnswer::Decide(decision, scope, comment) => {
                let arguments = inbox.edit_of_shown().filter(|_| decision.allows()).cloned();
                let (about, level) = (call.arguments_hash, None);
                let sent =
                    SentDecision { key: call_key(&call), decision, comment, about, arguments, scope, level };
                send_decision(&options, &mut inbox, sent).await;
            }
        }
    };
    feed.abort();
    Ok(exit)
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
    inbox: &mut InboxState,
    news: &mut mpsc::Receiver<InboxEvent>,
    lines: &mut Lines<BufReader<Stdin>>,
    end_notice: &mut Option<EndNotice>,
) -> Result<Option<WatchExit>, WatchError> {
    if end_notice.as_ref().is_some_and(|notice| notice.ended.is_cancelled()) {
        return Ok(Some(WatchExit::Quit));
    }
    print_line("No call is pending. Waiting for new calls; q quits.");
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
            line = lines.next_line() => {
                match line?.as_deref().map(str::trim) {
                    None | Some("q" | "quit") => return Ok(Some(WatchExit::Quit)),
                    Some("") => {}
                    Some(_) => print_line("No call is pending, so this answer was ignored. q quits."),
                }
            }
            _ = wait_for_end(end_notice) => return Ok(Some(WatchExit::Quit)),
            _ = tokio::signal::ctrl_c() => return Ok(Some(WatchExit::Interrupted)),
        }
    }
}

/// Discards lines that were typed on a terminal before the call was printed, because they were meant for another
/// call. Lines of a file or a pipe are kept. Returns whether the input is still open.
fn discard_typed_lines(lines: &mut Lines<BufReader<Stdin>>) -> Result<bool, WatchError> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    // Flush the terminal first, or a line that it holds would be read later.
    tcflush(std::io::stdin(), QueueSelector::IFlush).map_err(std::io::Error::from)?;
    while let Some(line) = lines.next_line().now_or_never() {
        if line?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks until the person gives an answer that is offered.
async fn ask_for_answer(
    call: &api::Call,
    lines: &mut Lines<BufReader<Stdin>>,
) -> Result<TypedAnswer, WatchError> {
    loop {
        print_prompt(PROMPT);
        let Some(line) = lines.next_line().await? else {
            print_line("");
            return Ok(TypedAnswer::Quit);
        };
        // A terminal echoes its input. Print other input, so that the output shows the answer.
        if !std::io::stdin().is_terminal() {
            print_line(&escape_text(line.trim_end()));
        }
        match parse_answer(&line) {
            Some(TypedAnswer::Decide(decision, ..)) if !offers(call, decision) => {
                print_line("This answer is not offered for this call.");
            }
            Some(word) => return Ok(word),
            None => print_line(
                "Type d, o, s, e, n or q, or the word. With a comment: deny because …, once because …. \
                 With a scope: session exact, session {\"command\": \"git status **\"}",
            ),
        }
    }
}

fn offers(call: &api::Call, decision: Decision) -> bool {
    decision == Decision::Deny
        || call.request.as_ref().is_some_and(|request| request.options.contains(&decision))
}

/// Reads a letter or its word, and `because …`.
fn parse_answer(line: &str) -> Option<TypedAnswer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let comment = rest.strip_prefix("because").unwrap_or(rest).trim();
    let comment = (!comment.is_empty()).then(|| comment.to_owned());
    let decide = |decision| Some(TypedAnswer::Decide(decision, None, comment.clone()));
    match word.to_ascii_lowercase().as_str() {
        "d" | "deny" => decide(Decision::Deny),
        "o" | "once" => decide(Decision::AllowOnce),
        "s" | "session" => read_session_answer(rest, comment),
        "e" | "edit" if rest.is_empty() => Some(TypedAnswer::Edit),
        "n" | "next" if rest.is_empty() => Some(TypedAnswer::Next),
        "q" | "quit" if rest.is_empty() => Some(TypedAnswer::Quit),
        _ => None,
    }
}

/// Reads `exact`, `tool` or a pattern in JSON, and a comment; or a comment alone. An invalid pattern is not taken as
/// a comment, because the whole tool would be allowed then.
fn read_session_answer(rest: &str, comment: Option<String>) -> Option<TypedAnswer> {
    let (scope, why) = rest.split_once(" because ").unwrap_or((rest, ""));
    let scope = match scope.trim() {
        word @ ("exact" | "tool") => Some(Json::string(word)),
        text if text.starts_with('{') => Some(Json::parse(text).ok()?),
        _ => None,
    };
    let comment = match &scope {
        Some(_) => Some(why.trim().to_owned()).filter(|why| !why.is_empty()),
        None => comment,
    };
    let scope = scope.unwrap_or_else(|| Json::string("tool"));
    Some(TypedAnswer::Decide(Decision::AllowSession, Some(scope), comment))
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

/// The call in full, with the changes of the person.
fn describe_entry(call: &api::Call, edited: Option<&Json>, waiting: usize, now: Timestamp) -> String {
    let mut text = describe_call(call, now);
    let hints = call.annotations.iter().flat_map(json_lines).map(|line| ("hints", line));
    let changes = edited.map(|edited| difference_lines(&call.arguments, edited)).unwrap_or_default();
    let mut before = "";
    for (label, line) in hints.chain(changes.into_iter().map(|line| ("changed", line))) {
        let shown = if label == before { "" } else { label };
        text.extend(["\n", &format!("  {shown:<10} {line}")]);
        before = label;
    }
    let others = match waiting.saturating_sub(1) {
        0 => String::new(),
        1 => " (1 more pending)".to_owned(),
        more => format!(" ({more} more pending)"),
    };
    let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{title}{others}\n{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_answer_letters_words_and_comments() {
        let deny = |comment: &str| Some(TypedAnswer::Decide(Decision::Deny, None, Some(comment.to_owned())));
        assert_eq!(parse_answer("d"), Some(TypedAnswer::Decide(Decision::Deny, None, None)));
        assert_eq!(parse_answer("  Deny because not today "), deny("not today"));
        assert_eq!(parse_answer("d not today"), deny("not today"));
        assert_eq!(parse_answer("once"), Some(TypedAnswer::Decide(Decision::AllowOnce, None, None)));
        let remembered = |scope: Option<&str>, comment: Option<&str>| {
            let scope = scope.map(|scope| Json::parse(scope).expect("valid"));
            Some(TypedAnswer::Decide(Decision::AllowSession, scope, comment.map(str::to_owned)))
        };
        assert_eq!(parse_answer("s"), remembered(Some("\"tool\""), None));
        assert_eq!(parse_answer("session because exact"), remembered(Some("\"tool\""), Some("exact")));
        assert_eq!(parse_answer("s exact because fine"), remembered(Some("\"exact\""), Some("fine")));
        assert_eq!(parse_answer(r#"s {"command":"ls *"}"#), remembered(Some(r#"{"command":"ls *"}"#), None));
        assert_eq!(
            [parse_answer("e"), parse_answer("edit"), parse_answer(r#"s {"a"#)],
            [Some(TypedAnswer::Edit), Some(TypedAnswer::Edit), None]
        );
        assert_eq!(
            [parse_answer("n"), parse_answer("next")],
            [Some(TypedAnswer::Next), Some(TypedAnswer::Next)]
        );
        assert_eq!(parse_answer("quit"), Some(TypedAnswer::Quit));
        assert_eq!(
            [parse_answer(""), parse_answer("yes"), parse_answer("next one"), parse_answer("dd")],
            [None, None, None, None]
        );
    }
}

//! The inbox line by line, for pipes and for terminals that cannot draw. A line that is typed counts for
//! the call above it and no other, so nothing is printed between a question and its answer.

use super::{
    Left, Over, Watch,
    feed::{self, Feed},
    inbox::{Inbox, News, Sent, key},
};
use crate::{account, edit, json::shown_as, output};
use countersign_api as api;
use countersign_gate::{Clock, Json, Timestamp, event::Decision};
use futures_util::FutureExt;
use rustix::termios::{QueueSelector, tcflush};
use std::{io::IsTerminal, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines, Stdin},
    sync::{Notify, mpsc},
};

/// What somebody typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Decide(Decision, Option<Json>, Option<String>),
    Edit,
    Next,
    Quit,
}

const PROMPT: &str = "[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: ";

pub(super) async fn run(watch: Watch) -> anyhow::Result<Left> {
    let (feed, calls) = Feed::start(watch.gate.clone(), watch.wanted.clone()).await?;
    let (sender, mut news) = mpsc::channel(64);
    let feed = tokio::spawn(feed.run(sender, Arc::new(Notify::new())));
    let mut inbox = Inbox::new(watch.gate.principal().clone());
    inbox.hear(News::Loaded(calls), Clock::System.now());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut over = watch.over.clone();
    let left = loop {
        while let Ok(told) = news.try_recv() {
            inbox.hear(told, Clock::System.now());
        }
        let Some(call) = next_call(&mut inbox) else {
            match idle(&mut inbox, &mut news, &mut lines, &mut over).await? {
                Some(left) => break left,
                None => continue,
            }
        };
        if !drop_typed(&mut lines)? {
            break Left::Quit;
        }
        output::say(&entry(&call, inbox.edit_of_shown(), inbox.count(), Clock::System.now()));
        let word = tokio::select! {
            word = answer(&call, &mut lines) => word?,
            _ = tokio::signal::ctrl_c() => break Left::Interrupted,
        };
        match word {
            Word::Quit => break Left::Quit,
            Word::Next => inbox.step(1),
            Word::Edit => {
                let from = inbox.edit_of_shown().unwrap_or(&call.arguments).clone();
                let written = edit::in_editor(&from).await.map_err(|why| format!("{why:#}"));
                inbox.hear(News::Edited(key(&call), written), Clock::System.now());
                say_status(&mut inbox);
            }
            Word::Decide(decision, matches, comment) => {
                let arguments = inbox.edit_of_shown().filter(|_| decision.allows()).cloned();
                let (about, level) = (call.arguments_hash, None);
                let sent = Sent { key: key(&call), decision, comment, about, arguments, matches, level };
                say_decision(&watch, &mut inbox, sent).await;
            }
        }
    };
    feed.abort();
    Ok(left)
}

/// The call that is asked about: one that somebody else decided is passed over.
fn next_call(inbox: &mut Inbox) -> Option<api::Call> {
    while inbox.current().is_some_and(|waiting| waiting.gone.is_some()) {
        inbox.step(1);
    }
    inbox.settle();
    inbox.current().map(|waiting| waiting.call.clone())
}

/// Waits until something comes, or nobody is left to ask.
async fn idle(
    inbox: &mut Inbox,
    news: &mut mpsc::Receiver<News>,
    lines: &mut Lines<BufReader<Stdin>>,
    over: &mut Option<Over>,
) -> anyhow::Result<Option<Left>> {
    if over.as_ref().is_some_and(|over| over.ended.is_cancelled()) {
        return Ok(Some(Left::Quit));
    }
    output::say("Nothing waits for a decision. Waiting for what comes; q quits.");
    loop {
        tokio::select! {
            Some(told) = news.recv() => {
                if let News::Lost(why) = &told {
                    output::complain(&format!("countersign: reconnecting: {why}"));
                }
                inbox.hear(told, Clock::System.now());
                if inbox.count() > 0 {
                    return Ok(None);
                }
            }
            line = lines.next_line() => {
                match line?.as_deref().map(str::trim) {
                    None | Some("q" | "quit") => return Ok(Some(Left::Quit)),
                    Some("") => {}
                    Some(_) => output::say("Nothing waits, so that was for no call. q quits."),
                }
            }
            _ = super::is_over(over) => return Ok(Some(Left::Quit)),
            _ = tokio::signal::ctrl_c() => return Ok(Some(Left::Interrupted)),
        }
    }
}

/// On a terminal, drops what was typed before the call is there to be seen: it was meant for another one.
/// Whether more can be typed. What stands in a file or a pipe was written for one call after the other.
fn drop_typed(lines: &mut Lines<BufReader<Stdin>>) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    // First what the terminal keeps: else a line of it would be read while the rest is dropped.
    tcflush(std::io::stdin(), QueueSelector::IFlush)?;
    while let Some(line) = lines.next_line().now_or_never() {
        if line?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Asks until it is answered with a word that is offered.
async fn answer(call: &api::Call, lines: &mut Lines<BufReader<Stdin>>) -> anyhow::Result<Word> {
    loop {
        output::ask(PROMPT);
        let Some(line) = lines.next_line().await? else {
            output::say("");
            return Ok(Word::Quit);
        };
        // A terminal shows what is typed on it; what comes from elsewhere would leave no trace.
        if !std::io::stdin().is_terminal() {
            output::say(&output::visible(line.trim_end()));
        }
        match read(&line) {
            Some(Word::Decide(decision, ..)) if !offers(call, decision) => {
                output::say("That is not offered for this call.");
            }
            Some(word) => return Ok(word),
            None => output::say(
                "Type d, o, s, e, n or q, or the word; with a comment: deny because …, once because …; \
                 with a width: session exact, session {\"command\": \"git status **\"}",
            ),
        }
    }
}

fn offers(call: &api::Call, decision: Decision) -> bool {
    decision == Decision::Deny
        || call.request.as_ref().is_some_and(|request| request.options.contains(&decision))
}

/// A letter or its word, and `because …`.
fn read(line: &str) -> Option<Word> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let comment = rest.strip_prefix("because").unwrap_or(rest).trim();
    let comment = (!comment.is_empty()).then(|| comment.to_owned());
    let decide = |decision| Some(Word::Decide(decision, None, comment.clone()));
    match word.to_ascii_lowercase().as_str() {
        "d" | "deny" => decide(Decision::Deny),
        "o" | "once" => decide(Decision::AllowOnce),
        "s" | "session" => session(rest, comment),
        "e" | "edit" if rest.is_empty() => Some(Word::Edit),
        "n" | "next" if rest.is_empty() => Some(Word::Next),
        "q" | "quit" if rest.is_empty() => Some(Word::Quit),
        _ => None,
    }
}

/// `exact`, `tool` or a pattern in JSON, and a comment; or a comment alone. A pattern with a slip in it is no comment:
/// else the whole tool would be allowed.
fn session(rest: &str, comment: Option<String>) -> Option<Word> {
    let (width, why) = rest.split_once(" because ").unwrap_or((rest, ""));
    let width = match width.trim() {
        word @ ("exact" | "tool") => Some(Json::string(word)),
        text if text.starts_with('{') => Some(Json::parse(text).ok()?),
        _ => None,
    };
    let comment = match &width {
        Some(_) => Some(why.trim().to_owned()).filter(|why| !why.is_empty()),
        None => comment,
    };
    Some(Word::Decide(Decision::AllowSession, width, comment))
}

async fn say_decision(watch: &Watch, inbox: &mut Inbox, sent: Sent) {
    let answer = feed::decide(&watch.gate, &sent).await;
    inbox.sending = Some(sent.clone());
    inbox.hear(News::Answered(sent, answer), Clock::System.now());
    say_status(inbox);
}

fn say_status(inbox: &mut Inbox) {
    if let Some((_, text)) = inbox.status.take() {
        output::say(&text);
    }
    output::say("");
}

/// The whole call, and what would run instead of it.
fn entry(call: &api::Call, edited: Option<&Json>, waiting: usize, now: Timestamp) -> String {
    let mut text = account::call(call, now);
    let hints = call.annotations.iter().flat_map(shown_as).map(|line| ("hints", line));
    let changes = edited.map(|edited| edit::differences(&call.arguments, edited)).unwrap_or_default();
    let mut before = "";
    for (label, line) in hints.chain(changes.into_iter().map(|line| ("changed", line))) {
        let shown = if label == before { "" } else { label };
        text.extend(["\n", &format!("  {shown:<10} {line}")]);
        before = label;
    }
    let others = match waiting.saturating_sub(1) {
        0 => String::new(),
        1 => " (1 more waits)".to_owned(),
        more => format!(" ({more} more wait)"),
    };
    let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{title}{others}\n{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_letters_and_words_and_comments() {
        let deny = |comment: &str| Some(Word::Decide(Decision::Deny, None, Some(comment.to_owned())));
        assert_eq!(read("d"), Some(Word::Decide(Decision::Deny, None, None)));
        assert_eq!(read("  Deny because not today "), deny("not today"));
        assert_eq!(read("d not today"), deny("not today"));
        assert_eq!(read("once"), Some(Word::Decide(Decision::AllowOnce, None, None)));
        let session = |width: Option<&str>, comment: Option<&str>| {
            let width = width.map(|width| Json::parse(width).expect("valid"));
            Some(Word::Decide(Decision::AllowSession, width, comment.map(str::to_owned)))
        };
        assert_eq!(read("s"), session(None, None));
        assert_eq!(read("session because exact"), session(None, Some("exact")));
        assert_eq!(read("s exact because fine"), session(Some("\"exact\""), Some("fine")));
        assert_eq!(read(r#"s {"command":"ls *"}"#), session(Some(r#"{"command":"ls *"}"#), None));
        assert_eq!([read("e"), read("edit"), read(r#"s {"a"#)], [Some(Word::Edit), Some(Word::Edit), None]);
        assert_eq!([read("n"), read("next")], [Some(Word::Next), Some(Word::Next)]);
        assert_eq!(read("quit"), Some(Word::Quit));
        assert_eq!([read(""), read("yes"), read("next one"), read("dd")], [None, None, None, None]);
    }
}

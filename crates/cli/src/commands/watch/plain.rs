//! The inbox line by line, for pipes and for terminals that cannot draw. A line that is typed counts for
//! the call above it and no other, so nothing is printed between a question and its answer.

use super::{
    Left, Over, Watch,
    feed::{self, Feed},
    inbox::{Inbox, News, Sent, key},
};
use crate::{json::shown_as, output};
use countersign_gate::{Clock, Timestamp, api, event::Decision};
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
    Decide(Decision, Option<String>),
    Next,
    Quit,
}

const PROMPT: &str = "[d]eny / [o]nce / [s]ession / [n]ext / [q]uit: ";

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
        output::say(&entry(&call, inbox.count(), Clock::System.now()));
        let word = tokio::select! {
            word = answer(&call, &mut lines) => word?,
            _ = tokio::signal::ctrl_c() => break Left::Interrupted,
        };
        match word {
            Word::Quit => break Left::Quit,
            Word::Next => inbox.step(1),
            Word::Decide(decision, comment) => {
                let sent = Sent { key: key(&call), decision, comment };
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
            Some(Word::Decide(decision, _)) if !offers(call, decision) => {
                output::say("That is not offered for this call.");
            }
            Some(word) => return Ok(word),
            None => output::say(
                "Type d, o, s, n or q, or the word; with a comment: deny because …, once because …",
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
    let decide = |decision| Some(Word::Decide(decision, comment.clone()));
    match word.to_ascii_lowercase().as_str() {
        "d" | "deny" => decide(Decision::Deny),
        "o" | "once" => decide(Decision::AllowOnce),
        "s" | "session" => decide(Decision::AllowSession),
        "n" | "next" if rest.is_empty() => Some(Word::Next),
        "q" | "quit" if rest.is_empty() => Some(Word::Quit),
        _ => None,
    }
}

async fn say_decision(watch: &Watch, inbox: &mut Inbox, sent: Sent) {
    let answer = feed::decide(&watch.gate, &sent).await;
    inbox.sending = Some(sent.clone());
    inbox.hear(News::Answered(sent, answer), Clock::System.now());
    if let Some((_, text)) = inbox.status.take() {
        output::say(&text);
    }
    output::say("");
}

/// The whole call.
fn entry(call: &api::Call, waiting: usize, now: Timestamp) -> String {
    let mut text = output::call(call, now);
    for (label, json) in [("impact", &call.impact), ("hints", &call.annotations)] {
        for (index, line) in json.iter().flat_map(shown_as).enumerate() {
            let label = if index == 0 { label } else { "" };
            text.extend(["\n", &format!("  {label:<10} {line}")]);
        }
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
        let deny = |comment: &str| Some(Word::Decide(Decision::Deny, Some(comment.to_owned())));
        assert_eq!(read("d"), Some(Word::Decide(Decision::Deny, None)));
        assert_eq!(read("  Deny because not today "), deny("not today"));
        assert_eq!(read("d not today"), deny("not today"));
        assert_eq!(read("once"), Some(Word::Decide(Decision::AllowOnce, None)));
        assert_eq!(read("s"), Some(Word::Decide(Decision::AllowSession, None)));
        assert_eq!([read("n"), read("next")], [Some(Word::Next), Some(Word::Next)]);
        assert_eq!(read("quit"), Some(Word::Quit));
        assert_eq!([read(""), read("yes"), read("next one"), read("dd")], [None, None, None, None]);
    }
}

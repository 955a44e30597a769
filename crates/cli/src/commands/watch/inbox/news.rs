//! What news does to the inbox. Nothing of it moves the call that somebody looks at.

use super::{HOLD, Inbox, Key, Mode, News, NotDecided, Sent, Tone, Verdict, Waiting, Wish, key};
use crate::{commands::decide::told, facts, output::visible};
use countersign_api as api;
use countersign_gate::{Timestamp, event::Decision};
use std::collections::HashSet;

impl Inbox {
    /// Takes news in, and says what is to be done about it.
    pub(in crate::commands::watch) fn hear(&mut self, news: News, now: Timestamp) -> Vec<Wish> {
        match news {
            News::Loaded(calls) => {
                let again = self.lost.take().is_some();
                let first = !std::mem::replace(&mut self.loaded, true);
                let named: HashSet<_> = calls.iter().map(key).collect();
                self.leave_only(&named);
                let new = self.add(calls, now);
                self.over_only(&named);
                if again {
                    self.say(Tone::Good, "Connected again, and this is what waits now.");
                }
                if new > 0 && !first { vec![Wish::Ring] } else { Vec::new() }
            }
            News::Arrived(calls) => {
                let new = self.add(calls, now);
                if new > 0 { vec![Wish::Ring] } else { Vec::new() }
            }
            News::Decided(call, verdict) => {
                self.decided(&call, &verdict);
                Vec::new()
            }
            News::Changed(call, aloud) => self.changed(*call, aloud, now),
            News::Edited(call, written) => {
                self.edited(&call, written);
                Vec::new()
            }
            News::Answered(sent, answer) => {
                self.answered(&sent, answer, now);
                Vec::new()
            }
            News::Lost(why) => {
                self.lost = Some(why);
                Vec::new()
            }
            News::Notice(text) => {
                self.say(Tone::Good, text);
                Vec::new()
            }
        }
    }

    /// Adds what is not there yet, the oldest question first.
    fn add(&mut self, calls: Vec<api::Call>, now: Timestamp) -> usize {
        let known: HashSet<_> = self.calls.iter().map(|waiting| key(&waiting.call)).collect();
        let before = self.calls.len();
        let new = calls.into_iter().filter(|call| !known.contains(&key(call)) && !self.is_over(&key(call)));
        let new: Vec<_> = new.map(|call| Waiting { call, gone: None }).collect();
        self.calls.extend(new);
        self.calls.sort_by_key(|waiting| waiting.call.request.as_ref().map(|request| request.seq));
        if self.shown.is_none() {
            self.settle();
            // Whoever pressed a key saw nothing yet.
            if self.shown.is_some() && before == 0 {
                self.hold = Some(now.after(HOLD));
            }
        }
        self.calls.len() - before
    }

    /// What is not in the list waits no more. How it was decided, the log will tell.
    fn leave_only(&mut self, waiting: &HashSet<Key>) {
        let gone: Vec<_> =
            self.calls.iter().map(|one| key(&one.call)).filter(|known| !waiting.contains(known)).collect();
        for call in gone {
            self.is_gone(&call, "decided meanwhile");
        }
    }

    fn decided(&mut self, call: &Key, verdict: &Verdict) {
        // The answer to our own decision says the same, and more.
        if self.sending.as_ref().is_some_and(|sent| sent.key == *call) {
            return;
        }
        // Most of what is decided the policy decides, and nobody was to see it.
        if self.calls.iter().any(|waiting| key(&waiting.call) == *call) {
            self.mark_over(call);
            self.is_gone(call, &verdict.text);
        }
    }

    /// Whether something is being written, or answered, about the shown call.
    fn writes(&self) -> bool {
        matches!(self.mode, Mode::Denying(..) | Mode::Noting(_) | Mode::Widening(_))
    }

    /// Takes it from the list; the one on the screen stays there, as decided.
    fn is_gone(&mut self, call: &Key, how: &str) {
        if self.shown.as_ref() != Some(call) {
            self.keep_calls(|waiting| key(&waiting.call) != *call);
            return;
        }
        let found = self.calls.iter_mut().find(|waiting| key(&waiting.call) == *call);
        if let Some(waiting) = found {
            waiting.gone = Some(how.to_owned());
        }
        if self.writes() {
            self.mode = Mode::Torn;
        }
    }

    fn answered(&mut self, sent: &Sent, answer: Result<Box<api::Call>, NotDecided>, now: Timestamp) {
        self.sending = None;
        match answer {
            Ok(call) if call.is_pending() => self.voted(sent, *call, now),
            Ok(call) => {
                let first = call.response.as_ref().filter(|first| first.principal != self.me);
                let (tone, text) = match first {
                    Some(first) => {
                        let (id, who) = (Self::name_of(sent), visible(first.principal.as_str()));
                        (Tone::Calm, format!("{id} was decided before you, and alike: by {who}."))
                    }
                    None => (Tone::Good, self.done(sent, &call)),
                };
                self.say(tone, text);
                if self.writes() {
                    self.mark_over(&sent.key);
                    self.is_gone(&sent.key, "decided by you");
                } else {
                    self.drop_call(&sent.key, now);
                }
            }
            Err(NotDecided { why, gone: Some(verdict) }) => {
                self.say(Tone::Bad, why);
                self.mark_over(&sent.key);
                self.is_gone(&sent.key, &verdict.text);
            }
            Err(NotDecided { why, gone: None }) => {
                // What was written is not to be written again.
                if let Some(comment) = &sent.comment {
                    let denied = sent.decision == Decision::Deny;
                    let kept = if denied { &mut self.denials } else { &mut self.drafts };
                    kept.insert(sent.key.clone(), comment.clone());
                }
                self.say(Tone::Bad, why);
            }
        }
    }

    /// Our word alone was not enough: the call goes on waiting for others, and the next one is shown.
    fn voted(&mut self, sent: &Sent, call: api::Call, now: Timestamp) {
        let id = Self::name_of(sent);
        let votes = |call: &api::Call| call.request.as_ref().map_or(0, |request| request.votes.len());
        let before = self.calls.iter().find(|waiting| key(&waiting.call) == sent.key);
        let again = before.is_some_and(|waiting| {
            let mine = |vote: &api::ApprovalVote| vote.counts && vote.principal == self.me;
            let request = waiting.call.request.as_ref();
            votes(&waiting.call) == votes(&call)
                && request.is_some_and(|request| request.votes.iter().any(mine))
        });
        let text = call.request.as_ref().map_or_else(String::new, |request| {
            let progress = facts::progress(request);
            if again {
                return format!("Nothing changed: you voted on {id} before. {progress}.");
            }
            format!("Voted on {id}: {progress}. {}.", told::still(request, sent.decision.allows()))
        });
        self.edits.remove(&sent.key);
        self.changed(call, false, now);
        if !self.writes() && self.shown.as_ref() == Some(&sent.key) {
            self.step(1);
            self.hold = Some(now.after(HOLD));
        }
        self.say(Tone::Good, text);
    }

    /// Says what our decision did, and counts it.
    fn done(&mut self, sent: &Sent, call: &api::Call) -> String {
        let (id, tool) = (visible(call.id.as_str()), visible(call.name.as_str()));
        match sent.decision {
            Decision::Deny => self.denied += 1,
            _ => self.allowed += 1,
        }
        match (&call.response, sent.decision) {
            (Some(response), _) if response.matches.is_some() || !response.changes.is_empty() => {
                told::done(call, response)
            }
            (_, Decision::Deny) => format!("Denied {id} ({tool})."),
            (_, Decision::AllowSession) => {
                let thread = visible(call.thread_id.as_str());
                format!("Allowed {id}, and {tool} from now on in thread {thread}.")
            }
            _ => format!("Allowed {id} ({tool}), this once."),
        }
    }
}

//! Side events of a call: votes, reminders, lost executors.

use super::{CallStanding, RecordedFact, UnknownFact, voters::shares_voter};
use countersign_events::{
    ApprovalAdvice, ApprovalEscalation, ApprovalReminder, ApprovalTakenBack, ApprovalVote, Body, CallErased,
    CallFlagged, Event, ExecutionMismatch, ExecutionReleased, ExecutionRenewed, ExecutionStarted,
};

/// Side events of a call. None of them changes its standing by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCourse {
    /// The votes, oldest first, if the request needs several approvers.
    pub votes: Vec<RecordedFact<ApprovalVote>>,
    /// The reminder.
    pub reminder: Option<RecordedFact<ApprovalReminder>>,
    /// The escalation to a higher level.
    pub escalation: Option<RecordedFact<ApprovalEscalation>>,
    /// The advice of advisors, oldest first.
    pub advice: Vec<RecordedFact<ApprovalAdvice>>,
    /// The end of its approval by a person. Boxed, because few calls have one.
    pub taken_back: Option<Box<RecordedFact<ApprovalTakenBack>>>,
    /// The complaints of people, oldest first.
    pub flags: Vec<RecordedFact<CallFlagged>>,
    /// The claims of lost executors, oldest first.
    pub lost: Vec<RecordedFact<ExecutionStarted>>,
    /// The current claim's last renewal.
    pub renewed: Option<RecordedFact<ExecutionRenewed>>,
    /// A person's permission for another executor to take over.
    pub released: Option<RecordedFact<ExecutionReleased>>,
    /// The report that other arguments ran than were approved. Boxed, because few calls have one.
    pub mismatch: Option<Box<RecordedFact<ExecutionMismatch>>>,
    /// The erasure of its content.
    pub erasure: Option<RecordedFact<CallErased>>,
    /// The events that only a newer version can interpret. Boxed, because few calls have one.
    pub newer: Option<Box<UnknownFact>>,
}

impl CallCourse {
    /// The current round of votes, which is the last.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.votes.iter().map(|vote| vote.what.round).max().unwrap_or(0)
    }

    /// The current round's votes, one per person, whoever cast the vote. An old log may have two votes by one person whose name
    /// has two spellings.
    pub fn counting(&self) -> impl Iterator<Item = &RecordedFact<ApprovalVote>> {
        let round = self.round();
        let is_first = move |at: usize, vote: &RecordedFact<ApprovalVote>| {
            let mut earlier = self.votes[..at].iter().filter(|other| other.what.round == round);
            !earlier.any(|other| shares_voter(other, vote))
        };
        let in_round = self.votes.iter().enumerate().filter(move |(_, vote)| vote.what.round == round);
        in_round.filter(move |(at, vote)| is_first(*at, vote)).map(|(_, vote)| vote)
    }

    /// The current round's vote with arguments that an approver edited.
    #[must_use]
    pub fn edited(&self) -> Option<&ApprovalVote> {
        self.counting().map(|vote| &vote.what).find(|vote| vote.arguments.is_some())
    }

    /// Adds an event to a call with this standing. Returns true for a side event, which leaves the standing as it is. The
    /// standing applies, or refuses, each other event.
    pub(super) fn add(&mut self, event: &Event, body: &Body, standing: &CallStanding) -> bool {
        use CallStanding::{Pending, Proposed, Running};
        match (body, standing) {
            // A vote counts through the response that follows it.
            (Body::ApprovalVote(vote), Pending { .. } | Proposed) => self.votes.push(fact(event, vote)),
            (Body::ApprovalReminder(reminder), Pending { .. }) => {
                self.reminder = Some(fact(event, reminder));
            }
            (Body::ApprovalEscalated(escalated), Pending { .. }) => {
                self.escalation = Some(fact(event, escalated));
            }
            (Body::ApprovalAdvice(advice), standing) if *standing != Proposed => {
                self.advice.push(fact(event, advice));
            }
            (Body::CallFlagged(flagged), standing) if standing.was_allowed() => {
                self.flags.push(fact(event, flagged));
            }
            (Body::ExecutionReleased(released), Running { .. }) => {
                self.released = Some(fact(event, released));
            }
            (Body::ExecutionMismatch(mismatch), _) => self.mismatch = Some(Box::new(fact(event, mismatch))),
            (Body::CallErased(erased), standing) if standing.has_ended() => {
                self.erasure = Some(fact(event, erased));
            }
            (Body::Newer(newer), _) => UnknownFact::add(&mut self.newer, event, newer),
            _ => {
                self.add_beside_standing(event, body, standing);
                return false;
            }
        }
        true
    }

    /// Adds what the standing does not have after an event that changes it.
    fn add_beside_standing(&mut self, event: &Event, body: &Body, standing: &CallStanding) {
        match (body, standing) {
            (Body::ApprovalTakenBack(taken), _) => {
                self.taken_back = Some(Box::new(fact(event, taken)));
            }
            (Body::ExecutionRenewed(renewed), _) => self.renewed = Some(fact(event, renewed)),
            (Body::ExecutionTakenOver(_), CallStanding::Running { claim, .. }) => {
                self.lost.push(claim.clone());
                self.renewed = None;
            }
            _ => {}
        }
    }
}

fn fact<T: Clone>(event: &Event, what: &T) -> RecordedFact<T> {
    RecordedFact::from_event(event, what.clone())
}

//! What happens beside a call's way.

use super::{Fact, Standing};
use countersign_events::{
    Body, Event,
    event::{Escalated, ExecutionReleased, ExecutionStarted, Reminder, Vote},
};

/// What happens beside a call's way: votes, reminders, lost executors. None of it changes where it stands by
/// itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// What approvers have said, where it takes several; oldest first.
    pub votes: Vec<Fact<Vote>>,
    /// That people were reminded.
    pub reminder: Option<Fact<Reminder>>,
    /// That it went to a higher level.
    pub escalation: Option<Fact<Escalated>>,
    /// The claims of executors that were lost, oldest first.
    pub lost: Vec<Fact<ExecutionStarted>>,
    /// That a person lets another executor take over.
    pub released: Option<Fact<ExecutionReleased>>,
}

impl Course {
    /// The round of votes that counts: the last.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.votes.iter().map(|vote| vote.what.round).max().unwrap_or(0)
    }

    /// The votes that count.
    pub fn counting(&self) -> impl Iterator<Item = &Fact<Vote>> {
        let round = self.round();
        self.votes.iter().filter(move |vote| vote.what.round == round)
    }

    /// The arguments as an approver changed them, in the round that counts.
    #[must_use]
    pub fn edited(&self) -> Option<&Vote> {
        self.counting().map(|vote| &vote.what).find(|vote| vote.arguments.is_some())
    }

    pub(super) fn evolve(&mut self, event: &Event, body: &Body, standing: &Standing) {
        match (body, standing) {
            (Body::ApprovalVote(vote), _) => self.votes.push(Fact::of(event, vote.clone())),
            (Body::ApprovalReminder(reminder), _) => {
                self.reminder = Some(Fact::of(event, reminder.clone()));
            }
            (Body::ApprovalEscalated(escalated), _) => {
                self.escalation = Some(Fact::of(event, escalated.clone()));
            }
            (Body::ExecutionReleased(released), _) => {
                self.released = Some(Fact::of(event, released.clone()));
            }
            (Body::ExecutionTakenOver(_), Standing::Running { claim, .. }) => self.lost.push(claim.clone()),
            _ => {}
        }
    }
}

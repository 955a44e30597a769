//! Side events of a call: votes, reminders, lost executors.

use super::{Fact, Standing};
use crate::{
    Body, Event,
    event::{Escalated, ExecutionReleased, ExecutionStarted, Reminder, Vote},
};

/// The side events of a call. None of them changes its standing by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCourse {
    /// The votes, oldest first, if the request needs several approvers.
    pub votes: Vec<Fact<Vote>>,
    /// The reminder.
    pub reminder: Option<Fact<Reminder>>,
    /// The escalation to a higher level.
    pub escalation: Option<Fact<Escalated>>,
    /// The claims of lost executors, oldest first.
    pub lost: Vec<Fact<ExecutionStarted>>,
    /// The permission of a person for another executor to take over.
    pub released: Option<Fact<ExecutionReleased>>,
}

impl CallCourse {
    /// The current round of votes, which is the last.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.votes.iter().map(|vote| vote.what.round).max().unwrap_or(0)
    }

    /// The votes of the current round.
    pub fn counting(&self) -> impl Iterator<Item = &Fact<Vote>> {
        let round = self.round();
        self.votes.iter().filter(move |vote| vote.what.round == round)
    }

    /// The vote of the current round with arguments that an approver edited.
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

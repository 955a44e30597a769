//! Credential holders: their names, their rights, and the threads that they see.

use super::{ApproverStanding, CommandCaller, Right};
use countersign_events::{Principal, Role, ThreadId, TokenCreated};
use countersign_patterns::{Glob, PatternError};
use std::sync::Arc;

/// The solo-mode name suffix: it marks a caller without a credential, who may both propose and decide. No token name
/// ends with it, so every surface shows who acted without a second person.
pub const SOLO_MARK: &str = " (solo)";

/// A credential holder.
#[derive(Debug, Clone)]
pub struct TokenHolder {
    /// The token's id, if the credential is one.
    pub token: Option<String>,
    /// The name, without a kind.
    pub name: String,
    /// The roles. A token has one; only in solo mode does a caller have all.
    pub roles: Vec<Role>,
    /// The standing as an approver.
    pub standing: ApproverStanding,
    /// The threads that the holder sees.
    pub threads: VisibleThreads,
}

/// The threads that a caller sees. The default is the whole log.
#[derive(Debug, Clone, Default)]
pub struct VisibleThreads {
    /// Globs over thread ids; none for all threads.
    globs: Arc<[Glob]>,
    /// Whether log-wide events (policies and tokens) are hidden from the caller.
    only_threads: bool,
}

impl VisibleThreads {
    /// Reads globs over thread ids; none for all threads. Fails with the first one that cannot be read.
    pub fn parse(texts: &[String]) -> Result<Self, PatternError> {
        let globs: Arc<[_]> = texts.iter().map(|text| Glob::new(text)).collect::<Result<_, _>>()?;
        Ok(Self { only_threads: !globs.is_empty(), globs })
    }

    /// The same threads, without log-wide events.
    #[must_use]
    pub fn without_whole_log(self) -> Self {
        Self { only_threads: true, ..self }
    }

    /// Returns true if every thread is visible.
    #[must_use]
    pub fn has_all_threads(&self) -> bool {
        self.globs.is_empty()
    }

    /// Returns true if the thread is visible, or, for [`ThreadId::whole_log`], the log-wide events.
    #[must_use]
    pub fn admits(&self, thread: &ThreadId) -> bool {
        if thread.is_whole_log() {
            return !self.only_threads;
        }
        self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(thread.as_str()))
    }

    /// The globs as strings.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.globs.iter().map(|glob| glob.as_str().to_owned()).collect()
    }
}

impl PartialEq for VisibleThreads {
    fn eq(&self, other: &Self) -> bool {
        let texts =
            |threads: &Self| threads.globs.iter().map(Glob::as_str).eq(other.globs.iter().map(Glob::as_str));
        self.only_threads == other.only_threads && texts(self)
    }
}

impl Eq for VisibleThreads {}

impl TokenHolder {
    /// The token holder. A glob that this version cannot read matches nothing.
    #[must_use]
    pub(super) fn from_event(created: &TokenCreated) -> Self {
        // No thread id is `.`, so it matches nothing.
        let nothing = || VisibleThreads::parse(&[".".to_owned()]).unwrap_or_default();
        let visible = VisibleThreads::parse(&created.threads).unwrap_or_else(|_| nothing());
        let threads =
            if Right::ReadPolicy.belongs_to(created.role) { visible } else { visible.without_whole_log() };
        Self {
            token: Some(created.id.clone()),
            name: created.name.clone(),
            roles: vec![created.role],
            standing: ApproverStanding { level: created.level.clone(), groups: created.groups.clone() },
            threads,
        }
    }

    /// The principal that a token names: an agent, or a person.
    #[must_use]
    pub fn principal_of(created: &TokenCreated) -> Principal {
        if created.role == Role::Agent {
            Principal::agent(&created.name)
        } else {
            Principal::user(&created.name)
        }
    }

    /// A caller without a credential, whom a server in solo mode lets do everything.
    #[must_use]
    pub fn solo(name: &str) -> Self {
        Self {
            token: None,
            name: format!("{name}{SOLO_MARK}"),
            roles: Role::ALL.to_vec(),
            standing: ApproverStanding::default(),
            threads: VisibleThreads::default(),
        }
    }

    /// Returns true if this is a solo-mode caller without a credential.
    #[must_use]
    pub fn is_solo(&self) -> bool {
        self.token.is_none() && self.name.ends_with(SOLO_MARK)
    }

    /// Returns true if one of the roles has this right.
    #[must_use]
    pub fn may(&self, right: Right) -> bool {
        self.roles.iter().any(|role| right.belongs_to(*role))
    }

    /// The principal under which the holder uses this right: an agent to execute calls, otherwise a person. An agent
    /// token's holder is always an agent.
    #[must_use]
    pub fn principal(&self, right: Right) -> Principal {
        let is_agent = right == Right::Execute || self.roles == [Role::Agent];
        if is_agent && self.roles.contains(&Role::Agent) {
            Principal::agent(&self.name)
        } else {
            Principal::user(&self.name)
        }
    }

    /// The caller for a command that uses this right.
    #[must_use]
    pub fn caller(&self, right: Right) -> CommandCaller {
        CommandCaller { principal: self.principal(right), standing: self.standing.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_admit_only_matching_threads() {
        let globs = VisibleThreads::parse(&["ci/*".to_owned()]).expect("valid");
        let thread = |text| ThreadId::new(text).expect("valid");
        assert!(globs.admits(&thread("ci/7")));
        assert!(!globs.admits(&thread("prod/ci/7")));
        assert!(!globs.admits(&ThreadId::whole_log()));
        assert!(VisibleThreads::default().admits(&ThreadId::whole_log()));
    }

    #[test]
    fn solo_holder_shows_in_both_names() {
        let solo = TokenHolder::solo("ada");
        assert_eq!(solo.principal(Right::Execute).as_str(), "agent:ada (solo)");
        assert_eq!(solo.principal(Right::Decide).as_str(), "user:ada (solo)");
    }
}

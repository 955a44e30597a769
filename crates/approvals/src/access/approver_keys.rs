//! The keys with which approvers prove their decisions, built from the log's events.

use countersign_events::{ApproverKeyAdded, ApproverKeyRemoved, Body, Event, Principal, Sha256, Timestamp};
use countersign_proofs::ApproverPublicKey;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The approver keys in a log.
#[derive(Debug, Clone, Default)]
pub struct ApproverKeyDirectory {
    /// Shared, because readers keep copies of the directory.
    keys: BTreeMap<String, Arc<ApproverKeyRecord>>,
    /// The server origins where people signed in or registered passkeys.
    web_origins: Arc<BTreeSet<String>>,
}

/// One key of an approver.
#[derive(Debug, Clone)]
pub struct ApproverKeyRecord {
    /// The `seq` of the event that added it.
    pub seq: i64,
    /// What that event says.
    pub added: ApproverKeyAdded,
    /// When it was added.
    pub added_at: Timestamp,
    /// Who added it.
    pub added_by: Principal,
    /// The key. `None` if this version cannot read it; then it proves nothing.
    pub public_key: Option<ApproverPublicKey>,
    /// Who removed it, when, and why.
    pub removed: Option<(Principal, Timestamp, Option<String>)>,
}

/// What a proof is checked against: the log identity and its approver keys.
#[derive(Debug, Clone, Copy)]
pub struct ProofContext<'a> {
    /// The first event's link, which identifies the log.
    pub log: Sha256,
    /// The keys. `None` if they were not loaded, because the command has no proof.
    pub keys: Option<&'a ApproverKeyDirectory>,
}

impl Default for ProofContext<'_> {
    fn default() -> Self {
        Self { log: Sha256::ZERO, keys: None }
    }
}

impl ApproverKeyDirectory {
    /// Applies an event. Events about other things change nothing.
    pub(super) fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::ApproverKeyAdded(added) => {
                let record = ApproverKeyRecord {
                    seq: event.seq,
                    public_key: ApproverPublicKey::parse(added.kind, &added.public_key).ok(),
                    added: added.clone(),
                    added_at: event.timestamp,
                    added_by: event.principal.clone(),
                    removed: None,
                };
                self.keys.entry(added.id.clone()).or_insert_with(|| Arc::new(record));
                self.note_web_origin(added.web_origin.as_ref());
            }
            Body::TokenCreated(created) => self.note_web_origin(created.web_origin.as_ref()),
            Body::ApproverKeyRemoved(ApproverKeyRemoved { id, reason }) => {
                if let Some(key) = self.keys.get_mut(id).map(Arc::make_mut) {
                    key.removed = Some((event.principal.clone(), event.timestamp, reason.clone()));
                }
            }
            _ => {}
        }
    }

    fn note_web_origin(&mut self, origin: Option<&String>) {
        if let Some(origin) = origin.filter(|origin| !self.web_origins.contains(*origin)) {
            Arc::make_mut(&mut self.web_origins).insert(origin.clone());
        }
    }

    /// The origins of this log's servers. Empty if no person has signed in or registered a passkey on any of them.
    #[must_use]
    pub fn web_origins(&self) -> &BTreeSet<String> {
        &self.web_origins
    }

    /// The key with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&ApproverKeyRecord> {
        self.keys.get(id).map(AsRef::as_ref)
    }

    /// All keys, in the order of their ids.
    pub fn records(&self) -> impl Iterator<Item = &ApproverKeyRecord> {
        self.keys.values().map(AsRef::as_ref)
    }

    /// The keys that this person has ever had.
    pub fn of_person<'a>(&'a self, person: &'a Principal) -> impl Iterator<Item = &'a ApproverKeyRecord> {
        self.records().filter(move |record| record.added.approver == *person)
    }

    /// The key with this id, if this person has it now.
    #[must_use]
    pub fn find_active(&self, person: &Principal, id: &str) -> Option<&ApproverPublicKey> {
        let record = self.find(id).filter(|record| record.removed.is_none());
        record.filter(|record| record.added.approver == *person)?.public_key.as_ref()
    }
}

//! The keys of approvers: list, add and remove.

use super::EmbeddedService;
use crate::{GateFailure, view::view_approver_key};
use countersign_api as api;
use countersign_approvals::{CommandCaller, LogCommand, Refused, registry::AddKeyCommand};
use countersign_events::{ApproverKeyAdded, ApproverKeyRemoved, Body, Principal, Sha256, chain};
use countersign_proofs::{ApproverPublicKey, passkey::read_origin};
use countersign_store::EventFilter;

/// What a server knows about the registration of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyRegistration {
    /// Whether the caller acts as an administrator.
    pub as_admin: bool,
    /// The token whose rights a passkey gives when it signs in.
    pub token: Option<String>,
    /// The origin of the page that registered a passkey.
    pub web_origin: Option<String>,
}

impl EmbeddedService {
    /// The first event's link, which identifies the log; zeros for a log without events.
    pub(crate) async fn log_id(&self) -> Result<Sha256, GateFailure> {
        if let Some(id) = self.log_id.get() {
            return Ok(*id);
        }
        let first = self.store.events(&EventFilter::default(), 0, 1).await?.items.into_iter().next();
        let Some(first) = first else { return Ok(Sha256::ZERO) };
        let id = first.hash.unwrap_or_else(|| chain::link(Sha256::ZERO, &first));
        Ok(*self.log_id.get_or_init(|| id))
    }

    /// Lists keys, the oldest first.
    pub(crate) async fn approver_keys(
        &self,
        query: api::SelectionQuery,
    ) -> Result<api::ApproverKeyPage, GateFailure> {
        let log = self.log_id().await?;
        let api::SelectionQuery { all, page } = query;
        let limit = page.limit.min(api::MAX_PAGE);
        Ok(self.tokens.with(|directory| {
            let is_listed = |key: &api::ApproverKey| all || key.removed_by.is_none();
            let records = directory.approver_keys().records().filter(|record| record.seq > page.after);
            let mut keys: Vec<_> = records.map(view_approver_key).filter(is_listed).collect();
            keys.sort_by_key(|key| key.seq);
            let more = keys.len() > limit;
            keys.truncate(limit);
            let next = keys.last().map(|key| key.seq).filter(|_| more);
            api::ApproverKeyPage { log, keys, next }
        }))
    }

    /// Adds a key. Returns when this process accepts its proofs.
    pub(crate) async fn add_approver_key(
        &self,
        by: &CommandCaller,
        request: &api::ApproverKeyRequest,
        KeyRegistration { as_admin, token, web_origin }: KeyRegistration,
    ) -> Result<api::ApproverKey, GateFailure> {
        self.check_proof_page(request.proof.as_ref())?;
        let Some(text) = &request.public_key else {
            return Err(GateFailure::invalid("publicKey", &"it is missing"));
        };
        let key = ApproverPublicKey::parse(request.kind, text)
            .map_err(|why| GateFailure::invalid("publicKey", &why))?;
        let id = key.id();
        let added = ApproverKeyAdded {
            id: id.clone(),
            kind: request.kind,
            approver: request.approver.clone().unwrap_or_else(|| by.principal.clone()),
            name: request.name.clone(),
            public_key: key.to_string(),
            token,
            web_origin,
            proof: request.proof.clone().map(Into::into),
        };
        self.execute_on_tokens(by, LogCommand::AddKey(Box::new(AddKeyCommand { added, as_admin }))).await?;
        self.find_approver_key(&id)
    }

    /// Checks that the passkey of a proof was used on a page of this process's server, if it has one. The rules compare
    /// the page with the origins that the log knows, which may be none.
    pub(super) fn check_proof_page(&self, proof: Option<&api::ProofRequest>) -> Result<(), GateFailure> {
        let client_data = proof.and_then(|proof| proof.client_data.as_deref());
        let (Some(client_data), Some(own)) = (client_data, self.web_origins.get()) else { return Ok(()) };
        let refuse = |why: String| GateFailure::from(Refused::ProofInvalid { why });
        let (origin, _) = read_origin(client_data).map_err(|why| refuse(why.to_string()))?;
        if own.contains(&origin) {
            return Ok(());
        }
        Err(refuse(format!(
            "the passkey was used on a page of {origin}, which is none of this server's pages"
        )))
    }

    /// Removes a key. Returns when this process does not accept its proofs.
    pub(crate) async fn remove_approver_key(
        &self,
        by: &CommandCaller,
        id: &str,
        request: &api::RemoveKeyRequest,
    ) -> Result<api::ApproverKey, GateFailure> {
        let removed = ApproverKeyRemoved { id: id.to_owned(), reason: request.reason.clone() };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::ApproverKeyRemoved(removed)])).await?;
        self.find_approver_key(id)
    }

    /// The person whose key this is; `None` if there is no such key.
    pub(crate) fn owner_of_key(&self, id: &str) -> Option<Principal> {
        self.tokens
            .with(|directory| directory.approver_keys().find(id).map(|record| record.added.approver.clone()))
    }

    fn find_approver_key(&self, id: &str) -> Result<api::ApproverKey, GateFailure> {
        let found = self.tokens.with(|directory| directory.approver_keys().find(id).map(view_approver_key));
        found.ok_or_else(|| Refused::UnknownKey.into())
    }
}

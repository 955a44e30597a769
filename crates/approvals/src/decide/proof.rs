//! Proof: if the rule requires one, an approval carries a signature by an approver key.

use super::{CommandFailure, DecisionContext, NeededEvidence, RespondCommand, edit::ArgumentEdit};
use crate::{Call, GrantScope, Refused, access::ApproverKeyDirectory};
use countersign_events::{Decision, DecisionProof, Principal, ProofKind, ProofRequirement};
use countersign_proofs::{
    DecisionStatement, ScopeOrHash, Statement, check_proof, hash_text, passkey::read_origin,
};

/// The maximum size of a proof field in bytes. It bounds what the log keeps.
const MAX_PART_BYTES: usize = 8_192;

/// Checks the proof in an answer, and returns it as the log keeps it. `needed` is the proof that an approval needs. A
/// denial needs none.
pub(super) fn check_answer(
    call: &Call,
    respond: &RespondCommand,
    needed: Option<ProofRequirement>,
    edit: Option<&ArgumentEdit>,
    context: &DecisionContext<'_>,
) -> Result<Option<DecisionProof>, CommandFailure> {
    let needed = needed.filter(|_| respond.decision.allows());
    if needed.is_some() && respond.decision == Decision::AllowSession {
        // A grant would answer later calls, each of which needs its own proof.
        return Err(Refused::NotOffered(respond.decision.as_str()).into());
    }
    let Some(proof) = &respond.proof else {
        return match needed {
            Some(needs) => {
                let statement = decision_statement(call, respond, edit, context);
                Err(Refused::ProofRequired { needs, statement: statement.as_str().to_owned() }.into())
            }
            None => Ok(None),
        };
    };
    if needed.is_some_and(|needed| !needed.accepts(proof.kind)) {
        let needed = needed.map_or("other", ProofRequirement::as_str);
        let why = format!("the rule asks for a proof of the kind {needed}");
        return Err(Refused::ProofInvalid { why }.into());
    }
    // The statement covers the comment as sent, and the log must be enough to check it.
    let comment = respond.comment.as_deref();
    if comment != context.mask_optional(comment).as_deref() {
        let why = "a comment with a secret is masked, and then its proof could not be checked; leave the secret out";
        return Err(Refused::invalid("comment", why).into());
    }
    let Some(keys) = context.proofs.keys else {
        return Err(NeededEvidence::ApproverKeys.into());
    };
    let statement = decision_statement(call, respond, edit, context);
    check_signature(&AcceptedKeys { keys, registered_at: None }, context.by, proof, &statement)?;
    Ok(Some((**proof).clone()))
}

/// What may have signed a statement.
pub(crate) struct AcceptedKeys<'a> {
    pub(crate) keys: &'a ApproverKeyDirectory,
    /// The origin at which a further key is registered. A passkey may be used there, and on pages at the log's origins.
    pub(crate) registered_at: Option<&'a str>,
}

/// Checks that a key of this person signed the statement, and that a passkey was used on a page with an accepted
/// origin.
pub(crate) fn check_signature(
    accepted: &AcceptedKeys<'_>,
    person: &Principal,
    proof: &DecisionProof,
    statement: &Statement,
) -> Result<(), Refused> {
    let invalid = |why: String| Refused::ProofInvalid { why };
    let parts = [Some(&proof.signature), proof.authenticator_data.as_ref(), proof.client_data.as_ref()];
    if parts.into_iter().flatten().any(|part| part.len() > MAX_PART_BYTES) {
        return Err(invalid(format!("a part of the proof is longer than {MAX_PART_BYTES} bytes")));
    }
    let key = accepted.keys.find_active(person, &proof.key);
    let key = key.ok_or_else(|| invalid(format!("{person} has no key with this id; add it first")))?;
    check_proof(key, proof, statement).map_err(|why| invalid(why.to_string()))?;
    let Some(client_data) = proof.client_data.as_deref().filter(|_| proof.kind == ProofKind::Passkey) else {
        return Ok(());
    };
    // Another program may serve pages on another port of the same host, which the signature check accepts.
    let (origin, _) = read_origin(client_data).map_err(|why| invalid(why.to_string()))?;
    let known = accepted.keys.web_origins();
    if known.is_empty() || known.contains(&origin) || accepted.registered_at == Some(&origin) {
        return Ok(());
    }
    Err(invalid(format!("the passkey was used on a page of {origin}, which is no server of this log")))
}

/// The text that the approver signs. If content of a recorded decision was erased, its hash is known.
fn decision_statement(
    call: &Call,
    respond: &RespondCommand,
    edit: Option<&ArgumentEdit>,
    context: &DecisionContext<'_>,
) -> Statement {
    let scope = respond.scope.as_ref().map(GrantScope::json);
    let erased_scope = respond.erased.get("scope").copied().map(ScopeOrHash::ErasedPattern);
    let comment_hash = respond.erased.get("comment").copied();
    DecisionStatement {
        log: context.proofs.log,
        thread: context.thread_id,
        call: call.id(),
        tool: &call.proposal.what.name,
        arguments_hash: edit.map_or(call.arguments_hash(), |edit| edit.hash),
        approver: context.by,
        on_behalf_of: respond.on_behalf_of.as_ref(),
        decision: respond.decision,
        scope: erased_scope.or_else(|| scope.as_ref().map(ScopeOrHash::Scope)),
        agents: respond.recorded_agents(),
        limits: respond.limits,
        comment_hash: comment_hash.or_else(|| respond.comment.as_deref().map(hash_text)),
    }
    .statement()
}

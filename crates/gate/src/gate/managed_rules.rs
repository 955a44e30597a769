//! Rules that people accept into the policy's managed layer. Works over any gate: reads the policy, edits the layer,
//! and activates the result if the policy did not change meanwhile.

use crate::GateFailure;
use countersign_api::{self as api, ApprovalGate, GateError, PolicyInForce, SendOperation, operations};
use countersign_approvals::Refused;
use countersign_policy::{ManagedRuleError, Policy, PolicyText};

/// Adds one rule to the managed layer. Fails with `policy_changed` if a policy other than `replaces` is active, and
/// with `invalid` if the string is anything other than one rule that allows.
pub async fn add_managed_rule(
    gate: &dyn ApprovalGate,
    request: &api::ManagedRuleRequest,
) -> Result<PolicyInForce, GateError> {
    let in_force = read_unchanged(gate, request.replaces).await?;
    let (policy, name) =
        text_of(&in_force).add_managed_rule(&request.rule).map_err(|why| refuse("rule", &why))?;
    apply(gate, &policy, format!("accepted rule: {name}"), request.replaces).await
}

/// Removes one rule from the managed layer. Fails with `policy_changed` if a policy other than `replaces` is active,
/// and with `invalid` if the layer has no rule with the name.
pub async fn remove_managed_rule(
    gate: &dyn ApprovalGate,
    request: &api::RemoveManagedRuleRequest,
) -> Result<PolicyInForce, GateError> {
    let in_force = read_unchanged(gate, request.replaces).await?;
    let policy = text_of(&in_force).remove_managed_rule(&request.name).map_err(|why| refuse("name", &why))?;
    apply(gate, &policy, format!("removed rule: {}", request.name), request.replaces).await
}

/// Reads the active policy. The decision about it compares again, in the transaction that writes.
async fn read_unchanged(
    gate: &dyn ApprovalGate,
    replaces: countersign_events::Sha256,
) -> Result<PolicyInForce, GateError> {
    let in_force = gate.send(operations::ShowPolicy {}).await?;
    if in_force.hash == replaces {
        return Ok(in_force);
    }
    Err(GateFailure::from(Refused::PolicyChanged { in_force: in_force.hash }).into())
}

fn text_of(policy: &PolicyInForce) -> PolicyText {
    PolicyText { text: policy.text.clone(), layers: policy.layers.clone() }
}

fn refuse(field: &'static str, why: &ManagedRuleError) -> GateError {
    GateFailure::invalid(field, &why.to_string().trim_end()).into()
}

async fn apply(
    gate: &dyn ApprovalGate,
    policy: &Policy,
    source: String,
    replaces: countersign_events::Sha256,
) -> Result<PolicyInForce, GateError> {
    let PolicyText { text, layers } = policy.text().clone();
    let body = api::PolicyRequest { text, layers, source, replaces };
    gate.send(operations::ApplyPolicy { body }).await
}

//! Proofs of decisions by SSH keys, which `ssh-keygen` makes.

use countersign_api::{self as api, SelectionQuery, SendOperation, SharedGate, operations};
use countersign_console::{CliError, CommandExit};
use countersign_events::{DecisionProof, GrantLimits, Principal, ProofKind, Sha256};
use countersign_proofs::{
    ApproverPublicKey, DecisionStatement, ScopeOrHash, Statement, check_proof, hash_text,
    ssh::{NAMESPACE, SshSignature},
};
use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// Adds a proof to the decision on a call. The statement is built here, from what the person has seen, and not taken from
/// the server.
pub(crate) fn prove_decision(
    key_file: &Path,
    log: Sha256,
    approver: &Principal,
    call: &api::Call,
    decide: api::DecisionRequest,
) -> anyhow::Result<api::DecisionRequest> {
    let arguments_hash = match &decide.arguments {
        Some(edited) => edited.admit().map_err(|why| CliError::usage(format!("--arguments: {why}")))?,
        None => checked_hash(call)?,
    };
    let statement = DecisionStatement {
        log,
        thread: &call.thread_id,
        call: &call.id,
        tool: &call.name,
        arguments_hash,
        approver,
        on_behalf_of: decide.on_behalf_of.as_ref(),
        decision: decide.decision,
        scope: decide.scope.as_ref().map(ScopeOrHash::Scope),
        agents: decide.agents,
        limits: GrantLimits { seconds: decide.expires_in_seconds, uses: decide.uses },
        comment_hash: decide.comment.as_deref().map(hash_text),
    };
    let proof = sign(key_file, &statement.statement())?;
    Ok(api::DecisionRequest { proof: Some(proof), ..decide })
}

/// The hash of the shown arguments. If none of them is masked, it is computed from them.
fn checked_hash(call: &api::Call) -> anyhow::Result<Sha256> {
    if call.redacted.is_empty() && call.arguments.canonical_hash().ok() != Some(call.arguments_hash) {
        let message = format!("the arguments of {} do not have the hash that the server names", call.id);
        return Err(CliError { exit: CommandExit::FAILED, code: "arguments_changed", message }.into());
    }
    Ok(call.arguments_hash)
}

/// The log's identity, which each statement names.
pub(crate) async fn identify_log(gate: &SharedGate) -> anyhow::Result<Sha256> {
    let page = api::PageQuery { after: 0, limit: 1 };
    Ok(gate.send(operations::ListApproverKeys { query: SelectionQuery { all: false, page } }).await?.log)
}

/// Signs a statement with an SSH key. The file is a private key, or the public key of one that an agent or a FIDO token
/// holds; `ssh-keygen` asks for a passphrase or a touch.
pub(crate) fn sign(key_file: &Path, statement: &Statement) -> anyhow::Result<api::ProofRequest> {
    let failed = |message: String| CliError { exit: CommandExit::FAILED, code: "not_signed", message };
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", NAMESPACE, "-f"])
        .arg(key_file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("ssh-keygen cannot be started: {error}; install OpenSSH")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // If ssh-keygen ends early, its exit status tells why.
        let _ = stdin.write_all(statement.as_str().as_bytes());
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let shown = key_file.display();
        return Err(failed(format!("ssh-keygen did not sign with {shown}: its message is above")).into());
    }
    let signature = String::from_utf8_lossy(&output.stdout).into_owned();
    let parsed = SshSignature::parse(&signature).map_err(|why| failed(why.to_string()))?;
    let key = ApproverPublicKey::Ssh(parsed.key().clone());
    let proof = api::ProofRequest {
        kind: ProofKind::Ssh,
        key: key.id(),
        signature,
        authenticator_data: None,
        client_data: None,
    };
    check_proof(&key, &DecisionProof::from(proof.clone()), statement)
        .map_err(|why| failed(why.to_string()))?;
    Ok(proof)
}

//! Checks the rows about tokens. They contain the whole command, so nothing has to be guessed.

use super::{compare, evidence, log_row::LogRow, row_comparison::RowComparison};
use crate::{
    access::{CommandCaller, ProofContext, TokenDirectory},
    decide::{self, AddKeyCommand, TokenCommand},
};
use countersign_events::{Body, Sha256, event::TokenKind, principal::PrincipalKind};
use countersign_policy::QualifiedPeople;

/// Compares the next rows, of which the first is about a token, with those that the rules would write.
pub(super) fn compare_token_rows(rows: &[LogRow], tokens: &TokenDirectory, log: Sha256) -> RowComparison {
    let head = &rows[0];
    let caller = CommandCaller::from(head.event.principal.clone());
    let Some(command) = recorded_command(rows) else {
        return RowComparison::Different { position: 0, reason: "it is not about a token".to_owned() };
    };
    let policy = evidence::recorded_policy(None, None, false, QualifiedPeople::None, None);
    let proofs = ProofContext { log, keys: Some(tokens.approver_keys()) };
    let facts = (proofs, &policy, head.event.timestamp);
    let compared = match decide::decide_on_tokens(&command, &caller, tokens, facts) {
        Err(refused) => Err((0, refused.to_string())),
        Ok(expected) if expected.is_empty() => Err((0, "the log has this fact already".to_owned())),
        Ok(expected) => expected
            .iter()
            .zip(rows)
            .enumerate()
            .try_for_each(|(position, (new, row))| {
                compare::check_row(new, row).map_err(|reason| (position, reason))
            })
            .map(|()| expected.len()),
    };
    match compared {
        Ok(length) => RowComparison::Same(length),
        Err((position, reason)) => RowComparison::Different { position, reason },
    }
}

/// The command that wrote the first row. The service creates the first tokens of a log with one command.
fn recorded_command(rows: &[LogRow]) -> Option<TokenCommand> {
    let head = &rows[0];
    match &head.body {
        Body::TokenCreated(first)
            if head.event.principal.kind() == PrincipalKind::System && first.kind != TokenKind::Session =>
        {
            let same_step = rows.iter().take_while(|row| compare::is_same_step(head, row));
            let created = same_step.map_while(|row| match &row.body {
                Body::TokenCreated(created) if created.kind != TokenKind::Session => Some(created.clone()),
                _ => None,
            });
            Some(TokenCommand::Create(created.collect()))
        }
        Body::TokenCreated(created) => Some(TokenCommand::Create(vec![created.clone()])),
        Body::TokenUsed(used) => Some(TokenCommand::Use(used.clone())),
        Body::TokenRevoked(revoked) => Some(TokenCommand::Revoke(revoked.clone())),
        // The log does not say whether the caller acted as an administrator.
        Body::ApproverKeyAdded(added) => {
            Some(TokenCommand::AddKey(Box::new(AddKeyCommand { added: added.clone(), as_admin: true })))
        }
        Body::ApproverKeyRemoved(removed) => Some(TokenCommand::RemoveKey(removed.clone())),
        _ => None,
    }
}

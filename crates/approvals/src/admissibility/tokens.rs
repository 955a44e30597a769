//! Checks the rows about tokens. They contain the whole command, so nothing has to be guessed.

use super::{compare, log_row::LogRow, row_comparison::RowComparison};
use crate::{
    access::{CommandCaller, TokenDirectory},
    decide::{self, TokenCommand},
};
use countersign_events::{Body, event::TokenKind, principal::PrincipalKind};

/// Compares the next rows, of which the first is about a token, with those that the rules would write.
pub(super) fn compare_token_rows(rows: &[LogRow], tokens: &TokenDirectory) -> RowComparison {
    let head = &rows[0];
    let caller = CommandCaller::from(head.event.principal.clone());
    let Some(command) = recorded_command(rows) else {
        return RowComparison::Different { position: 0, reason: "it is not about a token".to_owned() };
    };
    let compared = match decide::decide_on_tokens(&command, &caller, tokens, head.event.timestamp) {
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
        _ => None,
    }
}

//! Definitions of tools: recorded once by all processes together, and read where a command needs them.

use countersign_approvals::{
    CommandEnvelope, CommandEvidence, CommandTarget, LogCommand, Refused, pinned_tools::seen_definition,
};
use countersign_events::{Body, DefinitionAccepted, EventType, Principal, Sha256, ToolDefinition, ToolName};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, Store, StoreError};
use countersign_tests::{World, on_each_database};
use futures_util::future::join_all;
use std::sync::Arc;

on_each_database! {
    racing_processes_record_each_definition_once,
    acceptance_by_another_process_is_known_here,
    second_definition_with_the_same_hash_is_refused_by_the_database,
}

fn definition(description: &str) -> ToolDefinition {
    ToolDefinition { description: Some(description.to_owned()), ..ToolDefinition::default() }
}

fn tool(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

async fn execute(
    world: &World,
    store: &Store,
    by: Principal,
    facts: Vec<Body>,
) -> Result<CommandOutcome, StoreError> {
    let envelope = CommandEnvelope {
        target: CommandTarget::Log,
        command: LogCommand::Record(facts).into(),
        by: by.into(),
        now: world.now(),
        policy: Arc::new(Policy::ask_always()),
        evidence: CommandEvidence::NotNeeded,
        log: Sha256::ZERO,
    };
    store.execute(envelope).await
}

async fn meet(world: &World, store: &Store, tools: &[(&str, &str)]) -> usize {
    let policy = Policy::ask_always();
    let seen = tools.iter().filter_map(|(name, description)| {
        seen_definition(&tool(name), &definition(description), None, policy.redactor())
    });
    let facts = seen.map(Body::DefinitionSeen).collect();
    execute(world, store, Principal::agent("bot"), facts).await.expect("recorded").events.len()
}

async fn accept(world: &World, store: &Store, name: &str, description: &str) -> Result<usize, StoreError> {
    let definition_hash = definition(description).identity(None).expect("it has a description");
    let accepted = DefinitionAccepted { tool: tool(name), definition_hash, comment: None };
    let facts = vec![Body::DefinitionAccepted(accepted)];
    Ok(execute(world, store, Principal::user("ada"), facts).await?.events.len())
}

async fn racing_processes_record_each_definition_once(world: &mut World) {
    let stores = join_all((0..4).map(|_| world.another_store())).await;
    for round in 0..10 {
        let text = format!("version {round}");
        let tools = [("read", text.as_str()), ("write", text.as_str())];
        let written =
            join_all(stores.iter().chain([world.store()]).map(|store| meet(world, store, &tools))).await;
        assert_eq!(written.iter().sum::<usize>(), 2, "round {round}: {written:?}");
    }
    assert_eq!(world.count(EventType::DefinitionSeen).await, 2);
    assert_eq!(world.count(EventType::DefinitionChanged).await, 18);
    let accepted = join_all(stores.iter().map(|store| accept(world, store, "read", "version 4"))).await;
    assert_eq!(accepted.into_iter().map(|written| written.expect("accepted")).sum::<usize>(), 1);
    assert!(world.verify().await.holds());
}

async fn acceptance_by_another_process_is_known_here(world: &mut World) {
    let other = world.another_store().await;
    meet(world, world.store(), &[("read", "first")]).await;
    assert_eq!(meet(world, &other, &[("read", "first")]).await, 0);
    assert_eq!(meet(world, &other, &[("read", "second")]).await, 1);
    assert_eq!(accept(world, world.store(), "read", "second").await.expect("known here"), 1);
    assert_eq!(accept(world, &other, "read", "second").await.expect("accepted there"), 0);
    let unknown = accept(world, &other, "read", "third").await.expect_err("never met");
    assert!(matches!(unknown, StoreError::Refused(Refused::UnknownDefinition { .. })), "{unknown}");
    world.restarts().await;
    assert_eq!(meet(world, world.store(), &[("read", "second"), ("list", "new")]).await, 1);
    assert!(world.verify().await.holds());
}

async fn second_definition_with_the_same_hash_is_refused_by_the_database(world: &mut World) {
    meet(world, world.store(), &[("read", "first")]).await;
    meet(world, world.store(), &[("read", "second")]).await;
    for kind in ["DEFINITION_SEEN", "DEFINITION_CHANGED"] {
        let sql = format!(
            "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
             SELECT seq + 2, thread_id, type, timestamp, principal, data, hash FROM events WHERE type = '{kind}'"
        );
        assert!(world.run_sql(&sql).await.is_err(), "{kind}");
    }
}

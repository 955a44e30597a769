//! Conversations: several processes add to one, and each message is stored once.

use countersign_api::{self as api, ApprovalGate, CallGate, SendOperation, operations};
use countersign_events::{Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_tests::{World, on_each_database};
use futures_util::future::join_all;

on_each_database! {
    history_from_several_processes_is_stored_once,
    closed_conversation_accepts_only_what_it_has,
    decision_in_a_message_reaches_another_process,
    repeated_history_decides_once,
}

fn history(texts: &[String]) -> api::MessagesRequest {
    let messages: Vec<_> =
        texts.iter().map(|text| serde_json::json!({"role": "user", "text": text})).collect();
    let request = serde_json::json!({"format": "plain", "messages": messages});
    serde_json::from_value(request).expect("a request")
}

async fn gate(world: &World) -> EmbeddedGate {
    let gate = EmbeddedGate::open_with(world.address(), world.options(), Policy::ask_always()).await;
    gate.expect("opens").acting_as(Principal::agent("bot"))
}

async fn history_from_several_processes_is_stored_once(world: &mut World) {
    let thread = ThreadId::new("t").expect("valid");
    let gates = [gate(world).await, gate(world).await, gate(world).await];
    let texts: Vec<_> = (0..12).map(|number| format!("message {number}")).collect();
    // Each process sends each history, as if an answer was lost each time.
    let send = async |gate: &EmbeddedGate| {
        for end in 1..=texts.len() {
            gate.send(operations::AddMessages { thread: thread.clone(), body: history(&texts[..end]) })
                .await
                .expect("added");
        }
    };
    join_all(gates.iter().map(send)).await;
    let page = gates[0].messages(&thread, api::PageQuery::default()).await.expect("reads");
    let stored: Vec<_> = page.messages.iter().map(|message| message.text.clone()).collect();
    assert_eq!((stored, page.length, page.next), (texts, 12, None));
    assert_eq!(world.verify().await.events, 13, "the policy, and each message once");
    for gate in gates {
        gate.shut_down().await;
    }
}

async fn closed_conversation_accepts_only_what_it_has(world: &mut World) {
    let thread = ThreadId::new("t").expect("valid");
    let gate = gate(world).await;
    gate.send(operations::AddMessages { thread: thread.clone(), body: history(&["a".to_owned()]) })
        .await
        .expect("added");
    gate.acting_as(Principal::user("ada"))
        .send(operations::CloseThread { thread: thread.clone() })
        .await
        .expect("closed");
    let refused = gate
        .send(operations::AddMessages {
            thread: thread.clone(),
            body: history(&["a".to_owned(), "b".to_owned()]),
        })
        .await;
    assert_eq!(refused.expect_err("closed").code.as_str(), "thread_closed");
    let known = gate
        .send(operations::AddMessages { thread: thread.clone(), body: history(&["a".to_owned()]) })
        .await
        .expect("stored before");
    assert!(!known.messages[0].stored);
    gate.shut_down().await;
}

/// A call of `bash`, proposed by the agent.
async fn propose(gate: &EmbeddedGate, thread: &ThreadId, id: &str) -> api::Call {
    let proposal = api::ProposeRequest::new(id, "bash", "{}").expect("valid");
    gate.propose(thread, &proposal).await.expect("proposed")
}

fn conversation(messages: &serde_json::Value) -> api::MessagesRequest {
    let request = serde_json::json!({"format": "openai", "messages": messages});
    serde_json::from_value(request).expect("a request")
}

/// The complaint: the answer is sent to another process than the one that asked, and is lost there.
async fn decision_in_a_message_reaches_another_process(world: &mut World) {
    let thread = ThreadId::new("t").expect("valid");
    let (agent, person) = (gate(world).await, gate(world).await);
    let call = propose(&agent, &thread, "call_1").await;
    let ada = person.acting_as(Principal::user("ada"));
    let words = conversation(&serde_json::json!([{"role": "user", "content": "approve_once bash"}]));
    let (waited, report) = futures_util::join!(
        agent.wait(&thread, &call.id, None),
        ada.send(operations::AddMessages { thread: thread.clone(), body: words })
    );
    assert_eq!(report.expect("added").decisions[0].outcome, api::MessageDecisionOutcome::Decided);
    assert!(waited.expect("decided").may_run());
    let view = agent.conversation_view(&thread, api::ConversationReader::Client, None).await.expect("reads");
    assert_eq!((view.length, view.messages.len()), (1, 1), "nothing is pending");
    agent.shut_down().await;
    person.shut_down().await;
}

/// Three processes of a deployment get the same conversation, because its client repeats the request.
async fn repeated_history_decides_once(world: &mut World) {
    let thread = ThreadId::new("t").expect("valid");
    let gates = [gate(world).await, gate(world).await, gate(world).await];
    let call = propose(&gates[0], &thread, "call_1").await;
    let denial = serde_json::json!({"role": "tool", "tool_call_id": "approval_call_1", "content": "deny"});
    let history = conversation(&serde_json::json!([{"role": "user", "content": "Go on."}, denial]));
    let people = gates.each_ref().map(|gate| gate.acting_as(Principal::user("ada")));
    let reports = join_all(
        people
            .iter()
            .map(|ada| ada.send(operations::AddMessages { thread: thread.clone(), body: history.clone() })),
    )
    .await;
    let refused = |made: &api::MessageDecision| made.outcome == api::MessageDecisionOutcome::Refused;
    let decisions: Vec<_> = reports.into_iter().flat_map(|report| report.expect("added").decisions).collect();
    assert!(!decisions.is_empty() && !decisions.iter().any(refused), "{decisions:?}");
    assert_eq!(gates[2].call(&thread, &call.id).await.expect("reads").state.as_str(), "denied");
    assert_eq!(world.verify().await.events, 7, "policy, call, request, two messages, response, result");
    for gate in gates {
        gate.shut_down().await;
    }
}

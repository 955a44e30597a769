//! Every endpoint by every role, in its own thread and in a foreign one. The endpoints come from the OpenAPI document.

use super::start;
use crate::own_server::OwnServer;
use countersign_events::{Json, Principal, Role, ThreadId, TokenKind, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use countersign_tests::{HttpAnswer, in_time};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What an endpoint needs. A new endpoint without a row fails the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    AnyCaller,
    Read,
    ReadOfAllThreads,
    ReadPolicy,
    ReadPolicyOfAllThreads,
    Execute,
    Converse,
    Decide,
    DecideInAllThreads,
    Close,
    ManageKeys,
    Administer,
}

const ENDPOINTS: &[(Needs, &[&str])] = &[
    (
        Needs::Nothing,
        &[
            "getWelcome",
            "getHealth",
            "getDocument",
            "getReadiness",
            "signIn",
            "beginPasskeySignIn",
            "signInWithPasskey",
        ],
    ),
    (Needs::AnyCaller, &["getCaller", "signOut"]),
    (
        Needs::Read,
        &[
            "listPending",
            "listPendingOfThread",
            "listEvents",
            "listEventsOfThread",
            "listThreads",
            "getThread",
            "listGrants",
            "getMode",
            "getPolicies",
            "listMessages",
            "listCalls",
            "listCallsOfThread",
            "getCall",
            "laceListPending",
            "laceListPendingOfSession",
            "laceFollowSession",
            "laceFollow",
            "opeyFollow",
            "worldListMessages",
        ],
    ),
    (Needs::ReadOfAllThreads, &["getMetrics", "getStats", "getStatus"]),
    (
        Needs::ReadPolicy,
        &[
            "getPolicy",
            "listPolicies",
            "listPolicyRules",
            "checkPolicy",
            "listApproverKeys",
            "listDelegations",
            "listTools",
            "getTool",
            "listAdvisors",
        ],
    ),
    (Needs::ReadPolicyOfAllThreads, &["replayPolicy", "suggestRules", "reviewDay"]),
    (
        Needs::Execute,
        &["propose", "cancel", "claim", "renewClaim", "heartbeat", "finish", "defineTools", "worldCheckTool"],
    ),
    (Needs::Converse, &["addMessages", "worldAddMessages", "worldAddResult"]),
    (
        Needs::Decide,
        &[
            "decide",
            "decidePending",
            "decideAll",
            "stopThread",
            "revokeGrant",
            "prolongGrant",
            "release",
            "takeBack",
            "flag",
            "previewEdit",
            "previewScope",
            "laceDecide",
            "laceDecideInSession",
            "opeyDecide",
            "opeyChat",
            "setPushDevice",
            "linkChatAccount",
            "setDelegation",
        ],
    ),
    (Needs::DecideInAllThreads, &["stop", "acceptDefinition"]),
    (Needs::Close, &["closeThread"]),
    (
        Needs::ManageKeys,
        &[
            "addApproverKey",
            "removeApproverKey",
            "listPushDevices",
            "removePushDevice",
            "listChatAccounts",
            "unlinkChatAccount",
            "endDelegation",
        ],
    ),
    (
        Needs::Administer,
        &[
            "applyPolicy",
            "addManagedRule",
            "removeManagedRule",
            "setMode",
            "setPolicies",
            "listTokens",
            "createToken",
            "revokeToken",
            "erase",
            "listWebhooks",
            "addWebhook",
            "removeWebhook",
            "testWebhook",
            "retryWebhook",
            "rotateWebhook",
            "endOldSecret",
            "reportAdvisor",
            "setAdvisorMode",
        ],
    ),
    // An agent has no sessions, so only people sign out of them.
    (Needs::AnyCaller, &["signOutEverywhere"]),
];

/// A matrix caller: a role, and whether its token is limited to the thread `own`.
#[derive(Debug, Clone, Copy)]
struct MatrixCaller {
    role: Option<Role>,
    limited: bool,
}

impl Needs {
    /// Whether an agent that uses the endpoint, with the token of another, decides or loosens.
    fn guards_agents(self) -> bool {
        match self {
            // Messages may decide.
            Self::Converse
            | Self::Decide
            | Self::DecideInAllThreads
            | Self::ManageKeys
            | Self::Administer => true,
            Self::Nothing
            | Self::AnyCaller
            | Self::Read
            | Self::ReadOfAllThreads
            | Self::ReadPolicy
            | Self::ReadPolicyOfAllThreads
            | Self::Execute
            | Self::Close => false,
        }
    }
}

impl MatrixCaller {
    fn has(self, needs: Needs) -> bool {
        let Some(role) = self.role else { return needs == Needs::Nothing };
        let is = |roles: &[Role]| roles.contains(&role);
        match needs {
            Needs::Nothing | Needs::AnyCaller | Needs::Read => true,
            Needs::ReadOfAllThreads => !self.limited,
            Needs::ReadPolicy => !is(&[Role::Agent]),
            Needs::ReadPolicyOfAllThreads => !is(&[Role::Agent]) && !self.limited,
            Needs::Execute => is(&[Role::Agent]),
            Needs::Converse => is(&[Role::Agent, Role::Approver]),
            Needs::Decide => is(&[Role::Approver]),
            Needs::DecideInAllThreads => is(&[Role::Approver]) && !self.limited,
            Needs::Close => is(&[Role::Agent, Role::Approver, Role::Admin]),
            Needs::ManageKeys => is(&[Role::Approver, Role::Admin]),
            Needs::Administer => is(&[Role::Admin]),
        }
    }
}

/// The document's operations: method, path and operation id.
fn operations(document: &str) -> Vec<(Method, String, String)> {
    let document: Value = serde_json::from_str(document).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &Value)| {
        let methods = item.as_object().expect("operations").clone();
        let path = path.clone();
        methods.into_iter().map(move |(method, operation)| {
            let method = method.to_uppercase().parse().expect("a method");
            (method, path.clone(), operation["operationId"].as_str().expect("an id").to_owned())
        })
    };
    paths.iter().flat_map(of_path).collect()
}

fn needs_of(operation: &str) -> Needs {
    let found = ENDPOINTS.iter().find(|(_, operations)| operations.contains(&operation));
    found.unwrap_or_else(|| panic!("the endpoint {operation} has no row in the matrix")).0
}

/// What the access check answered: the code if it refused the request.
async fn access(server: &OwnServer, caller: MatrixCaller, method: &Method, path: &str) -> Option<String> {
    let globs: &[&str] = if caller.limited { &["own"] } else { &[] };
    let answer = match caller.role {
        None => {
            let request = server.request(method.clone(), path).header("content-type", "application/json");
            let request = request.header("accept", "application/json");
            HttpAnswer::to(if *method == Method::GET { request } else { request.body("{}") }).await
        }
        Some(role) => {
            let token = server.creates_token("caller", role, globs, TokenKind::Token).await;
            let request = server.request_with(&token, method, path, "{}");
            HttpAnswer::to(request.header("accept", "application/json")).await
        }
    };
    assert!(answer.status < 500, "{caller:?} {method} {path}: {answer}");
    let is_hidden = answer.status == 404 && answer.body.contains("or you do not see it");
    (answer.status == 401 || answer.status == 403 || is_hidden).then(|| answer.text("code"))
}

/// The document says who may call each operation, as the checks of the matrix expect.
#[test]
fn document_says_who_may_call_each_operation() {
    let document = countersign_server::document(Some(countersign_compat::routes));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    for (method, path, id) in operations(&document.to_string()) {
        let needs = needs_of(&id);
        let has = |role: &Role, limited| MatrixCaller { role: Some(*role), limited }.has(needs);
        // An agent has no sessions.
        let is_left_out = |role: &Role| id == "signOutEverywhere" && *role == Role::Agent;
        let roles: Vec<_> = Role::ALL.iter().filter(|role| has(role, false) && !is_left_out(role)).collect();
        let all_threads = roles.iter().all(|role| !has(role, true));
        let expected = json!({ "roles": roles, "allThreads": all_threads });
        let access = &document["paths"][&path][method.as_str().to_lowercase()]["x-access"];
        let expected = if needs == Needs::Nothing { Value::Null } else { expected };
        assert_eq!(*access, expected, "{id}");
    }
}

#[tokio::test]
async fn every_endpoint_obeys_every_role_and_thread() {
    in_time(Box::pin(async {
        let server = start().await;
        let document = HttpAnswer::to(server.request(Method::GET, "/openapi.json")).await.body;
        let roles = Role::ALL.iter().map(|role| Some(*role)).chain([None]);
        let callers: Vec<_> = roles
            .flat_map(|role| [false, true].map(|limited| MatrixCaller { role, limited }))
            // An admin administers all threads, and no one is limited without a token.
            .filter(|caller| !caller.limited || !matches!(caller.role, None | Some(Role::Admin)))
            .collect();
        let mut checked = BTreeMap::new();
        for (method, template, operation) in operations(&document) {
            let needs = needs_of(&operation);
            for thread in ["own", "foreign"] {
                let path = template
                    .replace("{thread}", thread)
                    .replace("{id}", "c")
                    .replace("{seq}", "1")
                    .replace("{name}", "w");
                for caller in &callers {
                    let refused = access(&server, *caller, &method, &path).await;
                    let expected = match (caller.has(needs), caller.role) {
                        (false, None) => Some("unauthenticated"),
                        (false, Some(_)) => Some("not_permitted"),
                        (true, _)
                            if caller.limited && thread == "foreign" && template.contains("{thread}") =>
                        {
                            Some("unknown_thread")
                        }
                        // An agent has no sessions.
                        (true, Some(Role::Agent)) if operation == "signOutEverywhere" => {
                            Some("not_permitted")
                        }
                        (true, _) => None,
                    };
                    let expected = expected.map(str::to_owned);
                    assert_eq!(refused, expected, "{caller:?} in {thread}: {operation} ({method} {path})");
                    *checked.entry(needs as u8).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(checked.len(), 13, "each kind of need was checked: {checked:?}");
        server.end().await;
    }))
    .await;
}

/// The verdict on a call under a new log's policy.
fn shipped_verdict(tool: &str, arguments: &Value) -> Verdict {
    let call = JudgedCall {
        thread: &ThreadId::new("t").expect("a name"),
        principal: &Principal::agent("bot"),
        tool: &ToolName::new(tool).expect("a name"),
        arguments: &Json::encode(arguments).expect("JSON"),
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
        place: None,
    };
    Policy::shipped().judge(&call, &|| false).verdict
}

#[tokio::test]
async fn policy_of_new_log_blocks_routes_that_decide() {
    in_time(async {
        let server = start().await;
        let document = HttpAnswer::to(server.request(Method::GET, "/openapi.json")).await.body;
        let operations = operations(&document);
        for (method, template, operation) in &operations {
            let path = ["{thread}", "{id}", "{seq}", "{name}", "{tool}"]
                .iter()
                .fold(template.clone(), |path, part| path.replace(part, "7"));
            let url = format!("http://127.0.0.1:7878{path}");
            let command = format!("curl -X {method} {url} -d @body");
            let calls = [("bash", json!({ "command": command })), ("web-fetch", json!({ "url": url }))];
            // The patterns know no methods, so a path is blocked if one of its methods decides.
            let guards = operations.iter().filter(|(_, path, _)| path == template);
            let is_guarded = guards.into_iter().any(|(.., id)| needs_of(id).guards_agents());
            // Paths that only read, below paths that decide.
            let may_be_blocked = path.starts_with("/v1/policy")
                || path.contains("sessions")
                || path.ends_with("/approvals/pending");
            for (tool, arguments) in calls {
                let verdict = shipped_verdict(tool, &arguments);
                if is_guarded {
                    assert_eq!(verdict, Verdict::Block, "{operation}: {arguments}");
                } else if !may_be_blocked {
                    assert_eq!(verdict, Verdict::Ask, "{operation}: {arguments}");
                }
            }
        }
        server.end().await;
    })
    .await;
}

/// The thread of a chat stands in the body, where no path is checked.
#[tokio::test]
async fn chat_in_a_hidden_thread_is_refused() {
    in_time(async {
        let server = start().await;
        let token = server.creates_token("ada", Role::Approver, &["own"], TokenKind::Token).await;
        let say = |thread: &str| format!(r#"{{"message":"hello","thread_id":"{thread}"}}"#);
        let foreign = server.asks(&token, Method::POST, "/stream", &say("foreign")).await;
        assert_eq!((foreign.status, foreign.text("code").as_str()), (404, "unknown_thread"));
        let request = server.request_with(&token, &Method::POST, "/stream", &say("own"));
        assert_eq!(request.send().await.expect("an answer").status(), 200);
        server.end().await;
    })
    .await;
}

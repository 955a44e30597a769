//! `docs/queries.md`: each query answers its question on both databases, over a log in which each question has an answer.

use countersign_api::{self as api, ApprovalGate, SendOperation, operations};
use countersign_events::{Decision, Json, Mode, Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_tests::{World, on_each_database};
use std::{fs, path::Path, sync::Arc, time::Duration};

on_each_database! { queries_of_the_page_answer }

const POLICY: &str = r#"
default = "ask"

[[rule]]
name = "listing is free"
tool = "list"
verdict = "allow"

[[rule]]
name = "no drops"
tool = "drop"
verdict = "block"

[[rule]]
name = "two for transfers"
tool = "transfer"
verdict = "ask"
quorum = 2

[[rule]]
name = "tickets expire"
tool = "ticket"
verdict = "ask"
expires = "15m"
"#;

/// The page's headings, each with the cells that every row must have in this order, one entry per row.
const ANSWERS: &[(&str, &[&str])] = &[
    (
        "Who allowed this call, and what ran?",
        &["|user:ada allow_once, user:ben allow_once|||5000|agent:runner|worker-2|success|"],
    ),
    ("Who was asked about this call?", &["|TOOL_APPROVAL_REQUEST|two for transfers|the rule says so||2||"]),
    (
        "What happened in this thread?",
        &[
            "|agent:bot|TOOL_CALL|docs_1|bash",
            "|agent:bot|TOOL_APPROVAL_REQUEST|docs_1|no rule matches this call",
            "|user:ada|TOOL_APPROVAL_RESPONSE|docs_1|allow_session",
            "|user:ben|GRANT_REVOKED||",
            "|agent:bot|TOOL_CALL|docs_2|mail",
            "|agent:bot|TOOL_APPROVAL_REQUEST|docs_2|no rule matches this call",
            "|user:ada|TOOL_APPROVAL_RESPONSE|docs_2|deny",
            "|user:ada|TOOL_RESULT|docs_2|denied",
        ],
    ),
    (
        "What did ada decide last month?",
        &[
            "|decision|allow_session|release|build_1|bash|tool|",
            "|vote|allow_once|release|transfer_1|transfer|",
            "|decision|allow_once|release|mail_1|mail|",
            "|decision|allow_once|release|deploy_2|deploy|",
            "|decision|allow_once|release|fetch_1|fetch|",
            "|decision|allow_session|docs|docs_1|bash|tool|",
        ],
    ),
    (
        "Which calls were allowed without a person?",
        &[
            "|release|list_1|list|policy|policy:listing is free|listing is free",
            "|night|night_1|bash|mode|",
            "|night|night_2|bash|mode|",
        ],
    ),
    ("In which calls did an approver change the arguments?", &["|user:ada|release|mail_1|all|team"]),
    (
        "Which calls ran other arguments than were approved?",
        &["|release|build_2|bash|make test|make all|agent:bot|"],
    ),
    (
        "Which decisions took longest?",
        &[
            "|docs|docs_2|",
            "360|release|mail_1|",
            "120|release|transfer_1|",
            "60|release|build_1|",
            "60|release|deploy_1|",
            "60|release|deploy_2|",
            "60|release|fetch_1|",
            "60|docs|docs_1|",
        ],
    ),
    (
        "What was denied, and what did the agent do next?",
        &[
            "|release|deploy_1|user:ben|not today|deploy_2|deploy|staging|allow_once",
            "|docs|docs_2|user:ada||",
        ],
    ),
    ("Which outcomes are unknown?", &["release|deploy_2|deploy|worker-1|2026-01-31T|2026-01-31T|"]),
    (
        "Which grants are active, and which calls did they answer?",
        &["|release|bash|tool|allow|agent:bot|user:ada|2026-01-31T|Z|1"],
    ),
    ("Which grants have ended, and why?", &["|docs|bash|tool|user:ada|2026|2026|user:ben|revoked"]),
    ("Who changed the policy, and when?", &["1|2026|system:countersign|", "|user:ada|night.toml|"]),
    (
        "What did the policy say when this call was judged?",
        &["1|2026|system:countersign|block|no drops||", "default = \"ask\"", MORE_LINES],
    ),
    ("Who changed the settings of a thread?", &["|user:ben|night|THREAD_MODE_SET|approve_all|"]),
    (
        "Which calls did another program start than the one that proposed them?",
        &["|release|transfer_1|transfer|agent:bot|agent:runner|worker-2"],
    ),
    ("Which requests expired?", &["|release|ticket_1|ticket|tickets expire|deny"]),
    ("What did the policy block?", &["|release|drop_1|drop|users|agent:bot|no drops|"]),
    (
        "Which requests are open now?",
        &["|release|transfer_2|transfer|agent:bot|two for transfers||2|user:ben allow_once|"],
    ),
    (
        "Who voted on the calls that needed several people?",
        &[
            "release|transfer_1|transfer|user:ada allow_once, user:ben allow_once|allow_once|",
            "release|transfer_2|transfer|user:ben allow_once||",
        ],
    ),
    (
        "How often did each rule ask, and what was the answer?",
        &[
            "no rule|bash|5|5|0|0",
            "no rule|deploy|2|1|1|0",
            "no rule|mail|2|1|1|0",
            "two for transfers|transfer|2|1|0|1",
            "no rule|fetch|1|1|0|0",
            "tickets expire|ticket|1|0|1|0",
        ],
    ),
    ("How many decisions did each person make, and how fast?", &["user:ada|6|1|", "user:ben|2|1|60"]),
    (
        "Which decisions came without a proof?",
        &[
            "|user:ada|decision|allow_session|release|build_1|bash",
            "|user:ada|vote|allow_once|release|transfer_1|transfer",
            "|user:ben|vote|allow_once|release|transfer_1|transfer",
            "|user:ben|decision|allow_once|release|transfer_1|transfer",
            "|user:ada|decision|allow_once|release|mail_1|mail",
            "|user:ben|decision|deny|release|deploy_1|deploy",
            "|user:ada|decision|allow_once|release|deploy_2|deploy",
            "|user:ada|decision|allow_once|release|fetch_1|fetch",
            "|user:ben|vote|allow_once|release|transfer_2|transfer",
            "|user:ada|decision|allow_session|docs|docs_1|bash",
            "|user:ada|decision|deny|docs|docs_2|mail",
        ],
    ),
    (
        "Which calls ran a given text?",
        &["|release|build_1|bash|make|user:ada|success", "|release|build_2|bash|make test|user:ada|success"],
    ),
    ("Which calls failed, and how long did they run?", &["|release|fetch_1|fetch|worker-1|30|"]),
    ("Which calls were erased?", &["|user:zoe|release|fetch_1|fetch|request 17"]),
    ("Which decisions were made with SQL?", &["|user:ada|docs|docs_2|deny"]),
    ("Who has tokens?", &["|user:zoe|token|runner|agent|[\"ci/*\"]|||0"]),
    ("Is an event missing?", &["64|64|"]),
    ("Who touched a file since May?", &["|night|night_2|bash|agent:bot|read|.env|"]),
    ("What was touched most?", &["file|.env|1|1"]),
];

/// Stands for further lines, after the last one that is compared.
const MORE_LINES: &str = "…";

/// The story's people, agents and clock.
struct AuditStory<'a> {
    world: &'a World,
    gate: EmbeddedGate,
}

impl AuditStory<'_> {
    fn acting_as(&self, by: Principal) -> Arc<dyn ApprovalGate> {
        Arc::new(self.gate.acting_as(by))
    }

    fn passes(&self, seconds: u64) {
        self.world.clock().advance(Duration::from_secs(seconds));
    }

    async fn proposes(&self, thread: &str, id: &str, tool: &str, arguments: &str) -> api::Call {
        let request = api::ProposeRequest::new(id, tool, arguments).expect("valid");
        self.acting_as(Principal::agent("bot")).propose(&thread_id(thread), &request).await.expect("proposed")
    }

    /// Decides a minute after the last event.
    async fn decides(&self, who: &str, thread: &str, id: &str, request: api::DecisionRequest) -> api::Call {
        self.passes(60);
        let id = api::parse_call_id(id).expect("valid");
        self.acting_as(Principal::user(who)).decide(&thread_id(thread), &id, &request).await.expect("decided")
    }

    async fn allows(&self, who: &str, id: &str) -> api::Call {
        self.decides(who, "release", id, api::DecisionRequest::plain(Decision::AllowOnce)).await
    }

    async fn claims(&self, agent: &str, executor: &str, call: &api::Call) {
        let claim =
            api::ClaimRequest { lease_seconds: Some(60), ..api::ClaimRequest::for_call(call, executor) };
        let agent = self.acting_as(Principal::agent(agent));
        agent.claim(&thread_id("release"), &call.id, &claim).await.expect("claimed");
    }

    async fn runs(&self, agent: &str, executor: &str, call: &api::Call, result: api::ResultRequest) {
        self.claims(agent, executor, call).await;
        self.passes(30);
        let agent = self.acting_as(Principal::agent(agent));
        agent.finish(&thread_id("release"), &call.id, &result).await.expect("finished");
    }
}

fn thread_id(name: &str) -> ThreadId {
    ThreadId::new(name).expect("valid")
}

fn for_the_tool() -> api::DecisionRequest {
    api::DecisionRequest::for_session(Json::string("tool"))
}

async fn queries_of_the_page_answer(world: &mut World) {
    let first = Policy::read(POLICY).expect("a valid policy");
    let gate = EmbeddedGate::open_with(world.address(), world.options(), first).await.expect("opens");
    let story = AuditStory { world, gate };
    work_on_a_release(&story).await;
    work_on_documents(&story).await;
    change_settings(&story).await;
    make_tokens(&story).await;
    let (request, fetch) =
        (api::EraseRequest { reason: "request 17".to_owned() }, api::parse_call_id("fetch_1"));
    let zoe = story.acting_as(Principal::user("zoe"));
    zoe.send(operations::EraseCall {
        thread: thread_id("release"),
        id: fetch.expect("valid"),
        body: request,
    })
    .await
    .expect("erased");
    story.gate.shut_down().await;
    let denial = "INSERT INTO decisions VALUES ('docs', 'docs_2', 'deny', 'user:ada', NULL)";
    world.run_shell(denial).await.expect("the shell decides");
    let queries = printed_queries();
    let headings: Vec<_> = queries.iter().map(|(heading, _)| heading.as_str()).collect();
    let expected: Vec<_> = ANSWERS.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(headings, expected, "each query of the page has an expected answer");
    let mut different = Vec::new();
    for ((heading, sql), (_, rows)) in queries.iter().zip(ANSWERS) {
        let answer = world.run_shell(sql).await.unwrap_or_else(|why| panic!("{heading}: {why}"));
        different.extend(compare_rows(heading, &answer, rows).err());
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Most questions about single calls: a grant and its use, a quorum, an edit, a block, a denial, an expiry, a failure, and
/// an executor that is lost.
async fn work_on_a_release(story: &AuditStory<'_>) {
    let done = || api::ResultRequest::success("done");
    story.proposes("release", "build_1", "bash", r#"{"command":"make"}"#).await;
    let call = story.decides("ada", "release", "build_1", for_the_tool()).await;
    story.runs("bot", "worker-1", &call, done()).await;
    let call = story.proposes("release", "build_2", "bash", r#"{"command":"make test"}"#).await;
    let ran_arguments = Some(Json::parse(r#"{"command":"make all"}"#).expect("valid"));
    story.runs("bot", "worker-1", &call, api::ResultRequest { ran_arguments, ..done() }).await;
    story.proposes("release", "list_1", "list", "{}").await;
    story.proposes("release", "transfer_1", "transfer", r#"{"amount":5000}"#).await;
    story.allows("ada", "transfer_1").await;
    let call = story.allows("ben", "transfer_1").await;
    story.runs("runner", "worker-2", &call, done()).await;
    story.proposes("release", "mail_1", "mail", r#"{"to":"all"}"#).await;
    story.passes(300);
    let arguments = Some(Json::parse(r#"{"to":"team"}"#).expect("valid"));
    let edit = api::DecisionRequest { arguments, ..api::DecisionRequest::plain(Decision::AllowOnce) };
    story.decides("ada", "release", "mail_1", edit).await;
    story.proposes("release", "drop_1", "drop", r#"{"table":"users"}"#).await;
    story.proposes("release", "deploy_1", "deploy", r#"{"to":"production"}"#).await;
    let comment = Some("not today".to_owned());
    let denial = api::DecisionRequest { comment, ..api::DecisionRequest::plain(Decision::Deny) };
    story.decides("ben", "release", "deploy_1", denial).await;
    story.proposes("release", "deploy_2", "deploy", r#"{"to":"staging"}"#).await;
    let call = story.allows("ada", "deploy_2").await;
    story.claims("bot", "worker-1", &call).await;
    story.proposes("release", "fetch_1", "fetch", "{}").await;
    let call = story.allows("ada", "fetch_1").await;
    story.runs("bot", "worker-1", &call, api::ResultRequest::error("no route")).await;
    let call = story.proposes("release", "ticket_1", "ticket", "{}").await;
    story.passes(15 * 60);
    let waited = story.acting_as(Principal::agent("bot")).wait(&thread_id("release"), &call.id, None).await;
    assert!(!waited.expect("reads").is_pending(), "the request has expired");
    story.proposes("release", "transfer_2", "transfer", r#"{"amount":7}"#).await;
    story.allows("ben", "transfer_2").await;
}

/// A grant that is revoked, and a call that waits for a decision in the SQL shell.
async fn work_on_documents(story: &AuditStory<'_>) {
    story.proposes("docs", "docs_1", "bash", r#"{"command":"spell"}"#).await;
    let call = story.decides("ada", "docs", "docs_1", for_the_tool()).await;
    let grant = call.response.expect("decided").seq;
    let ben = story.acting_as(Principal::user("ben"));
    ben.send(operations::RevokeGrant { thread: thread_id("docs"), seq: grant }).await.expect("revoked");
    story.proposes("docs", "docs_2", "mail", r#"{"to":"press"}"#).await;
}

/// A token that is revoked, and one that is not.
async fn make_tokens(story: &AuditStory<'_>) {
    let zoe = story.acting_as(Principal::user("zoe"));
    let request = |name: &str| {
        let request = serde_json::json!({"name": name, "role": "agent", "threads": ["ci/*"]});
        serde_json::from_value(request).expect("a valid request")
    };
    zoe.send(operations::CreateToken { body: request("runner") }).await.expect("created");
    let lost = zoe.send(operations::CreateToken { body: request("lost") }).await.expect("created").token.id;
    let body = api::RevokeTokenRequest::default();
    zoe.send(operations::RevokeToken { id: lost, body }).await.expect("revoked");
}

/// A thread whose mode allows calls, and another policy.
async fn change_settings(story: &AuditStory<'_>) {
    let (ada, ben) = (story.acting_as(Principal::user("ada")), story.acting_as(Principal::user("ben")));
    let mode = api::ModeRequest { mode: Mode::ApproveAll, new_thread: true };
    ben.send(operations::SetMode { thread: thread_id("night"), body: mode }).await.expect("set");
    story.proposes("night", "night_1", "bash", r#"{"command":"sync"}"#).await;
    story.proposes("night", "night_2", "bash", r#"{"command":"cat .env"}"#).await;
    let replaces = ada.send(operations::ShowPolicy {}).await.expect("reads").hash;
    let (text, source) = ("default = \"ask\"\n".to_owned(), "night.toml".to_owned());
    let policy = api::PolicyRequest { text, layers: Vec::new(), source, replaces };
    ada.send(operations::ApplyPolicy { body: policy }).await.expect("applied");
}

/// The page's queries, each with its heading.
fn printed_queries() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/queries.md");
    let text = fs::read_to_string(path).expect("the page exists");
    let (text, _) = text.split_once("\n## The indexes\n").expect("the last section has no query");
    // The first section describes the views.
    let sections = text.split("\n## ").skip(2);
    let parts = sections.map(|section| {
        let (heading, rest) = section.split_once('\n').expect("a section has a text");
        let sql = rest.split_once("```sql\n").and_then(|(_, sql)| sql.split_once("```"));
        let (sql, rest) = sql.unwrap_or_else(|| panic!("{heading} has no query"));
        assert!(!rest.contains("```"), "{heading} has more than one query");
        (heading.to_owned(), sql.to_owned())
    });
    parts.collect()
}

/// Compares answer rows with the expected ones, each of which must contain its cells in this order.
fn compare_rows(heading: &str, answer: &str, rows: &[&str]) -> Result<(), String> {
    let contains = |line: &str, row: &str| {
        let cells = row.split('|').filter(|cell| !cell.is_empty());
        let after = |rest: &str, cell: &str| rest.split_once(cell).map(|(_, after)| after.to_owned());
        cells.into_iter().try_fold(line.to_owned(), |rest, cell| after(&rest, cell)).is_some()
    };
    let mut lines: Vec<_> = answer.lines().collect();
    let rows =
        rows.strip_suffix(&[MORE_LINES]).inspect(|compared| lines.truncate(compared.len())).unwrap_or(rows);
    let is_same = lines.len() == rows.len() && lines.iter().zip(rows).all(|(line, row)| contains(line, row));
    if is_same { Ok(()) } else { Err(format!("{heading}\n{answer}\nexpected:\n{}\n", rows.join("\n"))) }
}

//! Text that is made to control a terminal or to mislead its reader. It is planted in every field that accepts text, and
//! no command prints it raw.

use crate::desk::{TerminalDesk, with_desk};
use countersign_api::{self as api, ApprovalGate, CallGate, ErrorCode};
use countersign_events::{Decision, Principal, look::is_hidden_character};
use serde_json::json;

/// A colour, a bell, a line start, a reversed direction, a zero-width space, a one-byte control character, a
/// tag and a Cyrillic letter in a Latin word.
const HOSTILE: &str = "rm\u{1b}[31m\u{7}\rx\u{202e}txt\u{200b}\u{9b}2J\u{e0041}p\u{430}y";

const POLICY: &str =
    "[[rule]]\nname = \"asks\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\nreason = \"HOSTILE\"\n";

/// Plants the text in every field of a story: a pending call, a voted, a finished, a cancelled and a denied one.
async fn plant(desk: &TerminalDesk) {
    let escapes: Vec<_> = HOSTILE.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect();
    let in_toml = escapes.concat();
    desk.apply_policy(&POLICY.replace("HOSTILE", &in_toml)).await;
    let gate = desk.gate().await;
    let thread = api::parse_thread_id("t").expect("an id");
    for id in ["pending", "voted", "finished", "cancelled", "denied"] {
        let call = gate.propose(&thread, &hostile_call(id)).await.expect("asked");
        assert!(call.is_pending() && !call.hidden_characters.is_empty(), "{call:?}");
    }
    for (id, decision) in
        [("voted", Decision::AllowOnce), ("finished", Decision::AllowOnce), ("denied", Decision::Deny)]
    {
        let answer = json!({"decision": decision.as_str(), "comment": HOSTILE});
        let answer: api::DecisionRequest = serde_json::from_value(answer).expect("a decision");
        let people = if id == "finished" { ["ada", "bob"].as_slice() } else { &["ada"] };
        for person in people {
            let id = hostile_call(id).id;
            gate.acting_as(Principal::user(person)).decide(&thread, &id, &answer).await.expect("decided");
        }
    }
    let id = hostile_call("finished").id;
    let call = gate.call(&thread, &id).await.expect("it exists");
    let hostile = gate.claim(&thread, &id, &api::ClaimRequest::for_call(&call, "x\u{202e}y")).await;
    assert_eq!(hostile.expect_err("an executor has a plain name").code, ErrorCode::Invalid);
    gate.claim(&thread, &id, &api::ClaimRequest::for_call(&call, "worker")).await.expect("claimed");
    gate.finish(&thread, &id, &api::ResultRequest::success(HOSTILE)).await.expect("finished");
    let cancel = api::CancelRequest { reason: Some(HOSTILE.to_owned()) };
    gate.cancel(&thread, &hostile_call("cancelled").id, &cancel).await.expect("cancelled");
    gate.shut_down().await;
}

fn hostile_call(id: &str) -> api::ProposeRequest {
    let call = json!({
        "id": id,
        "name": "bash",
        "arguments": {"command": HOSTILE, HOSTILE: [HOSTILE], "id": id},
        "description": HOSTILE,
        "impact": {"message": HOSTILE, "affectedResources": [HOSTILE], "estimatedImpact": HOSTILE},
        "annotations": {"title": HOSTILE},
        "definition": {"description": HOSTILE},
    });
    serde_json::from_str(&call.to_string()).expect("a call")
}

/// Fails if the output has a hidden character besides line breaks.
fn assert_clean(what: &str, text: &str) {
    let raw = text.chars().find(|c| is_hidden_character(*c) && *c != '\n');
    assert_eq!(raw, None, "{what} prints U+{:04X} raw: {text:?}", raw.map_or(0, u32::from));
}

#[tokio::test]
async fn commands_never_print_hidden_characters() {
    with_desk(async |desk| {
        plant(desk).await;
        let decides = ["allow pending --as user:ada --yes", "allow voted --as user:bob --yes"];
        for line in [
            "pending",
            "show pending",
            "show voted",
            "show finished",
            "show cancelled",
            "show denied",
            "calls",
            "log",
            "thread list",
            "thread show t",
            "grant list t",
            "stats",
            "policy show",
            "policy history",
            "verify",
            "doctor",
            "deny denied --as user:ada",
            "deny pending --as user:ada --comment no",
        ]
        .into_iter()
        .chain(decides)
        {
            let screen = desk.types(line).await;
            assert_clean(line, &screen.stdout);
            assert_clean(line, &screen.stderr);
        }
        let shown = desk.types("show finished").await.stdout;
        assert!(shown.contains("\\u{202e}txt\\u{200b}"), "{shown}");
        assert!(shown.contains("hidden characters, which are shown as \\u{…}, in /arguments/"), "{shown}");
        assert!(shown.contains("letters of several alphabets in one word, in /arguments/"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn errors_never_print_hidden_characters() {
    with_desk(async |desk| {
        plant(desk).await;
        let quoted = format!("'{}'", HOSTILE.replace('\u{7}', ""));
        for line in
            ["show", "allow", "thread show", "thread close", "log --thread", "log --tool", "pending --as"]
        {
            let line = format!("{line} {quoted}");
            let screen = desk.types(&line).await;
            assert_ne!(screen.code, 0, "{line:?}");
            assert_clean(&line, &screen.stderr);
            assert_clean(&line, &screen.stdout);
        }
    })
    .await;
}

#[tokio::test]
async fn watch_in_lines_never_prints_hidden_characters() {
    with_desk(async |desk| {
        plant(desk).await;
        // It ends at the end of its input.
        let screen = desk.types("watch --plain --as user:ada").await;
        assert!(screen.stdout.contains("\\u{202e}txt"), "{screen}");
        assert_clean("watch", &screen.stdout);
        assert_clean("watch", &screen.stderr);
    })
    .await;
}

/// The ids and names of a call are typed and compared by people, so they cannot contain such characters at all.
#[tokio::test]
async fn names_with_hidden_characters_are_refused() {
    let refused = |name: Result<(), ErrorCode>| name.expect_err("refused");
    for text in [HOSTILE, "b\u{430}sh", "a\u{200b}b", "a\u{202e}b", "a\u{1b}b"] {
        let code = |error: api::GateError| error.code;
        assert_eq!(refused(api::parse_thread_id(text).map(drop).map_err(code)), ErrorCode::Invalid);
        let call = |id: &str, tool: &str| api::ProposeRequest::new(id, tool, "{}").map(drop).map_err(code);
        assert_eq!(refused(call(text, "bash")), ErrorCode::Invalid);
        assert_eq!(refused(call("call_1", text)), ErrorCode::Invalid);
    }
}

//! Decisions that are proved with SSH keys, which `ssh-keygen` makes and uses.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use countersign_events::{EventType, Json};
use insta::assert_snapshot;

const POLICY: &str = r#"
[[rule]]
name = "signed deploys"
tool = "deploy"
verdict = "ask"
proof = "ssh"
[[rule]]
name = "two sign"
tool = "drop"
verdict = "ask"
proof = "any"
quorum = 2
"#;

impl TerminalDesk {
    /// Creates a key with `ssh-keygen`, and adds it for this person.
    pub(crate) async fn has_key(&self, name: &str, kind: &str, options: &[&str]) {
        let path = self.path(name).display().to_string();
        let args = ["-q", "-t", kind, "-N", "", "-C", name, "-f", &path];
        self.run_program("ssh-keygen", &[&args, options].concat()).await;
        let added = self.types(&format!("approver-key add {name}.pub --as user:{name}")).await;
        assert_eq!(added.code, 0, "{added}");
    }
}

#[tokio::test]
async fn approval_is_proved_with_each_ssh_key() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        for (name, kind, options) in
            [("ada", "ed25519", &[][..]), ("bob", "ecdsa", &["-b", "256"]), ("cyd", "rsa", &["-b", "2048"])]
        {
            desk.has_key(name, kind, options).await;
            desk.propose("t1", name, "deploy", r#"{"to":"production"}"#).await;
            let line = format!("allow {name} --as user:{name} --comment 'as agreed' --sign-with {name}");
            let allowed = desk.types(&line).await;
            assert_eq!(allowed.code, 0, "{allowed}");
        }
        let verified = desk.types("verify").await;
        assert_eq!(verified.code, 0, "{verified}");
        assert!(verified.stdout.contains("3 proved approvals of people checked"), "{verified}");
    })
    .await;
}

#[tokio::test]
async fn approval_without_proof_names_the_remedy() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        desk.propose("t1", "call_1", "deploy", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
        ! countersign: this needs a proof of an SSH key: sign `statement` with a key of yours, for example with `countersign allow --sign-with KEYFILE`
        exit 3
        ");
        assert!(desk.types("show call_1").await.stdout.contains("an approval needs an SSH key"));
        desk.has_key("ada", "ed25519", &[]).await;
        desk.run_program("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", "other"]).await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --sign-with other").await, @"
        ! Signing data on standard input
        ! countersign: the proof is not accepted: user:ada has no key with this id; add it first
        exit 3
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --sign-with missing").await, @"
        ! Couldn't load public key missing: No such file or directory
        ! countersign: ssh-keygen did not sign with missing: its message is above
        exit 1
        ");
        assert_eq!(desk.types("deny call_1 --as user:ada").await.code, 0, "a denial needs no proof");
    })
    .await;
}

#[tokio::test]
async fn proof_is_listed_logged_and_shown() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        desk.has_key("ada", "ed25519", &[]).await;
        desk.has_key("bob", "ed25519", &[]).await;
        desk.propose("t1", "call_1", "drop", "{}").await;
        for name in ["ada", "bob"] {
            let voted = desk.types(&format!("allow call_1 --as user:{name} --sign-with {name}")).await;
            assert_eq!(voted.code, 0, "{voted}");
        }
        let log = desk.types("log").await.stdout;
        assert!(
            log.contains("adds the SSH key")
                && log.contains("votes on call_1: allow_once, signed with the SSH key"),
            "{log}"
        );
        assert!(desk.types("show call_1").await.stdout.contains("signed with the SSH key"));
        let listed = desk.types("approver-key list").await.stdout;
        assert!(listed.contains("user:ada") && listed.contains("user:bob"), "{listed}");
    })
    .await;
}

/// The statement is documented, so OpenSSH alone can check a proof.
#[tokio::test]
async fn openssh_checks_the_proof_in_the_log() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        desk.has_key("ada", "ed25519", &[]).await;
        desk.propose("t1", "call_1", "deploy", r#"{"to":"production"}"#).await;
        // A screen hides hashes, so the program runs directly.
        let line =
            ["allow", "call_1", "--as", "user:ada", "--comment", "fine", "--sign-with", "ada", "--json"];
        let allowed = desk.run_program(COUNTERSIGN, &line).await;
        let allowed: serde_json::Value = serde_json::from_str(&allowed).expect("JSON");
        let keys = desk.run_program(COUNTERSIGN, &["approver-key", "list", "--json"]).await;
        let keys: serde_json::Value = serde_json::from_str(&keys).expect("JSON");
        let text = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
        let statement = format!(
            "Countersign decision 1\nlog: {}\nthread: t1\ncall: call_1\ntool: deploy\narguments: sha256:{}\n\
             approver: user:ada\ndecision: allow_once\nscope: none\nagents: proposer\ncomment: sha256:{}\n",
            text(&keys["log"]),
            text(&allowed["argumentsHash"]),
            countersign_events::Sha256::digest(b"\"fine\""),
        );
        desk.write_file("statement", &statement);
        desk.write_file("proof.sig", &text(&allowed["response"]["proof"]["signature"]));
        let pins = desk.types("approver-key list --pins").await.stdout;
        desk.write_file("pins", &pins);
        let check = "ssh-keygen -Y verify -f pins -I user:ada -n countersign -s proof.sig < statement";
        let checked = desk.run_program("sh", &["-c", check]).await;
        assert!(checked.starts_with("Good \"countersign\" signature for user:ada"), "{checked}");
        assert_eq!(desk.types("verify --approver-keys pins").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn pinned_keys_find_a_decision_in_another_name() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        desk.has_key("ada", "ed25519", &[]).await;
        desk.write_file("pins", &desk.types("approver-key list --pins").await.stdout);
        // A user who can write the file is its administrator, and adds a key in the name of another person.
        desk.run_program("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", "mallory"]).await;
        let added = desk.types("approver-key add mallory.pub --for user:ada --as user:mallory").await;
        assert_eq!(added.code, 0, "{added}");
        desk.propose("t1", "call_1", "deploy", "{}").await;
        let forged = desk.types("allow call_1 --as user:ada --sign-with mallory").await;
        assert_eq!(forged.code, 0, "{forged}");
        assert_eq!(desk.types("verify").await.code, 0, "the log itself is consistent");
        let found = desk.types("verify --approver-keys pins").await;
        assert_eq!(found.code, 1, "{found}");
        assert!(found.stdout.contains("which is not one of the pinned keys of user:ada"), "{found}");
        assert_snapshot!(desk.types("verify --approver-keys mallory").await, @"
        ! countersign: --approver-keys mallory: line 1: this is a private key: keep it secret, and send the line of the .pub file
        exit 2
        ");
    })
    .await;
}

/// A program that writes to the file gives its row a valid link, and only the signature tells.
#[tokio::test]
async fn verify_names_proof_copied_to_another_call() {
    with_desk(async |desk| {
        desk.apply_policy(POLICY).await;
        desk.has_key("ada", "ed25519", &[]).await;
        desk.propose("t1", "call_1", "deploy", "{}").await;
        let first = desk.types("allow call_1 --as user:ada --sign-with ada --json").await.stdout;
        let first: serde_json::Value = serde_json::from_str(&first).expect("JSON");
        let proof = serde_json::to_string(&first["response"]["proof"]).expect("JSON");
        desk.propose("t1", "call_2", "deploy", "{}").await;
        let copied = desk.appends_response("call_2", &proof).await;
        assert_eq!(desk.types("verify").await.code, 1);
        let found = desk.types("verify").await.stdout;
        assert!(found.contains(&format!("event {copied}: the proof is not accepted")), "{found}");
    })
    .await;
}

impl TerminalDesk {
    /// Appends an approval by `user:ada` with a valid link to the file, as a program that knows the chain would.
    async fn appends_response(&self, id: &str, proof: &str) -> i64 {
        let gate = self.gate().await;
        let page = countersign_api::PageQuery { after: 0, limit: 100 };
        let events =
            countersign_api::ApprovalGate::events(&gate, &countersign_api::LogFilter::default(), page)
                .await
                .expect("readable")
                .events;
        let request = events.iter().rfind(|event| event.kind == EventType::ApprovalRequest).expect("asked");
        let policy: serde_json::Value = request.data.read().expect("JSON");
        let call = events.iter().rfind(|event| event.kind == EventType::ToolCall).expect("proposed");
        let call: serde_json::Value = call.data.read().expect("JSON");
        countersign_api::ApprovalGate::shut_down(&gate).await;
        let last = events.last().expect("events");
        let data = format!(
            r#"{{"toolCallId":"{id}","decision":"allow_once","source":"approver","rule":{},"argumentsHash":{},"proof":{proof},"policy":{}}}"#,
            policy["rule"], call["argumentsHash"], policy["policy"],
        );
        let mut event = countersign_events::Event {
            seq: last.seq + 1,
            kind: EventType::ApprovalResponse,
            principal: countersign_events::Principal::user("ada"),
            data: Json::parse(&data).expect("JSON"),
            hash: None,
            ..(**last).clone()
        };
        let link = countersign_events::chain::link(last.hash.expect("sealed"), &event);
        event.hash = Some(link);
        let quoted = data.replace('\'', "''");
        let sql = format!(
            "INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash) VALUES \
             ({}, '{}', '{}', '{}', '{}', '{quoted}', '{link}')",
            event.seq, event.thread_id, event.kind, event.timestamp, event.principal,
        );
        self.run_program("sqlite3", &["countersign.db", &sql]).await;
        event.seq
    }
}

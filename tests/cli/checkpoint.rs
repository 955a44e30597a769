//! `countersign checkpoint`, `verify --checkpoint`, and the checkpoints of `serve`.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk, with_empty_desk};
use countersign_store::{Store, StoreOptions};
use countersign_tests::{in_private_mounts, new_client};
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;

/// Creates the key `key` with its public key in `key.pub`, a log with one call, and its checkpoint `signed.json`.
async fn sign_log(desk: &TerminalDesk) {
    desk.propose("t1", "call_1", "bash", "{}").await;
    let public = desk.run_program(COUNTERSIGN, &["checkpoint", "key", "key"]).await;
    desk.write_file("key.pub", &public);
    let signed = desk.run_program(COUNTERSIGN, &["checkpoint", "sign", "--key", "key"]).await;
    desk.write_file("signed.json", &signed);
}

const VERIFY: &str = "verify --checkpoint signed.json --public-key key.pub";

#[tokio::test]
async fn key_file_is_private_and_keeps_its_key() {
    with_empty_desk(async |desk| {
        let created = desk.types("checkpoint key key").await;
        assert_eq!((created.stderr.as_str(), created.code), ("new key: key\n", 0));
        assert_snapshot!(created.stdout, @"
        ed25519:[sha256]
        ");
        let again = desk.types("checkpoint key key").await;
        assert_eq!((again.stdout, again.stderr), (created.stdout, String::new()));
        let mode = desk.path("key").metadata().expect("created").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_snapshot!(desk.types("checkpoint key key --json").await, @r#"
        {"created":false,"file":"key","publicKey":"ed25519:[sha256]"}
        exit 0
        "#);
        desk.run_program("chmod", &["640", "key"]).await;
        assert_snapshot!(desk.types("checkpoint key key").await, @"
        ! countersign: the key key has the mode 640: only its owner may read it (0600)
        exit 2
        ");
        // The first example of RFC 8032.
        let secret = "ed25519-secret:9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        desk.write_file("known", secret);
        desk.run_program("chmod", &["600", "known"]).await;
        let public = desk.run_program(COUNTERSIGN, &["checkpoint", "key", "known"]).await;
        assert_eq!(public, "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n");
        desk.write_file("empty", "");
        desk.run_program("chmod", &["600", "empty"]).await;
        assert_snapshot!(desk.types("checkpoint key empty").await, @"
        ! countersign: empty does not contain a key that `countersign checkpoint key` has created
        exit 2
        ");
        assert_snapshot!(desk.types("checkpoint sign --key missing --json").await, @r#"
        ! {"code":"bad_key","detail":"the key missing cannot be read: No such file or directory (os error 2)"}
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn checkpoint_confirms_the_log_that_grew() {
    with_desk(async |desk| {
        sign_log(desk).await;
        desk.types("deny call_1 --as user:ada").await;
        assert_snapshot!(desk.types(VERIFY).await, @"
        The signature of signed.json is valid. ed25519:[sha256] signed it at [time].
        The log contains the checkpoint 3:[sha256].
        2 events follow it, and their hash chain is intact.
        tip 5:[sha256]
        Not checked: the content of the events before the checkpoint, the rules, the index of open requests, and the integrity of the database. `countersign verify` checks them.
        exit 0
        ");
        assert_snapshot!(desk.types(&format!("{VERIFY} --json")).await, @r#"
        {"broken":null,"checkpoint":"5:[sha256]","from":"3:[sha256]","holds":true,"mismatch":null,"schema":{"notes":[],"problems":[]},"signed":{"at":"[time]","log":"[sha256]","publicKey":"ed25519:[sha256]"},"unsealed":0}
        exit 0
        "#);
        let public = std::fs::read_to_string(desk.path("key.pub")).expect("written");
        let given = desk.types(&format!("verify --checkpoint signed.json --public-key {public}")).await;
        assert_eq!(given.code, 0, "{given}");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_log.py");
        let checked = desk.try_program("python3", &[script, "countersign.db", "signed.json"]).await;
        assert_eq!(checked.code, 0, "{checked}");
    })
    .await;
}

/// `docs/guides/auditing.md` describes the signed text.
#[tokio::test]
async fn signature_is_accepted_by_openssl() {
    with_desk(async |desk| {
        sign_log(desk).await;
        let script = r#"
import json
signed = json.load(open("signed.json"))
fields = [signed[name] for name in ("kind", "log", "seq", "hash", "signedAt", "publicKey")]
open("text", "w").write(json.dumps(fields, separators=(",", ":")))
open("signature", "wb").write(bytes.fromhex(signed["signature"]))
key = signed["publicKey"].split(":")[1]
open("public.der", "wb").write(bytes.fromhex("302a300506032b6570032100" + key))
"#;
        desk.run_program("python3", &["-c", script]).await;
        let check =
            "pkeyutl -verify -pubin -keyform DER -inkey public.der -rawin -in text -sigfile signature";
        let words: Vec<_> = check.split(' ').collect();
        assert_eq!(desk.run_program("openssl", &words).await, "Signature Verified Successfully\n");
    })
    .await;
}

#[tokio::test]
async fn broken_chain_is_not_signed() {
    with_desk(async |desk| {
        sign_log(desk).await;
        let change =
            "DROP TRIGGER rows_are_never_changed; UPDATE events SET principal = 'user:eve' WHERE seq = 2";
        desk.run_program("sqlite3", &["countersign.db", change]).await;
        assert_snapshot!(desk.types("checkpoint sign --key key").await, @"
        ! countersign: nothing was signed, because the hash chain breaks: event 2: the stored hash is [sha256], but the row and the previous link give [sha256]: a row was changed
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn wrong_key_is_told_from_a_changed_file() {
    with_desk(async |desk| {
        sign_log(desk).await;
        let other = desk.run_program(COUNTERSIGN, &["checkpoint", "key", "other"]).await;
        desk.write_file("other.pub", &other);
        assert_snapshot!(desk.types("verify --checkpoint signed.json --public-key other.pub").await, @"
        ! countersign: signed.json was signed with the key ed25519:[sha256], not with ed25519:[sha256]
        exit 1
        ");
        let signed = std::fs::read_to_string(desk.path("signed.json")).expect("written");
        for (name, from, to) in
            [("a number", r#""seq":3"#, r#""seq":2"#), ("a time", r#""signedAt":"20"#, r#""signedAt":"19"#)]
        {
            assert!(signed.contains(from), "{name}: {signed}");
            desk.write_file("signed.json", &signed.replace(from, to));
            let screen = desk.types(VERIFY).await;
            assert!(screen.stderr.contains("was changed after it was signed"), "{name}: {screen}");
        }
        assert_snapshot!(desk.types(VERIFY).await, @"
        ! countersign: signed.json was changed after it was signed, or was never signed with ed25519:[sha256]
        exit 1
        ");
        assert_snapshot!(desk.types(&format!("{VERIFY} --json")).await, @r#"
        ! {"code":"bad_signature","detail":"signed.json was changed after it was signed, or was never signed with ed25519:[sha256]"}
        exit 1
        "#);
        // A file that names another key was not signed by that key either.
        let public = |name| std::fs::read_to_string(desk.path(name)).expect("written").trim().to_owned();
        desk.write_file("signed.json", &signed.replace(&public("key.pub"), &public("other.pub")));
        for key in ["key.pub", "other.pub"] {
            let screen = desk.types(&format!("verify --checkpoint signed.json --public-key {key}")).await;
            assert!(screen.stderr.contains("was changed after it was signed"), "{screen}");
        }
    })
    .await;
}

#[tokio::test]
async fn checkpoint_of_another_log_is_reported() {
    with_desk(async |desk| {
        sign_log(desk).await;
        desk.run_program("sh", &["-c", "mkdir first; mv countersign.db* first"]).await;
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types(&format!("{VERIFY} --json")).await, @r#"
        ! {"code":"other_log","detail":"signed.json is a checkpoint of another log: its first event has the hash [sha256], and the first event of this log [sha256]"}
        exit 1
        "#);
    })
    .await;
}

#[tokio::test]
async fn lost_point_of_the_log_is_reported() {
    with_desk(async |desk| {
        desk.propose("t1", "call_0", "bash", "{}").await;
        desk.types("backup older.db").await;
        sign_log(desk).await;
        assert_snapshot!(desk.types(&format!("{VERIFY} --database older.db")).await, @"
        The signature of signed.json is valid. ed25519:[sha256] signed it at [time].
        The log does not contain the checkpoint 5:[sha256].
        the log ends at event 3, before the checkpoint: it was replaced, or its end was removed
        exit 1
        ");
        desk.types("deny call_0 --database older.db --as user:ada").await;
        assert_snapshot!(desk.types(&format!("{VERIFY} --database older.db")).await, @"
        The signature of signed.json is valid. ed25519:[sha256] signed it at [time].
        The log does not contain the checkpoint 5:[sha256].
        event 5 has the hash [sha256]: the log was replaced, or changed at or before this event
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn file_that_is_not_a_checkpoint_is_refused() {
    with_desk(async |desk| {
        sign_log(desk).await;
        for (name, text) in [
            ("missing.json", None),
            ("text.json", Some("tip 7:abc")),
            ("field.json", Some(r#"{"kind":"countersign-checkpoint-1","more":1}"#)),
        ] {
            if let Some(text) = text {
                desk.write_file(name, text);
            }
            let screen = desk.types(&format!("verify --checkpoint {name} --public-key key.pub")).await;
            assert!(screen.code == 2 && screen.stderr.contains("is not a signed checkpoint"), "{screen}");
        }
        let signed = std::fs::read_to_string(desk.path("signed.json")).expect("written");
        desk.write_file("future.json", &signed.replace("checkpoint-1", "checkpoint-2"));
        assert_snapshot!(desk.types("verify --checkpoint future.json --public-key key.pub").await, @r#"
        ! countersign: future.json is not a signed checkpoint: its kind is "countersign-checkpoint-2", not countersign-checkpoint-1
        exit 2
        "#);
        assert_snapshot!(desk.types("verify --checkpoint signed.json --public-key key").await, @"
        ! countersign: --public-key key: the file contains the secret key; `countersign checkpoint key` prints the public key
        exit 2
        ");
        assert_snapshot!(desk.types("verify --checkpoint signed.json --public-key nothing").await, @"
        ! countersign: --public-key nothing: it is neither a file nor a public key, which is ed25519: and 64 hexadecimal digits
        exit 2
        ");
        assert_snapshot!(desk.types("verify --checkpoint signed.json --public-key signed.json").await, @"
        ! countersign: --public-key signed.json: the file does not contain a public key, which is ed25519: and 64 hexadecimal digits
        exit 2
        ");
        assert_snapshot!(desk.types("verify --checkpoint signed.json").await, @"
        ! error: the following required arguments were not provided:
        !   --public-key <KEY>
        ! 
        ! Usage: countersign verify --checkpoint <FILE> --public-key <KEY>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn empty_log_is_not_signed() {
    with_desk(async |desk| {
        desk.types("checkpoint key key").await;
        let store = Store::open(desk.path("countersign.db"), StoreOptions::default()).await.expect("opens");
        store.close().await;
        desk.run_program(
            "rm",
            &["-f", "countersign.db-bell", "countersign.db-lock", "countersign.db-wal", "countersign.db-shm"],
        )
        .await;
        // A log that can be written gets a policy, which is its first event.
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; cd "$0"
            "$1" checkpoint sign --key key --json 2>&1 | grep -o '"code":"empty_log"'"#;
        let output = in_private_mounts(script, &desk.path("."), COUNTERSIGN).await;
        assert_eq!((output.text.as_str(), output.well), (r#""code":"empty_log""#, true));
        assert_snapshot!(desk.types("checkpoint sign --key key --server http://127.0.0.1:7878").await, @"
        ! countersign: checkpoint sign works on a database: use --database instead of --server
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn folder_continues_from_its_newest_checkpoint() {
    with_desk(async |desk| {
        sign_log(desk).await;
        let sign = "checkpoint sign --key key --to kept";
        assert_snapshot!(desk.types(sign).await, @"
        ! countersign: there is no folder kept for checkpoints: create it first
        exit 1
        ");
        desk.run_program("mkdir", &["kept"]).await;
        assert_snapshot!(desk.types(sign).await, @"
        Signed the tip 3:[sha256]: kept/checkpoint-000000000003.json
        exit 0
        ");
        assert_snapshot!(desk.types(sign).await, @"
        The log has not grown since the newest checkpoint: kept/checkpoint-000000000003.json
        exit 0
        ");
        desk.types("backup older.db").await;
        desk.types("deny call_1 --as user:ada").await;
        assert_snapshot!(desk.types(&format!("{sign} --json")).await, @r#"
        {"checkpoint":"5:[sha256]","file":"kept/checkpoint-000000000005.json","new":true}
        exit 0
        "#);
        assert_eq!(
            desk.run_program("ls", &["kept"]).await,
            "checkpoint-000000000003.json\ncheckpoint-000000000005.json\n"
        );
        assert_snapshot!(desk.types(&format!("{sign} --database older.db")).await, @"
        ! countersign: nothing was signed, because the log does not contain the checkpoint 5:[sha256]: the log ends at event 3, before the checkpoint: it was replaced, or its end was removed
        exit 1
        ");
        desk.types("checkpoint key other").await;
        let screen = desk.types("checkpoint sign --key other --to kept").await;
        assert!(screen.code == 1 && screen.stderr.contains("was signed with the key"), "{screen}");
    })
    .await;
}

#[tokio::test]
async fn server_signs_at_start_interval_and_end() {
    with_desk(async |desk| {
        sign_log(desk).await;
        desk.run_program("mkdir", &["kept"]).await;
        let options = "--checkpoint-key key --checkpoint-to kept --checkpoint-every";
        let mut server = desk.start(&format!("serve --solo --listen 127.0.0.1:0 {options} 1s"));
        server.wait_for_stderr("signed a checkpoint seq=3").await;
        desk.propose("t1", "call_2", "bash", "{}").await;
        server.wait_for_stderr("signed a checkpoint seq=5").await;
        server.send_signal("INT").await;
        assert_eq!(server.wait_for_exit().await.code, 0);
        let mut server = desk.start(&format!("serve --solo --listen 127.0.0.1:0 {options} 1d"));
        server.wait_for_stdout("Ctrl-C stops the server").await;
        desk.propose("t1", "call_3", "bash", "{}").await;
        server.send_signal("INT").await;
        let ended = server.wait_for_exit().await;
        assert_eq!(ended.code, 0, "{ended}");
        let newest = "verify --checkpoint kept/checkpoint-000000000007.json --public-key key.pub";
        let screen = desk.types(newest).await;
        assert_eq!(screen.code, 0, "{screen}\n{ended}");
        desk.write_file(
            "settings.toml",
            "checkpoint_key = \"key\"\ncheckpoint_to = \"kept\"\ncheckpoint_every = \"1d\"\n",
        );
        let mut server = desk.start("serve --solo --listen 127.0.0.1:0 --config settings.toml");
        let greeting = server.wait_for_stdout("Ctrl-C stops the server").await;
        let url = greeting.split_whitespace().find(|word| word.starts_with("http://")).expect("its address");
        desk.propose("t1", "call_4", "bash", "{}").await;
        let doctor = desk.types(&format!("doctor --server {url}")).await;
        assert!(doctor.stdout.contains("ok    checkpoints  the last at"), "{doctor}");
        server.send_signal("INT").await;
        server.wait_for_exit().await;
        let newest = "verify --checkpoint kept/checkpoint-000000000009.json --public-key key.pub";
        assert_eq!(desk.types(newest).await.code, 0, "the server signs as the settings say");
    })
    .await;
}

#[tokio::test]
async fn server_reports_a_log_that_lost_its_checkpoint() {
    with_desk(async |desk| {
        sign_log(desk).await;
        desk.run_program("mkdir", &["kept"]).await;
        desk.types("backup older.db").await;
        desk.types("deny call_1 --as user:ada").await;
        desk.types("checkpoint sign --key key --to kept").await;
        let serve = "serve --solo --listen 127.0.0.1:0 --checkpoint-key key --checkpoint-to kept";
        let mut server = desk.start(&format!("{serve} --database older.db"));
        server.wait_for_stderr("no checkpoint was signed").await;
        let greeting = server.wait_for_stdout("Ctrl-C stops the server").await;
        let url = greeting.split_whitespace().find(|word| word.starts_with("http://")).expect("its address");
        let doctor = desk.types(&format!("doctor --server {url}")).await;
        assert!(doctor.code == 1 && doctor.stdout.contains("fail  checkpoints  nothing was signed"), "{doctor}");
        let page = new_client().get(format!("{url}/metrics")).send().await.expect("metrics").text().await.expect("a string");
        assert!(page.contains("countersign_checkpoint_failures_total 1\n"), "{page}");
        assert!(page.contains("countersign_last_checkpoint_time_seconds 0"), "{page}");
        server.send_signal("INT").await;
        let ended = server.wait_for_exit().await;
        assert!(ended.stderr.contains("the log ends at event 3, before the checkpoint"), "{ended}");
        assert_snapshot!(desk.types(&format!("{serve} --checkpoint-every soon")).await, @"
        ! countersign: --checkpoint-every soon: use a time such as 10m, 1h or 1d
        exit 2
        ");
        assert_snapshot!(desk.types("serve --checkpoint-key key").await, @"
        ! countersign: --checkpoint-key, --checkpoint-to and --checkpoint-every belong together: set the key and the folder
        exit 2
        ");
        assert_snapshot!(desk.types("serve --checkpoint-key key --checkpoint-to nowhere").await, @"
        ! countersign: there is no folder nowhere for checkpoints: create it first
        exit 1
        ");
    })
    .await;
}

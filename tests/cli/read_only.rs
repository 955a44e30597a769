//! Commands on a read-only file system: those that read work, and the others change nothing.

use crate::desk::{COUNTERSIGN, with_desk};
use countersign_store::{Store, StoreOptions};
use countersign_tests::in_private_mounts;

/// Tests may run as root, for whom only a mount can make a file read-only.
#[tokio::test]
async fn reading_commands_accept_a_read_only_log() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command": "ls"}"#).await;
        desk.run_program("rm", &["-f", "countersign.db-bell", "countersign.db-lock"]).await;
        desk.write_file("policy.toml", "default = \"allow\"\n");
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; cd "$0"
            for command in pending calls "show call_1" log stats verify doctor "grant list t1" "thread list" \
                "thread show t1" "thread policy t1" "policy replay --policy policy.toml" "policy suggest"; do
                "$1" $command > /dev/null || echo "$command failed"
            done
            "$1" backup /tmp/none/copy.db 2> /dev/null && echo "a folder is missing"
            for command in "allow call_1" "deny call_1" "thread mode t1 auto_deny" "run -- true" stop; do
                "$1" --json $command 2>&1 < /dev/null | grep -q '"reason":"read_only"' || echo "$command did not fail"
            done
            ls -A"#;
        let output = in_private_mounts(script, &desk.path("."), COUNTERSIGN).await;
        assert_eq!((output.text.as_str(), output.well), ("countersign.db\npolicy.toml", true));
    })
    .await;
}

/// The log has no `POLICY_SET` event: only a program that writes adds one.
#[tokio::test]
async fn read_only_log_without_policy_can_be_read() {
    with_desk(async |desk| {
        let options = StoreOptions::default();
        let store = Store::open(desk.path("countersign.db"), options).await.expect("the log opens");
        store.close().await;
        desk.run_program("rm", &["-f", "countersign.db-bell", "countersign.db-lock", "countersign.db-wal", "countersign.db-shm"]).await;
        desk.write_file("policy.toml", "default = \"allow\"\n");
        let script = r#"mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; cd "$0"
            for command in pending calls log stats verify doctor "thread list" "policy show" "policy history" \
                "policy check" "policy replay --policy policy.toml" "policy replay --recorded" "policy suggest"; do
                "$1" $command > /dev/null || echo "$command failed"
            done
            "$1" policy show | head -n 2; "$1" policy history; "$1" policy check | head -n 1
            "$1" policy show --json | grep -o '"seq":0'
            "$1" policy apply --yes policy.toml 2>&1 < /dev/null | grep -o "read-only" | head -n 1
            ls -A"#;
        let output = in_private_mounts(script, &desk.path("."), COUNTERSIGN).await;
        let expected = "# The log has no policy, and it cannot be written.\n\
            # The next process that can write applies this policy: shipped\n\
            The log has no policy, and it cannot be written.\n\
            the shipped policy (the log has no policy, and it cannot be written): 10 rules, no warnings.\n\
            \"seq\":0\nread-only\ncountersign.db\npolicy.toml";
        assert_eq!((output.text.as_str(), output.well), (expected, true));
    })
    .await;
}

/// The disk has no room for the files that a writer creates.
#[tokio::test]
async fn reading_commands_work_on_a_full_disk() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command": "ls"}"#).await;
        let script = r#"mkdir "$0/disk"; mount -t tmpfs -o size=3m none "$0/disk"; cp "$0/countersign.db" "$0/disk"; cd "$0/disk"
            cat /dev/zero > ballast 2> /dev/null || true
            for command in pending calls "show call_1" log stats verify "thread list"; do
                "$1" --database countersign.db $command > /dev/null || echo "$command failed"
            done
            "$1" --json --database countersign.db allow call_1 2>&1 < /dev/null | grep -o '"reason":"full"'"#;
        let output = in_private_mounts(script, &desk.path("."), COUNTERSIGN).await;
        assert_eq!((output.text.as_str(), output.well), ("\"reason\":\"full\"", true));
    })
    .await;
}

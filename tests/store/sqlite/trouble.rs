//! What the machine does to a file: a full disk, a file that is taken away or made read-only.

use countersign_approvals::EventType;
use countersign_tests::{code, in_private_mounts, in_town, within_the_limit};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

/// The actor checks that every event which was acknowledged is there, and none that was refused.
#[test]
fn a_full_disk_loses_nothing_and_goes_on_when_there_is_room() {
    within_the_limit(async {
        let folder = tempfile::tempdir().expect("a folder");
        let script = r#"mount -t tmpfs -o size=2m none "$0"; cd "$0"
            dd if=/dev/zero of=ballast bs=1024 count=700 status=none
            "$1" fill countersign.db ballast"#;
        let said = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((said.text.as_str(), said.well), ("full\nall there", true));
    });
}

/// What went into a file that nobody finds any more would be lost, so nothing is acknowledged.
#[test]
fn nothing_is_acknowledged_once_the_file_is_gone() {
    in_town(async |town| {
        let bot = town.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let aside = town.folder().join("aside.db");
        fs::rename(town.path(), &aside).expect("moves");
        for id in ["call_2", "call_3"] {
            assert_eq!(code(&bot.proposes(id).await), "gone");
        }
        fs::copy(&aside, town.path()).expect("copies");
        assert_eq!(code(&bot.proposes("call_4").await), "gone", "another file is not the same file");
        fs::rename(&aside, town.path()).expect("moves back");
        assert_eq!(code(&bot.proposes("call_5").await), "done", "put back, it goes on");
        assert_eq!(town.count(EventType::ToolCall).await, 2, "and has nothing of what was refused");
    });
}

/// Taking away the permission touches nobody who has the file open, and whatever was acknowledged is there.
/// Making the file immutable, where the system can, stops every write: an error, and nothing lost.
#[test]
fn a_file_made_read_only_underneath_loses_nothing() {
    in_town(async |town| {
        let bot = town.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let files = [town.path(), town.path().with_extension("db-wal")];
        for file in &files {
            fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("chmod");
        }
        assert_eq!(code(&bot.proposes("call_2").await), "done");
        if chattr("+i", &files) {
            assert!(matches!(code(&bot.proposes("call_3").await), "io_error" | "read_only"));
            assert!(chattr("-i", &files), "what was made immutable can be unmade");
            assert_eq!(town.count(EventType::ToolCall).await, 2, "nothing of what was refused");
        }
        assert_eq!(code(&bot.proposes("call_3").await), "done");
        assert_eq!(town.count(EventType::ToolCall).await, 3);
    });
}

/// Whether the system lets us, on this file system.
fn chattr(change: &str, files: &[PathBuf]) -> bool {
    let done = Command::new("chattr").arg(change).args(files).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

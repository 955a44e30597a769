//! Problems with the file: a full disk, and a file that is removed or made read-only.

use countersign_events::EventType;
use countersign_tests::{code, in_private_mounts, in_world, within_the_limit};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
};

const ACTOR: &str = env!("CARGO_BIN_EXE_countersign-actor");

/// The actor checks that the log contains every acknowledged event and no refused one.
#[test]
fn full_disk_loses_nothing_and_writing_resumes() {
    within_the_limit(async {
        let folder = tempfile::tempdir().expect("a folder");
        let script = r#"mount -t tmpfs -o size=2m none "$0"; cd "$0"
            dd if=/dev/zero of=ballast bs=1024 count=700 status=none
            "$1" fill log.db ballast"#;
        let output = in_private_mounts(script, folder.path(), ACTOR).await;
        assert_eq!((output.text.as_str(), output.well), ("full\nall there", true));
    });
}

/// Events in a removed file would be lost, so the store acknowledges none.
#[test]
fn nothing_is_acknowledged_after_the_file_is_gone() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let aside = world.folder().join("aside.db");
        fs::rename(world.path(), &aside).expect("moves");
        for id in ["call_2", "call_3"] {
            assert_eq!(code(&bot.proposes(id).await), "gone");
        }
        fs::copy(&aside, world.path()).expect("copies");
        assert_eq!(code(&bot.proposes("call_4").await), "gone", "the store detects another file at its path");
        fs::rename(&aside, world.path()).expect("moves back");
        assert_eq!(code(&bot.proposes("call_5").await), "done", "the store writes to the restored file");
        assert_eq!(
            world.count(EventType::ToolCall).await,
            2,
            "the log contains nothing of the refused commands"
        );
    });
}

/// A revoked permission does not affect open files. An immutable file refuses every write, if the file system supports
/// the attribute. In both cases, every acknowledged event is kept.
#[test]
fn file_made_read_only_loses_nothing() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        let files = [world.path(), world.path().with_extension("db-wal")];
        for file in &files {
            fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("chmod");
        }
        assert_eq!(code(&bot.proposes("call_2").await), "done");
        if chattr("+i", &files) {
            assert!(matches!(code(&bot.proposes("call_3").await), "io_error" | "read_only"));
            assert!(chattr("-i", &files), "chattr removes the attribute");
            assert_eq!(
                world.count(EventType::ToolCall).await,
                2,
                "the log contains nothing of the refused commands"
            );
        }
        assert_eq!(code(&bot.proposes("call_3").await), "done");
        assert_eq!(world.count(EventType::ToolCall).await, 3);
    });
}

/// Changes an attribute of files with `chattr`. Returns false if the file system does not support the attribute.
fn chattr(change: &str, files: &[PathBuf]) -> bool {
    let done = Command::new("chattr").arg(change).args(files).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

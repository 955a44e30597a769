//! `countersign demo`: the whole product, with an agent that only plays.

use crate::{
    desk::{COUNTERSIGN, at_a_desk},
    tmux::Terminal,
};
use insta::assert_snapshot;

#[tokio::test]
async fn a_demo_wants_a_folder_to_itself() {
    at_a_desk(async |desk| {
        desk.writes("mine", "and nobody else's");
        assert_snapshot!(desk.types("demo --auto --folder .").await, @"");
        assert_snapshot!(desk.types("demo --auto --database mine").await, @"");
        assert_snapshot!(desk.types("demo --json").await, @"");
    })
    .await;
}

#[tokio::test]
async fn the_whole_story_by_itself() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("demo --auto --folder demo --as user:ada").await, @"");
        let database = "--database demo/countersign.db";
        assert!(desk.types(&format!("verify {database}")).await.stdout.contains("the chain holds"));
        assert!(desk.path("demo/work/build/app.o").exists(), "its removal was denied");
        assert!(desk.path("demo/work/notes.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn the_story_as_json() {
    at_a_desk(async |desk| {
        let told = desk.types("demo --auto --json --folder demo").await;
        let told: serde_json::Value = serde_json::from_str(&told.stdout).expect("JSON");
        assert_eq!(told["calls"].as_array().map(Vec::len), Some(10));
        assert_eq!(told["calls"][0]["state"], "finished");
    })
    .await;
}

#[tokio::test]
async fn a_pipe_that_always_says_once_sees_everything() {
    at_a_desk(async |desk| {
        let line = format!("yes once | {COUNTERSIGN} demo --folder demo");
        let said = desk.runs("sh", &["-c", &line]).await;
        let (_, summary) = said.split_once("What the agent asked for").expect("a summary");
        let not_run: Vec<_> = summary.lines().filter(|line| line.contains("not run")).collect();
        assert_snapshot!(not_run.join("\n"), @"");
        assert_eq!(summary.lines().filter(|line| line.contains("  ran  ")).count(), 9, "{summary}");
    })
    .await;
}

#[tokio::test]
async fn a_person_sees_it_in_one_terminal() {
    at_a_desk(async |desk| {
        let terminal = Terminal::open(desk).await;
        terminal.is_resized(80, 30).await;
        terminal.types("clear; countersign demo --folder demo --as user:ada").await;
        assert_snapshot!(terminal.shows("Enter opens the inbox.").await, @"");
        terminal.presses("Enter").await;
        terminal.has("shopping list").await;
        terminal.writes("o").await;
        terminal.has("Allowed demo_notes (write-file), this once.").await;
        terminal.has("remove-folder").await;
        terminal.writes("q").await;
        terminal.shows("The log has all of it").await;
        let screen = terminal.is_back().await;
        assert!(screen.contains("write-file      ran      allowed by user:ada"), "{screen}");
        assert!(screen.contains("withdrawn, because the demo was left"), "{screen}");
        terminal.types("echo left $?").await;
        terminal.shows("left 0").await;
    })
    .await;
}

#[tokio::test]
async fn an_interrupted_demo_leaves_nothing_behind() {
    at_a_desk(async |desk| {
        std::fs::create_dir(desk.path("tmp")).expect("the folder is writable");
        let tmp = desk.path("tmp").display().to_string();
        desk.sets("TMPDIR", &tmp);
        let terminal = Terminal::open(desk).await;
        terminal.types("clear; countersign demo; echo left $?").await;
        terminal.shows("Enter opens the inbox.").await;
        terminal.presses("Enter").await;
        terminal.has("shopping list").await;
        terminal.presses("C-c").await;
        terminal.shows("left 130").await;
        terminal.types("clear; countersign demo; echo left $?").await;
        terminal.shows("Enter opens the inbox.").await;
        terminal.presses("C-c").await;
        terminal.shows("left 130").await;
        let left = std::fs::read_dir(desk.path("tmp")).expect("it is there").count();
        assert_eq!(left, 0);
    })
    .await;
}

//! `countersign demo`: a scripted agent shows the whole product.

use crate::{
    desk::{COUNTERSIGN, with_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

#[tokio::test]
async fn demo_in_a_used_folder_is_refused() {
    with_desk(async |desk| {
        desk.write_file("mine", "and nobody else's");
        assert_snapshot!(desk.types("demo --auto --folder .").await, @"
        ! countersign: --folder: [here] is not empty; the demo needs an empty folder
        exit 2
        ");
        assert_snapshot!(desk.types("demo --auto --database mine").await, @"
        ! countersign: the demo uses its own server, database and policy
        exit 2
        ");
        assert_snapshot!(desk.types("demo --json").await, @r#"
        ! {"code":"usage","detail":"--json requires --auto"}
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn demo_runs_automatically_to_its_end() {
    with_desk(async |desk| {
        // No coding agent of this machine is in these folders.
        desk.set_variable("PATH", "/usr/bin:/bin");
        assert_snapshot!(desk.types("demo --auto --folder demo --as user:ada").await, @"
        agent:demo proposes list-files: ls
          allowed by policy:reading is allowed; ran
          | build
          | chapter-1.txt
          | chapter-2.txt
          | chapter-3.txt
        agent:demo proposes git-push-force: git push --force
          blocked by policy:no force pushes: history is shared; not run
        agent:demo proposes write-file: Keep the shopping list
          allowed by user:ada: go ahead; ran
          | wrote 40 bytes to notes.txt
        agent:demo proposes remove-folder: rm -r build
          denied by user:ada: the build is still needed; not run
        agent:demo proposes count-words: wc -w chapter-1.txt
          allowed for the session by user:ada; ran
          | 12 chapter-1.txt
        agent:demo proposes count-words: wc -w chapter-2.txt
          allowed by the session grant; ran
          | 30 chapter-2.txt
        agent:demo proposes count-words: wc -w chapter-3.txt
          allowed by the session grant; ran
          | 21 chapter-3.txt
        agent:demo proposes send-invoice: November's invoice is due
          allowed by user:ada: the sum is right; ran
          | put into outbox/send-invoice.json
        agent:demo proposes page-oncall: Without an answer in time, this call is denied automatically
          no answer …
          denied automatically after no answer; not run
        agent:demo proposes write-script: A deployment script, longer than the window: scroll to its end
          allowed by user:ada: read to the end; ran
          | wrote 1372 bytes to deploy.sh

        The calls of the agent and their outcome:

          list-files      ran      allowed by policy:reading is allowed
          git-push-force  not run  blocked by policy:no force pushes: history is shared
          write-file      ran      allowed by user:ada: go ahead
          remove-folder   not run  denied by user:ada: the build is still needed
          count-words     ran      allowed for the session by user:ada
          count-words     ran      allowed by the session grant
          count-words     ran      allowed by the session grant
          send-invoice    ran      allowed by user:ada: the sum is right
          page-oncall     not run  denied automatically after no answer
          write-script    ran      allowed by user:ada: read to the end

        The log and the files are still there:
          countersign --database [here]/demo/countersign.db show demo_clean
          countersign --database [here]/demo/countersign.db log
          ls [here]/demo/desk
          rm -r [here]/demo

        `countersign install` lists the coding agents that can ask like this one.
        exit 0
        ");
        let database = "--database demo/countersign.db";
        assert!(desk.types(&format!("verify {database}")).await.stdout.contains("the hash chain is intact"));
        assert!(desk.path("demo/desk/build/app.o").exists(), "its removal was denied");
        assert!(desk.path("demo/desk/notes.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn demo_ends_with_the_agents_of_its_user() {
    with_desk(async |desk| {
        desk.set_variable("PATH", "/usr/bin:/bin");
        let end_of_demo = async |folder: &str| {
            let output = desk.types(&format!("demo --auto --folder {folder}")).await.stdout;
            let (_, end) = output.split_once(&format!("{folder}\n\n")).expect("an end");
            end.to_owned()
        };
        for agent in [".claude", ".cursor"] {
            std::fs::create_dir_all(desk.path(agent)).expect("the home folder is writable");
        }
        assert_snapshot!(end_of_demo("one").await, @r"
        Your own agents can ask like this one:
          countersign install claude-code
          countersign install cursor
        ");
        desk.types("install claude-code --user --yes").await;
        assert_snapshot!(end_of_demo("two").await, @r"
        Of your own agents, these ask already: claude-code. The others can ask, too:
          countersign install cursor
        ");
    })
    .await;
}

#[tokio::test]
async fn demo_prints_json() {
    with_desk(async |desk| {
        let output = desk.types("demo --auto --json --folder demo").await;
        let output: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!(output["calls"].as_array().map(Vec::len), Some(10));
        assert_eq!(output["calls"][0]["state"], "finished");
    })
    .await;
}

#[tokio::test]
async fn piped_allow_once_answers_reach_the_end() {
    with_desk(async |desk| {
        let line = format!("yes once | {COUNTERSIGN} demo --folder demo");
        let output = desk.run_program("sh", &["-c", &line]).await;
        let (_, summary) = output.split_once("The calls of the agent").expect("a summary");
        let not_run: Vec<_> = summary.lines().filter(|line| line.contains("not run")).collect();
        assert_snapshot!(not_run.join("\n"), @"  git-push-force  not run  blocked by policy:no force pushes: history is shared");
        assert_eq!(summary.lines().filter(|line| line.contains("  ran  ")).count(), 9, "{summary}");
    })
    .await;
}

/// The closing text names a call. This must be a call that was proposed before the person quit.
#[tokio::test]
async fn early_exit_names_an_existing_call() {
    with_desk(async |desk| {
        let line = format!("echo q | {COUNTERSIGN} demo --plain --folder demo");
        let output = desk.without_paths(&desk.run_program("sh", &["-c", &line]).await);
        let (_, end) = output.split_once("the files are still there:\n").expect("an end");
        for shown in end.lines().filter_map(|line| line.trim().strip_prefix("countersign ")) {
            let shown = shown.replace("[here]", &desk.path("").display().to_string());
            assert_eq!(desk.types(&shown).await.code, 0, "{shown}");
        }
    })
    .await;
}

#[tokio::test]
async fn demo_runs_in_one_terminal() {
    with_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.resize(200, 30).await;
        terminal.types("clear; countersign demo --folder demo --as user:ada").await;
        let screen = terminal.wait_for_line("Press Enter to open the inbox.").await;
        let (before, rest) = screen.split_once("csgn_").expect("a link with its secret");
        let after = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        assert_snapshot!(format!("{before}[secret]{after}"), @"
        An agent will propose a few tool calls.
        All of them are harmless, and you decide them.

          folder     [here]/demo
          server     http://[port]

        In a browser, decide them with a click:
          http://[pages]/sign-in/#[secret]
        In a second terminal, list and decide the same calls:
          countersign --database [here]/demo/countersign.db watch
          countersign --database [here]/demo/countersign.db pending
        The API, to read and try:
          http://[port]/docs

        Ctrl-C ends the demo and keeps its files.

        Press Enter to open the inbox.
        ");
        terminal.presses("Enter").await;
        terminal.wait_for_text("shopping list").await;
        // A call that arrives on an empty screen ignores decision keys until the person presses another key.
        terminal.type_text("g").await;
        terminal.type_text("o").await;
        terminal.wait_for_text("Allowed demo_notes (write-file) once.").await;
        terminal.wait_for_text("remove-folder").await;
        terminal.type_text("q").await;
        terminal.wait_for_line("The log and the files are still there").await;
        let screen = terminal.wait_for_prompt().await;
        assert!(screen.contains("write-file      ran      allowed by user:ada"), "{screen}");
        assert!(screen.contains("cancelled, because the demo ended"), "{screen}");
        terminal.types("echo left $?").await;
        terminal.wait_for_line("left 0").await;
    })
    .await;
}

#[tokio::test]
async fn interrupted_demo_leaves_no_process_or_folder() {
    with_desk(async |desk| {
        std::fs::create_dir(desk.path("tmp")).expect("the folder is writable");
        let tmp = desk.path("tmp").display().to_string();
        desk.set_variable("TMPDIR", &tmp);
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign demo; echo left $?").await;
        terminal.wait_for_line("Press Enter to open the inbox.").await;
        terminal.presses("Enter").await;
        terminal.wait_for_text("shopping list").await;
        terminal.presses("C-c").await;
        terminal.wait_for_line("left 130").await;
        terminal.types("clear; echo once more").await;
        terminal.wait_for_line("once more").await;
        terminal.types("countersign demo; echo left $?").await;
        terminal.wait_for_line("Press Enter to open the inbox.").await;
        terminal.presses("C-c").await;
        terminal.wait_for_line("left 130").await;
        let left = std::fs::read_dir(desk.path("tmp")).expect("the file exists").count();
        assert_eq!(left, 0);
    })
    .await;
}

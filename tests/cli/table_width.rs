//! Tables and lines fit a terminal of 60, 80 and 200 columns.

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;

/// Returns the lists, as a terminal of this width shows them.
async fn lists(desk: &TerminalDesk, columns: u16) -> String {
    let long = format!(r#"{{"command":"make {}"}}"#, "everything ".repeat(20).trim());
    desk.propose("conversation-with-a-long-name", "call_1", "bash", &long).await;
    desk.propose("t2", "call_2", "世界の道具", &format!(r#"{{"text":"{}"}}"#, "世界".repeat(17))).await;
    desk.types("allow call_1 --session tool --for thread --as user:ada").await;
    let terminal = TmuxTerminal::open(desk).await;
    terminal.resize(columns, 30).await;
    // tmux reports the new size a moment before the terminal has it.
    let resized = format!("until [ \"$(stty size)\" = '30 {columns}' ]; do :; done");
    let grants = "countersign grant list conversation-with-a-long-name";
    let lists = format!("countersign calls; countersign thread list; countersign log; {grants}");
    terminal.types(&format!("{resized}; clear; {lists}; echo seen at {columns}")).await;
    terminal.wait_for_line(&format!("seen at {columns}")).await;
    terminal.wait_for_prompt().await
}

#[tokio::test]
async fn lists_fit_60_columns() {
    with_desk(async |desk| {
        assert_snapshot!(lists(desk, 60).await, @r#"
        ID      TOOL        STATE    PROPOSED  THREAD      ARGUMENTS
        call_2  世界の道具  pending  [ago]  t2          {"text":…
        call_1  bash        allowed  [ago]  conversat…  make eve…
        THREAD              CALLS  PENDING  MODE         LAST ACTIVE
        conversation-with…      1        0  interactive  [ago]
        t2                      1        1  interactive  [ago]
            1  [minute]    system:countersign applies a policy:…
            2  [minute]  conversat…  agent:builder proposes bas…
            3  [minute]  conversat…  people are asked about cal…
            4  [minute]  t2  agent:builder proposes 世界の道具 …
            5  [minute]  t2  people are asked about call_2 (no …
            6  [minute]  conversat…  user:ada allows call_1 for…
        GRANT  TOOL  ANSWER  SCOPE         GIVEN BY  WHEN    ON CALL
            6  bash  allow   the whole     user:ada  [ago]  call_1
                             tool
        seen at 60
        $
        "#);
    })
    .await;
}

#[tokio::test]
async fn lists_fit_80_columns() {
    with_desk(async |desk| {
        assert_snapshot!(lists(desk, 80).await, @r#"
        ID      TOOL        STATE    PROPOSED  BY         DECIDED …  THREAD     ARGUMEN…
        call_2  世界の道具  pending  [ago]  agent:bu…             t2         {"text"…
        call_1  bash        allowed  [ago]  agent:bu…  user:ada   conversa…  make ev…
        THREAD                         CALLS  PENDING  MODE         LAST ACTIVE  STARTED
        conversation-with-a-long-name      1        0  interactive  [ago]  [ago]
        t2                                 1        1  interactive  [ago]  [ago]
            1  [minute]    system:countersign applies a policy: 4fe94dccc9b1 (shipp…
            2  [minute]  conversation…  agent:builder proposes bash as call_1: make…
            3  [minute]  conversation…  people are asked about call_1 (no rule matc…
            4  [minute]  t2  agent:builder proposes 世界の道具 as call_2: {"text":"…
            5  [minute]  t2  people are asked about call_2 (no rule matches this ca…
            6  [minute]  conversation…  user:ada allows call_1 for the session, for…
        GRANT  TOOL  ANSWER  SCOPE           GIVEN BY  WHEN    ON CALL
            6  bash  allow   the whole tool  user:ada  [ago]  call_1
        seen at 80
        $
        "#);
    })
    .await;
}

#[tokio::test]
async fn lists_fit_200_columns() {
    with_desk(async |desk| {
        assert_snapshot!(lists(desk, 200).await, @r#"
        ID      TOOL        STATE    PROPOSED  BY             DECIDED BY  THREAD                         ARGUMENTS
        call_2  世界の道具  pending  [ago]  agent:builder              t2                             {"text":"世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界"}
        call_1  bash        allowed  [ago]  agent:builder  user:ada    conversation-with-a-long-name  make everything everything everything everything everything everything everything everything everythin…
        THREAD                         CALLS  PENDING  MODE         LAST ACTIVE  STARTED
        conversation-with-a-long-name      1        0  interactive  [ago]  [ago]
        t2                                 1        1  interactive  [ago]  [ago]
            1  [moment]    system:countersign applies a policy: 4fe94dccc9b1 (shipped)
            2  [moment]  conversation-with-a-long-name  agent:builder proposes bash as call_1: make everything everything everything everything everything everything everything everything everyth…
            3  [moment]  conversation-with-a-long-name  people are asked about call_1 (no rule matches this call), until [time]
            4  [moment]  t2  agent:builder proposes 世界の道具 as call_2: {"text":"世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界"}
            5  [moment]  t2  people are asked about call_2 (no rule matches this call), until [time]
            6  [moment]  conversation-with-a-long-name  user:ada allows call_1 for the session, for the whole tool
        GRANT  TOOL  ANSWER  SCOPE           GIVEN BY  WHEN    ON CALL
            6  bash  allow   the whole tool  user:ada  [ago]  call_1
        seen at 200
        $
        "#);
    })
    .await;
}

#[tokio::test]
async fn colours_appear_only_on_a_terminal() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let coloured = |text: &str| text.contains('\u{1b}');
        assert!(!coloured(&desk.types("calls").await.stdout));
        assert!(coloured(&desk.types("calls --colour always").await.stdout));
        assert!(coloured(&desk.types("show nobody --colour always").await.stderr));
        desk.set_variable("NO_COLOR", "1");
        assert!(!coloured(&desk.types("calls").await.stdout));
        desk.set_variable("COUNTERSIGN_COLOUR", "always");
        assert!(coloured(&desk.types("calls").await.stdout));
        assert!(!coloured(&desk.types("calls --colour never").await.stdout));
    })
    .await;
}

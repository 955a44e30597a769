//! `countersign policy suggest`

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn too_few_decisions_suggest_no_rule() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"git status"}"#).await;
        desk.types("allow call_1 --as user:ada").await;
        assert_snapshot!(desk.types("policy suggest").await, @"
        # 0 of 1 prompts would have been saved by 0 rules, none of which allows
        # anything that was ever denied. Look at each before you add it to a policy.
        exit 0
        ");
        assert_snapshot!(desk.types("policy suggest --at-least 1").await, @"
        ! error: invalid value '1' for '--at-least <N>': 1 is not in 2..18446744073709551615
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn suggested_policy_saves_the_predicted_questions() {
    with_desk(async |desk| {
        for (n, command) in ["git log", "git log -1", "git log src"].iter().enumerate() {
            let id = format!("call_{n}");
            desk.propose("t1", &id, "bash", &format!("{{\"command\":\"{command}\"}}")).await;
            desk.types(&format!("allow {id} --as user:ada")).await;
        }
        desk.propose("t1", "call_9", "bash", r#"{"command":"git log; rm -rf /"}"#).await;
        desk.types("deny call_9 --as user:ada").await;
        let suggested = desk.types("policy suggest --at-least 3").await;
        desk.write_file("suggested.toml", &suggested.stdout);
        assert_snapshot!(suggested, @r#"
        # 3 of 4 prompts would have been saved by 1 rule, none of which allows
        # anything that was ever denied. Look at each before you add it to a policy.
        # Skipped: 1 denied, expired, withdrawn or still waiting.
        [[rule]] # 3 prompts in 1 thread, 3 different, allowed by user:ada
        name = "suggested: bash, command `git log **`"
        tool = "bash"
        principal = "agent:builder"
        command = "git log **"
        unless = { command = ["git log *--ext-diff*", "git log *--output*", "git log *--textconv*"] }
        verdict = "allow"
        exit 0
        "#);
        let output = desk.types("policy replay --policy suggested.toml --json").await.stdout;
        let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        assert_eq!(
            (&json["saved"]["allowed"], &json["allowedThoughDenied"]["count"]),
            (&3.into(), &0.into())
        );
        let output = desk.types("policy suggest --at-least 3 --json").await.stdout;
        let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        assert_eq!((&json["saved"], &json["rules"][0]["nearMisses"]), (&3.into(), &1.into()));
    })
    .await;
}

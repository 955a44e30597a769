//! `countersign policy fmt`

use crate::desk::{with_desk, with_empty_desk};
use insta::assert_snapshot;

const UNTIDY: &str = "# What is free.\n[[rule]]\nverdict='allow'\nname =   \"shell\"\ntool=\"bash\"\n";

#[tokio::test]
async fn invalid_policy_file_stays_unchanged() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("policy fmt").await, @"
        ! countersign: no policy is set; give the path of a file
        exit 2
        ");
        desk.write_file("policy.toml", "[[rule]]\nname = 7\n");
        assert_snapshot!(desk.types("policy fmt policy.toml").await, @"
        ! countersign: policy.toml: the policy is invalid at line 2, column 8: name must be a string, not a number
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        let kept = std::fs::read_to_string(desk.path("policy.toml")).expect("the file exists");
        assert_eq!(kept, "[[rule]]\nname = 7\n");
    })
    .await;
}

#[tokio::test]
async fn formatting_twice_changes_nothing() {
    with_empty_desk(async |desk| {
        desk.write_file("policy.toml", UNTIDY);
        assert_snapshot!(desk.types("policy fmt --check policy.toml").await, @"
        ! policy.toml is not in the standard layout: countersign policy fmt policy.toml
        exit 1
        ");
        assert_eq!(std::fs::read_to_string(desk.path("policy.toml")).expect("the file exists"), UNTIDY);
        assert_snapshot!(desk.types("policy fmt policy.toml").await, @"
        Formatted policy.toml.
        exit 0
        ");
        assert_snapshot!(std::fs::read_to_string(desk.path("policy.toml")).expect("the file exists"), @r#"
        # What is free.
        [[rule]]
        name = "shell"
        tool = "bash"
        verdict = 'allow'
        "#);
        assert_snapshot!(desk.types("policy fmt policy.toml").await, @"exit 0");
        assert_snapshot!(desk.types("policy fmt --check --policy policy.toml").await, @"exit 0");
        let file_count = std::fs::read_dir(desk.path("")).expect("the file exists").count();
        assert_eq!(file_count, 1, "no temporary file is left");
    })
    .await;
}

#[tokio::test]
async fn policy_on_stdin_is_formatted_to_stdout() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", UNTIDY);
        let piped = format!("{} policy fmt - < policy.toml", crate::desk::COUNTERSIGN);
        let output = desk.run_program("sh", &["-c", &piped]).await;
        desk.types("policy fmt policy.toml").await;
        assert_eq!(output, std::fs::read_to_string(desk.path("policy.toml")).expect("the file exists"));
    })
    .await;
}

//! `countersign policy test`

use crate::desk::with_desk;
use insta::assert_snapshot;

const POLICY: &str = r#"
[[rule]]
name = "harmless shell"
tool = "bash"
command = "git status*"
verdict = "allow"
examples = { match = ["git status -s"], noMatch = ["git status; rm -rf /", "ls"] }
"#;

#[tokio::test]
async fn failed_example_is_a_policy_error() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", &POLICY.replace("\"ls\"", "\"git status\""));
        assert_snapshot!(desk.types("policy test --policy policy.toml").await, @r#"
        ! countersign: policy.toml: the policy is invalid at line 7, column 76: rule "harmless shell" matches this example, which is listed in `noMatch`
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn error_in_a_case_file_names_its_line() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", POLICY);
        desk.write_file("cases.toml", "[[case]]\ncommand = \"ls\"\nverdcit = \"ask\"\n");
        assert_snapshot!(desk.types("policy test --policy policy.toml cases.toml").await, @r#"
        ! countersign: cases.toml: TOML parse error at line 3, column 1
        !   |
        ! 3 | verdcit = "ask"
        !   | ^^^^^^^
        ! unknown field `verdcit`, expected one of `name`, `tool`, `command`, `url`, `path`, `args`, `thread`, `principal`, `place`, `annotations`, `impact`, `definition`, `verdict`, `rule`
        exit 2
        "#);
        desk.write_file("cases.toml", "\n[[case]]\nverdict = \"ask\"\n");
        assert_snapshot!(desk.types("policy test --policy policy.toml cases.toml").await, @"
        ! countersign: cases.toml: line 2: a case needs a `tool` or a `command`
        exit 2
        ");
        desk.write_file("cases.toml", "[case]\ncommand = \"ls\"\nverdict = \"ask\"\n");
        let output = desk.types("policy test --policy policy.toml cases.toml").await.stderr;
        assert!(output.contains("write cases as [[case]], with two brackets"), "{output}");
        // If an unknown key was ignored, the case could pass for the wrong reason.
        for wrong in ["impact = { riskLevel = \"hihg\" }", "definition = { needsAproval = true }"] {
            desk.write_file("cases.toml", &format!("[[case]]\ncommand = \"ls\"\nverdict = \"ask\"\n{wrong}\n"));
            let output = desk.types("policy test --policy policy.toml cases.toml").await;
            assert!(output.code == 2 && output.stderr.contains("line 4"), "{wrong}: {}", output.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn failed_case_shows_the_actual_verdict() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", POLICY);
        desk.write_file(
            "good.toml",
            "[[case]]\ncommand = \"git status -s\"\nverdict = \"allow\"\nrule = \"harmless shell\"\n\
             [[case]]\ntool = \"mail\"\nargs = { to = \"bob\" }\nverdict = \"ask\"\n",
        );
        assert_snapshot!(desk.types("policy test --policy policy.toml good.toml").await, @"
        policy.toml: 3 examples and 2 cases hold.
        exit 0
        ");
        desk.write_file(
            "bad.toml",
            "[[case]]\nname = \"removing\"\ncommand = \"git status && rm -rf /\"\nverdict = \"block\"\n\n\
             [[case]]\ncommand = \"git status\"\nverdict = \"allow\"\nrule = \"another\"\n",
        );
        assert_snapshot!(desk.types("policy test --policy policy.toml good.toml bad.toml").await, @"
        failed bad.toml:1 removing
          expected block
          actual   ask: no rule allows `rm -rf /` in this line
        failed bad.toml:6 case 2
          expected allow by another
          actual   allow by harmless shell: the rule says so
        policy.toml: 3 examples and 2 cases hold; 2 cases failed.
        exit 1
        ");
        let output = desk.types("policy test --policy policy.toml bad.toml --json").await;
        let json: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
        assert_eq!((output.code, &json["examples"], &json["cases"]), (1, &3.into(), &2.into()));
        assert_eq!(json["failures"][0]["line"], 1);
        assert_eq!(json["failures"][1]["actual"]["rule"], "harmless shell");
    })
    .await;
}

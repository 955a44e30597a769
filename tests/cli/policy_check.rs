//! `countersign policy check`

use crate::desk::{TerminalDesk, with_desk, with_empty_desk};
use insta::assert_snapshot;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }
"user:bob" = { groups = ["ops"] }

[[rule]]
name = "harmless shell"
tool = "bash"
command = ["git status **", "git status", "ls"]
verdict = "allow"

[[rule]]
name = "no force pushes"
tool = "bash"
command = "git push*--force*"
verdict = "block"
reason = "history is shared"

[[rule]]
name = "large transfers"
tool = "transfer"
when = "args.amount > 10000"
verdict = "ask"
quorum = 2
level = "user"
approvers = "@ops"
expires = "15m"
remindAfter = "5m"
escalateAfter = "10m"
escalateTo = "admin"

[[rule]]
name = "no shell at all"
tool = "bash"
verdict = "block"
shadow = true
"#;

fn write_policy(desk: &TerminalDesk) {
    desk.write_file("policy.toml", POLICY);
}

#[tokio::test]
async fn policy_error_names_its_line() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", "[[rule]]\nname = \"a\"\ntol = \"bash\"\nverdict = \"allow\"\n");
        assert_snapshot!(desk.types("policy check --policy policy.toml").await, @"
        ! countersign: policy.toml: the policy is invalid at line 3, column 1: a rule has no key `tol`; did you mean `tool`?
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_snapshot!(desk.types("policy check --policy missing.toml").await, @"
        ! countersign: the policy missing.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn invalid_call_is_refused() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("policy check --tool bash --arguments '{'").await, @"
        ! error: invalid value '{' for '--arguments <JSON>': it is not JSON: EOF while parsing an object at line 1 column 1
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        desk.write_file("call.json", r#"{"name":"bash","argumnets":{}}"#);
        assert_snapshot!(desk.types("policy check --call call.json").await, @"
        ! countersign: call.json: unknown field `argumnets`, expected one of `name`, `arguments`, `place`, `annotations`, `impact`, `definition`, `id`, `description`, `expiresInSeconds` at line 1 column 26
        exit 2
        ");
        desk.write_file("call.json", r#"{"name":"bash","arguments":{},"impact":{"riskLevel":"huge"}}"#);
        assert_snapshot!(desk.types("policy check --call call.json").await, @r#"
        ! countersign: call.json: unknown value "huge"; use one of low, medium, high, critical at line 1 column 59
        exit 2
        "#);
        assert_snapshot!(desk.types("policy check --call call.json -- ls").await, @"
        ! error: the argument '--call <FILE>' cannot be used with '[COMMAND]...'
        ! 
        ! Usage: countersign policy check --call <FILE> [FILE] [-- <COMMAND>...]
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn check_without_call_describes_the_policy() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("policy check").await, @"
        the shipped policy (no log exists yet): 10 rules, no warnings.
        exit 0
        ");
        write_policy(desk);
        assert_snapshot!(desk.types("policy check --policy policy.toml").await, @"
        policy.toml: 4 rules, no warnings.
        exit 0
        ");
        desk.write_file(
            "odd.toml",
            "[patterns]\n\"bash\" = \"block\"\n\"bash:ls\" = \"allow\"\n",
        );
        assert_snapshot!(desk.types("policy check --policy odd.toml").await, @r#"
        odd.toml: 2 rules, 1 warning.
          line 3, column 1: rule "bash:ls" never decides: rule "bash" blocks every call that it matches, and the strictest wins; narrow "bash", or exclude calls from it with `unless`
        exit 0
        "#);
        let output: serde_json::Value =
            serde_json::from_str(&desk.types("policy check --policy odd.toml --json").await.stdout)
                .expect("JSON");
        assert_eq!((&output["rules"], &output["warnings"][0]["line"]), (&2.into(), &3.into()), "{output}");
    })
    .await;
}

#[tokio::test]
async fn verdict_sets_exit_code_and_explains_itself() {
    with_desk(async |desk| {
        write_policy(desk);
        desk.set_variable("COUNTERSIGN_POLICY", "policy.toml");
        assert_snapshot!(desk.types("policy check -- git status -s").await, @"
        allow  the rule says so
          by       rule harmless shell
          matched  allow harmless shell: tool `bash` matches, command `git status **` or `git status` or `ls` matches
          matched  block no shell at all: tool `bash` matches (shadow rule: no effect)
          policy   policy.toml
        exit 0
        ");
        assert_snapshot!(desk.types("policy check -- 'git status; git push --force'").await, @"
        block  history is shared
          by       rule no force pushes
          does     moves the branch that is checked out by force
          matched  block no force pushes: tool `bash` matches, command `git push*--force*` matches
          matched  block no shell at all: tool `bash` matches (shadow rule: no effect)
          policy   policy.toml
        exit 77
        ");
        assert_snapshot!(desk.types(r#"policy check --tool transfer --arguments '{"amount":20000}'"#).await, @"
        ask  the rule says so
          by       rule large transfers
          terms    level user
          terms    2 must agree
          terms    decided by @ops
          terms    people are reminded after 5m 0s
          terms    escalates to level admin after 10m 0s
          terms    denied after 15m 0s without an answer
          matched  ask   large transfers: tool `transfer` matches, the condition holds
          policy   policy.toml
        exit 76
        ");
        assert_snapshot!(desk.types(r#"policy check --tool transfer --arguments '{"amount":5}'"#).await, @"
        ask  no rule matches this call
          by       default
          matched  no rule
          policy   policy.toml
        exit 76
        ");
    })
    .await;
}

#[tokio::test]
async fn call_is_read_from_a_file() {
    with_desk(async |desk| {
        desk.write_file(
            "policy.toml",
            "[trust]\ntools = \"search\"\n[[rule]]\nname = \"reads\"\nannotations = { readOnlyHint = true }\nthread = \"t*\"\nprincipal = \"agent:scout\"\nverdict = \"allow\"\n",
        );
        desk.write_file(
            "call.json",
            r#"{"id":"call_1","name":"search","arguments":{},"annotations":{"readOnlyHint":true},"description":"look"}"#,
        );
        let line = "policy check --policy policy.toml --call call.json --thread t1";
        assert_eq!(desk.types(&format!("{line} --as agent:scout")).await.code, 0);
        assert_eq!(desk.types(&format!("{line} --as agent:else")).await.code, 76);
        let output: serde_json::Value =
            serde_json::from_str(&desk.types(&format!("{line} --as agent:scout --json")).await.stdout)
                .expect("JSON");
        assert_eq!((&output["verdict"], &output["rule"]), (&"allow".into(), &"reads".into()), "{output}");
        assert_eq!(output["terms"]["quorum"], 1);
    })
    .await;
}

#[tokio::test]
async fn positional_argument_is_a_policy_file() {
    with_desk(async |desk| {
        write_policy(desk);
        assert_snapshot!(desk.types("policy check policy.toml").await, @"
        policy.toml: 4 rules, no warnings.
        exit 0
        ");
        assert_snapshot!(desk.types("policy check policy.toml -- git push --force").await, @"
        block  history is shared
          by       rule no force pushes
          does     moves the branch that is checked out by force
          matched  block no force pushes: tool `bash` matches, command `git push*--force*` matches
          matched  block no shell at all: tool `bash` matches (shadow rule: no effect)
          policy   policy.toml
        exit 77
        ");
        assert_snapshot!(desk.types("policy check policy.toml --tool bash").await, @"
        block  history is shared (the call has no command; a block rule then matches)
          by       rule no force pushes
          matched  block no force pushes: the call has no command; a block rule then matches
          matched  block no shell at all: tool `bash` matches (shadow rule: no effect)
          policy   policy.toml
        exit 77
        ");
        assert_snapshot!(desk.types("policy check missing.toml").await, @"
        ! countersign: the policy missing.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_snapshot!(desk.types("policy check policy.toml --policy policy.toml").await, @"
        ! countersign: check policy.toml or policy.toml, not both: remove --policy
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn tool_as_positional_argument_names_the_option() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types(r#"policy check transfer '{"amount":5}'"#).await, @r#"
        ! countersign: transfer is read as the file of a policy; for a call of a tool, type --tool transfer --arguments '{"amount":5}'
        exit 2
        "#);
        assert_snapshot!(desk.types("policy check bash").await, @"
        ! countersign: bash is read as the file of a policy; for a call of a tool, type --tool bash --arguments '{}'
        exit 2
        ");
        let remedy = r#"policy check --tool transfer --arguments '{"amount":5}'"#;
        assert_eq!(desk.types(remedy).await.code, 76, "the remedy works");
    })
    .await;
}

#[tokio::test]
async fn policy_on_stdin_is_checked() {
    with_desk(async |desk| {
        write_policy(desk);
        let piped = format!("{} policy check - -- ls < policy.toml", crate::desk::COUNTERSIGN);
        let output = desk.run_program("sh", &["-c", &piped]).await;
        assert!(output.contains("allow"), "{output}");
    })
    .await;
}

#[tokio::test]
async fn check_without_log_uses_the_shipped_policy() {
    with_empty_desk(async |desk| {
        let output = desk.types("policy check").await;
        assert_eq!(output.code, 0, "{output}");
        assert!(output.stdout.starts_with("the shipped policy (no log exists yet)"), "{output}");
        assert_eq!(std::fs::read_dir(desk.path("")).expect("a folder").count(), 0, "nothing is created");
    })
    .await;
}

#[tokio::test]
async fn call_is_judged_in_the_current_project() {
    with_desk(async |desk| {
        assert_eq!(desk.types("policy use coding --yes --as user:ada").await.code, 0);
        // The home folder is no project, so it must be another one.
        let policy = desk.types("policy show").await.stdout;
        std::fs::write(desk.path("coding.toml"), policy).expect("written");
        desk.set_variable("HOME", &desk.path("elsewhere").display().to_string());
        for (line, code) in [("npm test", 0), ("cat /etc/hostname", 76), ("cat .env", 76)] {
            let said = desk.types(&format!("policy check coding.toml -- '{line}'")).await;
            assert_eq!(said.code, code, "{line}: {said}");
        }
    })
    .await;
}

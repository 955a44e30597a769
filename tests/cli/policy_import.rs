//! `countersign policy import`

use crate::desk::{TerminalDesk, with_desk, with_empty_desk};
use insta::assert_snapshot;

const WORKER: &str = include_str!("../fixtures/golem_forge/document_processor.worker");
const TOOLSETS: &str = include_str!("../fixtures/golem_forge/toolsets.worker");
const CONFIG: &str = include_str!("../fixtures/golem_forge/approval_config.json");

/// Files with settings that a policy cannot have, and files that are no configuration.
const UNUSUAL: [(&str, &str); 15] = [
    ("both.yaml", "deploy: { blocked: true, preApproved: true, blockReason: 'No \"deploys\"' }"),
    ("pattern.yaml", "'file_*': { preApproved: true }\nread_file: { preApproved: true, remember: session }"),
    ("word.yaml", "scratch: { write: always }"),
    ("flag.yaml", "deploy: { blocked: yes }"),
    ("mode.yaml", "sandbox: { zones: [{ name: a, mode: rwx }] }"),
    ("list.yaml", "[a, b]"),
    ("other.yaml", "name: x\ndescription: y"),
    ("broken.yaml", "a: [1"),
    ("folder.yaml", "../etc: { write: preApproved }"),
    ("bare.worker", "---\nname: x\ntoolsets: { filesystem: {} }\n---\nText: [not yaml\n"),
    (
        "git.yaml",
        "toolsets: { git: { default_target: x }, custom: { module: t, timeout: 1 } }\napproval: { mode: auto_deny }",
    ),
    (
        "dead.yaml",
        "toolsets: { shell: { rules: [{ pattern: git }, { pattern: git push, approval: blocked }] } }",
    ),
    (
        "odd.yaml",
        "toolsets: { shell: { rules: [{ pattern: 'a | b' }, { pattern: \"echo '\", approval: preApproved }] } }",
    ),
    ("rules.yaml", "toolsets: { shell: { rules: { pattern: ls } } }"),
    ("decision.yaml", "toolsets: { custom: { tools: [a], approval: { tools: { a: never } } } }"),
];

#[tokio::test]
async fn zones_of_a_worker_become_a_policy() {
    with_empty_desk(async |desk| {
        desk.write_file("main.worker", WORKER);
        assert_snapshot!(desk.types("policy import main.worker").await, @r#"
        # Imported from main.worker.
        # What is not mentioned here is asked, as a tool that needs approval.
        default = "ask"

        # A tool that no rule and no zone names runs if its own `needsApproval` is false. Name fewer tools to trust fewer.
        [trust]
        tools = ["*"]

        [zones.input]
        root = "/input"
        read = "allow"
        write = "block"
        delete = "block"
        reason = "the zone input is read-only"

        [zones.scratch]
        root = "/scratch"
        read = "allow"
        write = "allow"
        delete = "allow"

        [zones.output]
        root = "/output"
        read = "allow"
        write = "ask"
        delete = "block"
        reason = "blocked in the zone output"

        [tools.read_file]
        operation = "read"

        [tools.list_files]
        operation = "read"

        [tools.file_exists]
        operation = "read"

        [tools.file_info]
        operation = "read"

        [tools.write_file]
        operation = "write"

        [tools.delete_file]
        operation = "delete"
        exit 0
        "#);
        let imported = desk.types("policy import main.worker").await.stdout;
        let calls = [
            (r#"write_file {"path":"/scratch/temp.txt"}"#, "allow"),
            (r#"write_file {"path":"/output/report.md"}"#, "ask"),
            (r#"delete_file {"path":"/output/report.md"}"#, "block"),
            (r#"delete_file {"path":"/scratch/temp.txt"}"#, "allow"),
            (r#"write_file {"path":"/input/a.pdf"}"#, "block"),
            (r#"read_file {"path":"/input/a.pdf"}"#, "allow"),
            (r#"write_file {"path":"/scratch/../output/report.md"}"#, "ask"),
            (r#"delete_file {"path":"/scratch/../output/report.md"}"#, "block"),
            (r#"write_file {"path":"/etc/passwd"}"#, "ask"),
            (r#"call_worker {"worker":"analyst"}"#, "ask"),
        ];
        check(desk, &imported, &calls).await;
    })
    .await;
}

/// The verdicts under a policy, by their exit codes.
async fn check(desk: &TerminalDesk, policy: &str, calls: &[(&str, &str)]) {
    desk.write_file("policy.toml", policy);
    for (call, verdict) in calls {
        let (tool, arguments) = call.split_once(' ').expect("a tool and arguments");
        let line = format!("policy check --policy policy.toml --tool {tool} --arguments '{arguments}'");
        let judged = desk.types(&line).await;
        let code = ["allow", "ask", "block"].iter().position(|word| word == verdict);
        assert_eq!(Some(judged.code), code.map(|at| [0, 76, 77][at]), "{call}: {judged}");
    }
}

#[tokio::test]
async fn approvals_of_toolsets_become_rules() {
    with_empty_desk(async |desk| {
        desk.write_file("operator.worker", TOOLSETS);
        let screen = desk.types("policy import operator.worker").await.to_string();
        let (tools, commands) = screen.split_once("[[rule]]\nname = \"shell: ").expect("a rule for commands");
        assert!(tools.contains("tool = \"wipe\"\nverdict = \"block\"\nreason = \"Blocked by policy\""), "{tools}");
        assert_snapshot!(commands, @r#"
        metacharacters"
        tool = "shell"
        args = { "/command" = { regex = '[|><;&`]|\$[({]' } }
        verdict = "block"
        reason = "commands run without a shell, so shell metacharacters are blocked"

        [[rule]]
        name = 'shell "git status": allow'
        tool = "shell"
        command = "git status*"
        verdict = "allow"

        [[rule]]
        name = 'shell "git push --force": block'
        tool = "shell"
        command = "git push --force*"
        verdict = "block"
        reason = 'commands that start with "git push --force" are blocked'

        [[rule]]
        name = 'shell "git push": ask'
        tool = "shell"
        command = "git push*"
        verdict = "ask"

        [[rule]]
        name = 'shell "ls ": allow'
        tool = "shell"
        command = "ls **"
        verdict = "allow"

        [[rule]]
        name = "shell, other commands: block"
        tool = "shell"
        unless = { args = { "/command" = { regex = '^(?:git status|git push \-\-force|git push|ls )' } } }
        verdict = "block"
        reason = "the command is on no list of commands that may run"
        ! note: the settings of toolset workers (allowed_workers) are not carried over; its tools are asked, unless they say that they need no approval
        ! note: the server-side tool "web_search" runs at the model's provider, which asks nobody
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn approvals_of_toolsets_are_judged() {
    with_empty_desk(async |desk| {
        desk.write_file("operator.worker", TOOLSETS);
        let imported = desk.types("policy import operator.worker").await.stdout;
        let calls = [
            (r#"shell {"command":"git status -s","timeout":30}"#, "allow"),
            (r#"shell {"command":"git status --unheard-of"}"#, "ask"),
            (r#"shell {"command":"git status; make"}"#, "block"),
            (r#"shell {"command":"git push --force origin"}"#, "block"),
            (r#"shell {"command":"git push origin"}"#, "ask"),
            (r#"shell {"command":"ls /tmp"}"#, "allow"),
            (r#"shell {"command":"ls"}"#, "block"),
            (r#"shell {"command":"make"}"#, "block"),
            (r"shell {}", "block"),
            (r#"add {"a":1}"#, "allow"),
            ("mail {}", "ask"),
            ("guess {}", "ask"),
            ("wipe {}", "block"),
            (r#"read_file {"path":"a.txt"}"#, "allow"),
            ("list_files {}", "allow"),
            (r#"write_file {"path":"a.txt"}"#, "ask"),
        ];
        check(desk, &imported, &calls).await;
    })
    .await;
}

/// The first rule that matches counts, and then the default.
#[tokio::test]
async fn order_of_shell_rules_is_kept() {
    with_empty_desk(async |desk| {
        let rules = "{ pattern: git log, approval: preApproved }, { pattern: git }, { pattern: rm, approval: blocked }";
        desk.write_file("a.yaml", &format!("toolsets: {{ shell: {{ rules: [{rules}], default: {{ approval: preApproved }} }} }}"));
        let imported = desk.types("policy import a.yaml").await.stdout;
        let calls = [
            (r#"shell {"command":"git log -3"}"#, "allow"),
            (r#"shell {"command":"git commit"}"#, "ask"),
            (r#"shell {"command":"rm x"}"#, "block"),
            (r#"shell {"command":"make"}"#, "allow"),
            (r#"shell {"command":"make > x"}"#, "block"),
        ];
        check(desk, &imported, &calls).await;
        desk.write_file("b.yaml", "toolsets: { shell: { default: {} } }");
        let imported = desk.types("policy import b.yaml").await.stdout;
        check(desk, &imported, &[(r#"shell {"command":"make"}"#, "ask")]).await;
    })
    .await;
}

#[tokio::test]
async fn approvals_of_tools_become_rules() {
    with_desk(async |desk| {
        desk.write_file("approval.json", CONFIG);
        assert_snapshot!(desk.types("policy import approval.json").await, @r#"
        # Imported from approval.json.
        # What is not mentioned here is asked, as a tool that needs approval.
        default = "ask"

        # A tool that no rule and no zone names runs if its own `needsApproval` is false. Name fewer tools to trust fewer.
        [trust]
        tools = ["*"]

        [[rule]]
        name = "dangerous_tool: block"
        tool = "dangerous_tool"
        verdict = "block"
        reason = "Disabled"

        [[rule]]
        name = "read_file: allow"
        tool = "read_file"
        verdict = "allow"

        [[rule]]
        name = "write_file: ask"
        tool = "write_file"
        verdict = "ask"
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn zones_alone_become_a_policy() {
    with_desk(async |desk| {
        let zones = "scratch: { write: preApproved, delete: preApproved }\noutput: { delete: blocked }\n";
        desk.write_file("zones.yaml", zones);
        assert_snapshot!(desk.types("policy import --from golem-forge zones.yaml").await, @r#"
        # Imported from zones.yaml.
        # What is not mentioned here is asked, as a tool that needs approval.
        default = "ask"

        # A tool that no rule and no zone names runs if its own `needsApproval` is false. Name fewer tools to trust fewer.
        [trust]
        tools = ["*"]

        [zones.output]
        root = "/output"
        read = "allow"
        write = "ask"
        delete = "block"
        reason = "blocked in the zone output"

        [zones.scratch]
        root = "/scratch"
        read = "allow"
        write = "allow"
        delete = "allow"

        [tools.read_file]
        operation = "read"

        [tools.list_files]
        operation = "read"

        [tools.file_exists]
        operation = "read"

        [tools.file_info]
        operation = "read"

        [tools.write_file]
        operation = "write"

        [tools.delete_file]
        operation = "delete"
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn mounts_become_zones() {
    with_desk(async |desk| {
        let sandbox = "sandbox:\n  restrict: /scratch\n  approval:\n    write: preApproved\n  color: blue\n  mounts:\n    - { source: /home/me/.npm, target: /cache, readonly: true }\n";
        desk.write_file("golem-forge.config.yaml", sandbox);
        assert_snapshot!(desk.types("policy import golem-forge.config.yaml --json").await, @r##"
        {"notes":["sandbox has the unknown setting \"color\", which is left out"],"toml":"# Imported from golem-forge.config.yaml.\n# What is not mentioned here is asked, as a tool that needs approval.\ndefault = \"ask\"\n\n# A tool that no rule and no zone names runs if its own `needsApproval` is false. Name fewer tools to trust fewer.\n[trust]\ntools = [\"*\"]\n\n[zones.sandbox]\nroot = \"/scratch\"\nread = \"allow\"\nwrite = \"allow\"\ndelete = \"ask\"\n\n[zones.cache]\nroot = \"/cache\"\nread = \"allow\"\nwrite = \"block\"\ndelete = \"block\"\nreason = \"the zone cache is read-only\"\n\n[tools.read_file]\noperation = \"read\"\n\n[tools.list_files]\noperation = \"read\"\n\n[tools.file_exists]\noperation = \"read\"\n\n[tools.file_info]\noperation = \"read\"\n\n[tools.write_file]\noperation = \"write\"\n\n[tools.delete_file]\noperation = \"delete\"\n"}
        exit 0
        "##);
    })
    .await;
}

/// `tests/api/golem_forge.rs` runs a worker under this policy.
#[tokio::test]
async fn imported_options_equal_the_policy_in_use() {
    with_empty_desk(async |desk| {
        desk.write_file("options.json", include_str!("../fixtures/golem_forge/toolset_options.json"));
        let imported = desk.types("policy import options.json").await.stdout;
        assert_eq!(imported, include_str!("../fixtures/golem_forge/imported.toml"));
        desk.write_file("policy.toml", &imported);
        assert_eq!(desk.types("policy check --policy policy.toml").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_imported_is_said() {
    with_desk(async |desk| {
        let mut said = Vec::new();
        for (name, text) in UNUSUAL {
            desk.write_file(name, text);
            let output = desk.types(&format!("policy import {name}")).await.to_string();
            let kept = output.lines().filter(|line| line.starts_with('!') || line.starts_with("exit"));
            said.extend(kept.map(str::to_owned));
        }
        assert_snapshot!(said.join("\n"), @r#"
        ! note: deploy is pre-approved and blocked; it is blocked, as in Golem Forge
        exit 0
        ! note: "file_*" has characters that a rule reads as a pattern; write its rule yourself
        ! note: read_file has the unknown setting "remember", which is left out
        exit 0
        ! countersign: word.yaml: the approval of zone scratch has write: "always"; Golem Forge knows preApproved, ask and blocked
        exit 2
        ! countersign: flag.yaml: blocked of deploy must be true or false, not "yes"
        exit 2
        ! countersign: mode.yaml: zone a has the mode "rwx"; Golem Forge knows ro and rw
        exit 2
        ! countersign: list.yaml: has no settings: it is not a mapping
        exit 2
        ! countersign: other.yaml: has no settings of approval: none of sandbox, approvalConfig, zoneApprovalConfig, toolsets, approval, server_side_tools, and no configuration of tools or zones
        exit 2
        ! countersign: broken.yaml: is not YAML: while parsing a flow sequence, expected ',' or ']' at byte 5 line 2 column 1
        exit 2
        ! countersign: folder.yaml: it cannot become a policy: the policy is invalid at line 10, column 8: the root of a zone must be in normal form; write "/etc"
        exit 2
        exit 0
        ! note: toolset custom has the unknown setting "timeout", which is left out
        ! note: the settings of toolset git (default_target) are not carried over; its tools are asked, unless they say that they need no approval
        ! note: approval.mode "auto_deny" is a mode of a thread; set it with countersign thread mode
        exit 0
        ! note: shell rule "git push" is left out: "git" before it matches first
        exit 0
        ! note: shell rule "a | b" is left out: commands with metacharacters are blocked
        ! note: shell rule "echo '" cannot be written as a pattern; its commands are asked
        exit 0
        ! countersign: rules.yaml: the rules of toolset shell must be a list
        exit 2
        ! countersign: decision.yaml: the approval of toolset custom has a: "never"; Golem Forge knows preApproved, ask and blocked
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn file_to_import_is_limited() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("policy import nothing.yaml").await, @r#"
        ! countersign: nothing.yaml cannot be read: No such file or directory (os error 2)
        exit 2
        "#);
        desk.write_file("large.yaml", &"# x\n".repeat(70_000));
        assert_snapshot!(desk.types("policy import large.yaml").await, @r#"
        ! countersign: large.yaml: has more than 262144 bytes, the maximum of a file to import
        exit 2
        "#);
    })
    .await;
}

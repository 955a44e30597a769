//! `countersign policy import`

use crate::desk::{with_desk, with_empty_desk};
use insta::assert_snapshot;

const WORKER: &str = include_str!("../fixtures/golem_forge/document_processor.worker");
const CONFIG: &str = include_str!("../fixtures/golem_forge/approval_config.json");

/// Files with settings that a policy cannot have, and files that are no configuration.
const UNUSUAL: [(&str, &str); 10] = [
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
];

#[tokio::test]
async fn zones_of_a_worker_become_a_policy() {
    with_empty_desk(async |desk| {
        desk.write_file("main.worker", WORKER);
        assert_snapshot!(desk.types("policy import main.worker").await, @r#"
        # Imported from main.worker.
        # What is not mentioned here is asked, as a tool that needs approval.
        default = "ask"

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
        desk.write_file("policy.toml", &imported);
        for (call, verdict) in [
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
        ] {
            let (tool, arguments) = call.split_once(' ').expect("a tool and arguments");
            let line = format!("policy check --policy policy.toml --tool {tool} --arguments '{arguments}'");
            let judged = desk.types(&line).await;
            let code = ["allow", "ask", "block"].iter().position(|word| *word == verdict);
            assert_eq!(Some(judged.code), code.map(|at| [0, 76, 77][at]), "{call}: {judged}");
        }
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
        let zones = "scratch: { write: preApproved, delete: preApproved }\noutput: { delete: blocked }\n";
        desk.write_file("zones.yaml", zones);
        assert_snapshot!(desk.types("policy import --from golem-forge zones.yaml").await, @r#"
        # Imported from zones.yaml.
        # What is not mentioned here is asked, as a tool that needs approval.
        default = "ask"

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
        {"notes":["sandbox has the unknown setting \"color\", which is left out"],"toml":"# Imported from golem-forge.config.yaml.\n# What is not mentioned here is asked, as a tool that needs approval.\ndefault = \"ask\"\n\n[zones.sandbox]\nroot = \"/scratch\"\nread = \"allow\"\nwrite = \"allow\"\ndelete = \"ask\"\n\n[zones.cache]\nroot = \"/cache\"\nread = \"allow\"\nwrite = \"block\"\ndelete = \"block\"\nreason = \"the zone cache is read-only\"\n\n[tools.read_file]\noperation = \"read\"\n\n[tools.list_files]\noperation = \"read\"\n\n[tools.file_exists]\noperation = \"read\"\n\n[tools.file_info]\noperation = \"read\"\n\n[tools.write_file]\noperation = \"write\"\n\n[tools.delete_file]\noperation = \"delete\"\n"}
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
        ! countersign: other.yaml: has no settings of approval: none of sandbox, approvalConfig, zoneApprovalConfig, and no configuration of tools or zones
        exit 2
        ! countersign: broken.yaml: is not YAML: while parsing a flow sequence, expected ',' or ']' at byte 5 line 2 column 1
        exit 2
        ! countersign: folder.yaml: it cannot become a policy: the policy is invalid at line 6, column 8: the root of a zone must be in normal form; write "/etc"
        exit 2
        ! note: the worker has no settings of approval; its tools are asked
        exit 0
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

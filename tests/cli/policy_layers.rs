//! Policies with layers in `policy.d`.

use crate::desk::{TerminalDesk, with_desk};
use insta::assert_snapshot;

const MAIN: &str =
    "[[rule]]\nname = \"shell\"\ntool = \"bash\"\nverdict = \"allow\"\nexamples = { match = [{}] }\n";
const LAYER: &str = "[[rule]]\nname = \"shell\"\ntool = \"bash\"\ncommand = \"git push*\"\nverdict = \"block\"\nreason = \"frozen\"\nexamples = { match = [\"git push\"] }\n";

fn write_layers(desk: &TerminalDesk) {
    std::fs::create_dir_all(desk.path("etc/policy.d")).expect("a folder");
    desk.write_file("etc/policy.toml", MAIN);
    desk.write_file("etc/policy.d/10-freeze.toml", LAYER);
}

#[tokio::test]
async fn verdict_names_the_file_of_the_rule() {
    with_desk(async |desk| {
        write_layers(desk);
        assert_snapshot!(desk.types("policy check etc/policy.toml -- git push").await, @"
        block  frozen (policy.d/10-freeze.toml)
          by       rule policy.d/10-freeze.toml: shell
          does     moves the branch that is checked out
          matched  allow shell: tool `bash` matches
          matched  block policy.d/10-freeze.toml: shell: tool `bash` matches, command `git push*` matches
          policy   etc/policy.toml with policy.d/10-freeze.toml
        exit 77
        ");
        assert_snapshot!(desk.types("policy check etc/policy.toml -- ls").await, @"
        allow  the rule says so (the main file)
          by       rule shell
          matched  allow shell: tool `bash` matches
          policy   etc/policy.toml with policy.d/10-freeze.toml
        exit 0
        ");
        desk.write_file(
            "cases.toml",
            "[[case]]\ncommand = \"git push\"\nverdict = \"block\"\nrule = \"shell\"\n",
        );
        assert_snapshot!(desk.types("policy test --policy etc/policy.toml cases.toml").await, @"
        etc/policy.toml with policy.d/10-freeze.toml: 2 examples and 1 case hold.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn ignored_files_of_policy_d_are_listed() {
    with_desk(async |desk| {
        write_layers(desk);
        for name in ["README", ".hidden.toml", "20-old.toml~"] {
            desk.write_file(&format!("etc/policy.d/{name}"), "not a policy");
        }
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        etc/policy.toml with policy.d/10-freeze.toml: 2 rules, no warnings.
          ignored: policy.d/.hidden.toml (hidden, or not *.toml, *.prompt or *.cedar)
          ignored: policy.d/20-old.toml~ (hidden, or not *.toml, *.prompt or *.cedar)
          ignored: policy.d/README (hidden, or not *.toml, *.prompt or *.cedar)
        exit 0
        ");
        let output: serde_json::Value =
            serde_json::from_str(&desk.types("policy check etc/policy.toml --json").await.stdout)
                .expect("JSON");
        assert_eq!(output["policy"]["layers"], serde_json::json!(["policy.d/10-freeze.toml"]), "{output}");
        assert_eq!(output["policy"]["ignored"].as_array().map(Vec::len), Some(3), "{output}");
    })
    .await;
}

#[tokio::test]
async fn unreadable_layer_is_an_error() {
    with_desk(async |desk| {
        write_layers(desk);
        desk.write_file("etc/policy.d/20-broken.toml", "\n[[rule]]\nnmae = \"a\"\n");
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        ! countersign: etc/policy.d/20-broken.toml: the policy is invalid at line 2, column 1: a rule needs a `name`
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        std::fs::remove_file(desk.path("etc/policy.d/20-broken.toml")).expect("removed");
        std::fs::create_dir(desk.path("etc/policy.d/30-folder.toml")).expect("a folder");
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        ! countersign: etc/policy.d/30-folder.toml is not a file; remove it, or give it another ending
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        std::fs::remove_dir(desk.path("etc/policy.d/30-folder.toml")).expect("removed");
        std::os::unix::fs::symlink("nowhere", desk.path("etc/policy.d/40-link.toml")).expect("a link");
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        ! countersign: the policy etc/policy.d/40-link.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        std::fs::remove_file(desk.path("etc/policy.d/40-link.toml")).expect("removed");
        desk.write_file("etc/policy.d/a b.toml", "");
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @r#"
        ! countersign: etc/policy.toml: the policy cannot be read: the name "policy.d/a b.toml" is not possible for a layer; use letters, digits, `-`, `_` and `.`, as in "policy.d/10-team.toml"
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn too_large_policy_is_refused() {
    with_desk(async |desk| {
        write_layers(desk);
        desk.write_file("etc/policy.d/20-large.toml", &format!("#{}", " ".repeat(600 * 1024)));
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        ! countersign: the policy etc/policy.d/20-large.toml cannot be read: it has more than 524288 bytes
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        std::fs::remove_file(desk.path("etc/policy.d/20-large.toml")).expect("removed");
        for number in 0..64 {
            desk.write_file(&format!("etc/policy.d/{number}.toml"), "");
        }
        assert_snapshot!(desk.types("policy check etc/policy.toml").await, @"
        ! countersign: etc/policy.d has 65 layers; the limit is 64
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn layer_is_formatted_by_itself() {
    with_desk(async |desk| {
        write_layers(desk);
        desk.write_file(
            "etc/policy.d/20-group.toml",
            "[[rule]]\nverdict=\"allow\"\nname=\"a\"\ntool=\"@elsewhere\"\n",
        );
        assert_eq!(desk.types("policy fmt etc/policy.d/20-group.toml").await.code, 0);
        let text = std::fs::read_to_string(desk.path("etc/policy.d/20-group.toml")).expect("a file");
        assert_eq!(text, "[[rule]]\nname = \"a\"\ntool = \"@elsewhere\"\nverdict = \"allow\"\n");
    })
    .await;
}

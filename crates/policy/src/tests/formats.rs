//! The layout of policies.

use super::*;

#[test]
fn format_normalizes_keys_spaces_lists_and_comments() {
    let text = "# The whole of it.\n\n\n  # And more.\nexpires='1d'   # a day\ndefault=\"ask\"\n[groups]\n# short\ntasks=[ \"a\",\n\"b\" ]\n\n\n\n\
        long = [\"task-create-and-more\", \"task-list-and-more\", \"task-update-and-more\", \"task-complete-and-more\", \"x\"]\n\
        noted = [\n  \"a\", # why\n  \"b\",\n]\n\
        [[rule]]\nverdict=\"allow\"  #yes\ntool=\"x\"\n# the name\nname = \"r\"\nargs={\"/a\"={gt=1}}\n[trust]\ntools=[]\n# The end.\n";
    insta::assert_snapshot!(format(text).expect("valid policy"), @r#"
    # The whole of it.

    default = "ask"
    # And more.
    expires = '1d'  # a day

    [groups]
    # short
    tasks = ["a", "b"]

    long = [
        "task-create-and-more",
        "task-list-and-more",
        "task-update-and-more",
        "task-complete-and-more",
        "x",
    ]
    noted = [
      "a", # why
      "b",
    ]

    [[rule]]
    # the name
    name = "r"
    tool = "x"
    args = { "/a" = { gt = 1 } }
    verdict = "allow"  #yes

    [trust]
    tools = []

    # The end.
    "#);
}

#[test]
fn format_is_idempotent() {
    for text in [
        Policy::SHIPPED,
        "",
        "\n\n",
        "# only words\n",
        "[[rule]]\nname='a'\ntool='x'\nverdict='ask'\nunless.tool='y'\nargs.\"/a\".gt=1\n",
    ] {
        let once = format(text).expect("valid policy");
        assert_eq!(format(&once).as_ref(), Ok(&once));
        assert_eq!(Policy::read(text).expect("reads").rules(), Policy::read(&once).expect("reads").rules());
    }
    assert_eq!(format(Policy::SHIPPED).as_deref(), Ok(Policy::SHIPPED));
}

#[test]
fn short_rules_and_zones_keep_their_order() {
    for (text, tool, first) in [
        ("[patterns]\n\"u*\" = \"block\"\n\"url\" = \"block\"\n", "url", "u*"),
        ("patterns.\"u*\" = \"block\"\npatterns.url = \"block\"\n", "url", "u*"),
        (
            "zones.a.root = \"/a\"\nzones.a.write = \"block\"\nzones.path.root = \"/a\"\n\
             zones.path.write = \"block\"\ntools.w.operation = \"write\"\n",
            "w",
            "zone-a",
        ),
    ] {
        let once = format(text).expect("valid policy");
        assert_eq!(format(&once).as_ref(), Ok(&once));
        for text in [text, &once] {
            let judgement = call(tool, "{\"path\":\"/a/b\"}").judge(&policy(text));
            assert_eq!(judgement.rule.as_deref(), Some(first), "{text}");
        }
    }
}

#[test]
fn invalid_policy_is_not_formatted() {
    assert!(matches!(format("defualt = 1"), Err(BadPolicy::Wrong { line: 1, column: 1, .. })));
    assert!(matches!(format("= 1"), Err(BadPolicy::Unreadable(_))));
}

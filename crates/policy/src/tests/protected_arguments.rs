//! Protections and the arguments of tools that no list knows: what their schema says, and names anywhere else.

use super::*;

const SCHEMA: &str = r#"{"properties":{
    "doc":{"type":"string","format":"uri-reference"},
    "target":{"type":"string","description":"Path of the document to open"},
    "peer":{"type":"string","format":"hostname"},
    "into":{"type":"string","description":"The branch that changes"},
    "ask":{"type":"string","x-type":"sql"},
    "from":{"type":"string","description":"Name of the table"},
    "note":{"type":"string","description":"What to tell people"}}}"#;

fn verdict(things: &str, tool: &str, arguments: &str, annotations: &str) -> Verdict {
    let text = format!(
        "[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"\n[[protect]]\nname = \"guard\"\nverdict = \"block\"\n{things}\n"
    );
    let policy = Policy::read(&text).unwrap_or_else(|e| panic!("{things}: {e}"));
    let input_schema = Some(Json::parse(SCHEMA).expect("JSON"));
    let definition = ToolDefinition { input_schema, ..ToolDefinition::default() };
    let place = Some(Place { folder: Some("/srv/shop".to_owned()), ..Place::default() });
    let call = TestCall { place, ..call(tool, arguments) };
    call.defined(definition).annotated(annotations).verdict(&policy)
}

#[test]
fn schema_says_what_arguments_are() {
    const FILE: &str = "path = \"**/.env\"";
    const HOST: &str = "host = \"db\"";
    const BRANCH: &str = "git = { branch = \"main\" }";
    const TABLE: &str = "sql = { table = \"customers\" }";
    for (things, arguments, expected) in [
        (FILE, r#"{"doc":".env"}"#, Verdict::Block),
        (FILE, r#"{"doc":"file:///srv/shop/.env"}"#, Verdict::Block),
        (FILE, r#"{"target":".env"}"#, Verdict::Block),
        (FILE, r#"{"target":"README.md"}"#, Verdict::Allow),
        (FILE, r#"{"target":"see .env"}"#, Verdict::Ask),
        (FILE, r#"{"note":"see .env"}"#, Verdict::Ask),
        (FILE, r#"{"note":"see env"}"#, Verdict::Allow),
        (HOST, r#"{"peer":"db"}"#, Verdict::Block),
        (HOST, r#"{"peer":"db:5432"}"#, Verdict::Block),
        (HOST, r#"{"peer":"web"}"#, Verdict::Allow),
        (HOST, r#"{"note":"db"}"#, Verdict::Allow),
        (BRANCH, r#"{"into":"main"}"#, Verdict::Ask),
        (BRANCH, r#"{"into":"feature"}"#, Verdict::Allow),
        (BRANCH, r#"{"note":"main"}"#, Verdict::Ask),
        (BRANCH, r#"{"note":"the main thing"}"#, Verdict::Allow),
        (TABLE, r#"{"ask":"delete from customers"}"#, Verdict::Block),
        (TABLE, r#"{"ask":"delete from orders"}"#, Verdict::Allow),
        (TABLE, r#"{"from":"public.customers"}"#, Verdict::Ask),
        (TABLE, r#"{"table":"Customers"}"#, Verdict::Ask),
        (TABLE, r#"{"table":"orders"}"#, Verdict::Allow),
    ] {
        assert_eq!(verdict(things, "mcp__x__do", arguments, "{}"), expected, "{things} {arguments}");
    }
}

#[test]
fn hints_only_make_effects_stricter() {
    let branch = "git = { branch = \"main\" }";
    let on_main = r#"{"ref":"main"}"#;
    assert_eq!(verdict(branch, "mcp__x__get_file", on_main, "{}"), Verdict::Allow);
    for hints in [r#"{"readOnlyHint":false}"#, r#"{"destructiveHint":true}"#] {
        assert_eq!(verdict(branch, "mcp__x__get_file", on_main, hints), Verdict::Ask, "{hints}");
    }
    assert_eq!(verdict(branch, "mcp__x__set_file", on_main, r#"{"readOnlyHint":true}"#), Verdict::Ask);
    let issue = r#"{"title":"a","number":1}"#;
    let changes = r#"{"readOnlyHint":false}"#;
    assert_eq!(verdict(branch, "mcp__github__get_issues", issue, changes), Verdict::Allow);
    assert_eq!(verdict(branch, "mcp__github__get_file", issue, "{}"), Verdict::Allow);
    assert_eq!(verdict(branch, "mcp__github__get_file", issue, changes), Verdict::Ask);
    let table = "sql = { table = \"customers\", statements = [\"write\"] }";
    let rows = r#"{"table":"customers"}"#;
    assert_eq!(verdict(table, "mcp__postgres__list_rows", rows, "{}"), Verdict::Allow);
    assert_eq!(verdict(table, "mcp__postgres__list_rows", rows, changes), Verdict::Ask);
    let cluster = "kubernetes = { context = \"prod\", except = [\"get\"] }";
    let on_prod = r#"{"context":"prod","namespace":"a","name":"x"}"#;
    assert_eq!(verdict(cluster, "mcp__k8s__get_pod", on_prod, "{}"), Verdict::Allow);
    assert_eq!(verdict(cluster, "mcp__k8s__get_pod", on_prod, r#"{"readOnlyHint":false}"#), Verdict::Ask);
}

#[test]
fn policy_names_arguments_for_people() {
    let prose = "path = \"**/.env\"\n[tools.\"mcp__x__do\"]\nharmless = [\"/note\"]";
    assert_eq!(verdict(prose, "mcp__x__do", r#"{"note":"see .env"}"#, "{}"), Verdict::Allow);
    assert_eq!(verdict(prose, "mcp__x__do", r#"{"doc":".env"}"#, "{}"), Verdict::Block);
}

//! Questions of each tool, and what their answers become.

use super::*;
use crate::{Json, ToolName};

fn tool(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

fn json(text: &str) -> Json {
    Json::parse(text).expect("valid")
}

/// The arguments that answer the questions of a call.
fn answer(name: &str, arguments: &str, answers: &[&[&str]]) -> Result<String, BadAnswer> {
    let (name, arguments) = (tool(name), json(arguments));
    let form = QuestionForm::read(&name, &arguments).expect("a question");
    let answers: Vec<QuestionAnswer> =
        answers.iter().map(|parts| parts.iter().map(|part| (*part).to_owned()).collect()).collect();
    form.answer(&name, &arguments, &answers).map(|json| json.as_str().to_owned())
}

const CHOICES: &str = r#"{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL","description":"a server","preview":"psql"}]},{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"A","description":""},{"label":"B"}]}]}"#;

#[test]
fn claude_code_reads_answers_by_text() {
    let form = QuestionForm::read(&tool("AskUserQuestion"), &json(CHOICES)).expect("a question");
    assert!(form.is_complete);
    let [first, second] = form.questions.as_slice() else { panic!("two questions") };
    assert_eq!((first.header.as_deref(), first.multiple, first.free_text), (Some("DB"), false, true));
    assert_eq!(first.options[1].preview.as_deref(), Some("psql"));
    assert_eq!((second.multiple, second.options[0].description.as_deref()), (true, None));
    let answered = answer("AskUserQuestion", CHOICES, &[&["PostgreSQL"], &["A", "and a text"]]);
    let expected = CHOICES.replace(
        "\"B\"}]}]}",
        "\"B\"}]}],\"answers\":{\"Which database?\":\"PostgreSQL\",\"Which parts?\":\"A, and a text\"}}",
    );
    assert_eq!(answered.as_deref(), Ok(expected.as_str()));
}

#[test]
fn answers_must_fit_their_questions() {
    let refused =
        |answers: &[&[&str]]| answer("AskUserQuestion", CHOICES, answers).expect_err("refused").to_string();
    assert_eq!(
        refused(&[&["SQLite"]]),
        "there are 2 questions and 1 answers; give one list for each question, in their order"
    );
    assert_eq!(refused(&[&[], &["A"]]), "\"Which database?\" needs an answer");
    assert_eq!(refused(&[&["SQLite", "PostgreSQL"], &["A"]]), "\"Which database?\" takes one answer");
}

#[test]
fn unclear_questions_are_no_form() {
    let twice = CHOICES.replace("Which parts?", "Which database?");
    let same_labels = CHOICES.replace("\"B\"", "\"A\"");
    for arguments in [&twice, &same_labels, r#"{"questions":[]}"#, r#"{"questions":["x"]}"#, "{}", "[]"] {
        assert_eq!(QuestionForm::read(&tool("AskUserQuestion"), &json(arguments)), None, "{arguments}");
    }
    assert_eq!(QuestionForm::read(&tool("mcp__shop__AskUserQuestion"), &json(CHOICES)), None);
}

#[test]
fn unknown_members_make_form_incomplete() {
    for arguments in [
        CHOICES.replace("{\"questions\"", "{\"command\":\"rm\",\"questions\""),
        CHOICES.replace("\"header\":\"DB\"", "\"header\":\"DB\",\"run\":\"rm\""),
        CHOICES.replace("\"label\":\"B\"", "\"label\":\"B\",\"run\":\"rm\""),
    ] {
        let form = QuestionForm::read(&tool("AskUserQuestion"), &json(&arguments)).expect("a question");
        assert!(!form.is_complete, "{arguments}");
    }
}

#[test]
fn codex_reads_answers_by_id() {
    let arguments = r#"{"questions":[{"id":"db","header":"DB","question":"Which?","isOther":false,"isSecret":false,"options":[{"label":"SQLite","description":"one file"}]},{"id":"why","header":"Why","question":"Why?","options":null}]}"#;
    let answered = answer(CODEX_QUESTION, arguments, &[&["SQLite"], &["it is small"]]).expect("answered");
    assert!(
        answered.ends_with(r#""answers":{"db":{"answers":["SQLite"]},"why":{"answers":["it is small"]}}}"#),
        "{answered}"
    );
    let refused = answer(CODEX_QUESTION, arguments, &[&["MySQL"], &["x"]]).expect_err("refused");
    assert_eq!(refused.to_string(), "\"MySQL\" is no option of \"Which?\"; the options are SQLite");
    let secret = arguments.replace("\"isSecret\":false", "\"isSecret\":true");
    assert_eq!(QuestionForm::read(&tool(CODEX_QUESTION), &json(&secret)), None);
}

const FORM: &str = r#"{"server":"shop","message":"Book a table","requestedSchema":{"type":"object","properties":{"day":{"type":"string","enum":["mon","tue"],"enumNames":["Monday","Tuesday"]},"seats":{"type":"integer","minimum":1,"default":2},"window":{"type":"boolean","title":"By the window"},"note":{"type":"string","description":"for the cook"},"extras":{"type":"array","items":{"anyOf":[{"const":"c","title":"Candles"},{"const":"f","title":"Flowers"}]}}},"required":["day","seats"]}}"#;

#[test]
fn schema_form_gets_typed_content() {
    let form = QuestionForm::read(&tool(ELICITATION), &json(FORM)).expect("a question");
    assert!(form.is_complete);
    assert_eq!(form.message.as_deref(), Some("Book a table"));
    let seats = &form.questions[1];
    assert_eq!(
        (seats.hint.as_deref(), &seats.preset[..]),
        (Some("a whole number, at least 1"), &["2".to_owned()][..])
    );
    assert_eq!(form.questions[2].text, "By the window (window)");
    let answers: &[&[&str]] = &[&["Tuesday"], &["4"], &["no"], &[], &["Flowers", "Candles"]];
    let answered = answer(ELICITATION, FORM, answers).expect("answered");
    assert!(
        answered.ends_with(r#""content":{"day":"tue","seats":4,"window":false,"extras":["f","c"]}}"#),
        "{answered}"
    );
}

#[test]
fn schema_form_refuses_wrong_numbers() {
    for (seats, wanted) in [("four", "a whole number"), ("1.5", "a whole number"), ("", "needs an answer")] {
        let refused =
            answer(ELICITATION, FORM, &[&["Monday"], &[seats], &[], &[], &[]]).expect_err("refused");
        assert!(refused.to_string().contains(wanted), "{refused}");
    }
    let real = FORM.replace("integer", "number");
    let answered = answer(ELICITATION, &real, &[&["Monday"], &["1.50"], &[], &["x"], &[]]).expect("answered");
    assert!(answered.ends_with(r#""content":{"day":"mon","seats":1.50,"note":"x"}}"#), "{answered}");
}

#[test]
fn schema_with_nested_objects_is_no_form() {
    let nested = FORM.replace(r#"{"type":"boolean","title":"By the window"}"#, r#"{"type":"object"}"#);
    assert_eq!(QuestionForm::read(&tool(ELICITATION), &json(&nested)), None);
}

#[test]
fn plan_is_shown_and_needs_no_answers() {
    let arguments = r##"{"plan":"# Plan\n1. build","planFilePath":"/p.md"}"##;
    let form = QuestionForm::read(&tool("ExitPlanMode"), &json(arguments)).expect("a plan");
    assert_eq!((form.kind, form.is_complete), (QuestionKind::Plan, true));
    assert_eq!(answer("ExitPlanMode", arguments, &[]).as_deref(), Ok(arguments));
    assert_eq!(QuestionForm::read(&tool("ExitPlanMode"), &json("{}")), None);
}

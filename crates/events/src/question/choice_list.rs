//! A list of questions with options: Claude Code reads the answers by the text of a question, Codex by its id.

use super::form::{Question, QuestionAnswer, QuestionForm, QuestionKind, QuestionOption, has_only};
use crate::json::JsonTree;

/// Between the parts of an answer, as Claude Code writes them.
const SEPARATOR: &str = ", ";

/// The members that the form shows.
const KNOWN: &[&str] = &["questions"];
const KNOWN_QUESTION: &[&str] =
    &["question", "header", "options", "multiSelect", "id", "isOther", "isSecret"];
const KNOWN_OPTION: &[&str] = &["label", "description", "preview"];

/// The questions of Claude Code, each of which also takes free text.
pub(super) fn read_by_text(arguments: &JsonTree) -> Option<QuestionForm> {
    read_list(arguments, |_| true)
}

/// The questions of Codex, each of which has an id. A secret does not belong into the log.
pub(super) fn read_by_id(arguments: &JsonTree) -> Option<QuestionForm> {
    let has_id = |one: &JsonTree| one.text_of("id").is_some() && one.bool_of("isSecret") != Some(true);
    if !arguments.list_of("questions").iter().all(has_id) {
        return None;
    }
    read_list(arguments, |one| one.bool_of("isOther") == Some(true) || one.list_of("options").is_empty())
}

fn read_list(arguments: &JsonTree, takes_text: fn(&JsonTree) -> bool) -> Option<QuestionForm> {
    let list = arguments.list_of("questions");
    let questions = list.iter().map(|one| read_question(one, takes_text)).collect::<Option<Vec<_>>>()?;
    let is_known = |one: &JsonTree| {
        has_only(one, KNOWN_QUESTION)
            && one.list_of("options").iter().all(|option| has_only(option, KNOWN_OPTION))
    };
    let is_complete = has_only(arguments, KNOWN) && list.iter().all(is_known);
    Some(QuestionForm { kind: QuestionKind::Questions, message: None, source: None, questions, is_complete })
}

fn read_question(one: &JsonTree, takes_text: fn(&JsonTree) -> bool) -> Option<Question> {
    let own = |name: &str| one.text_of(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let options = one.list_of("options").iter().map(read_option).collect::<Option<Vec<_>>>()?;
    Some(Question {
        text: own("question")?,
        header: own("header"),
        options,
        multiple: one.bool_of("multiSelect") == Some(true),
        free_text: takes_text(one),
        required: true,
        ..Question::default()
    })
}

fn read_option(option: &JsonTree) -> Option<QuestionOption> {
    let own = |name: &str| option.text_of(name).filter(|text| !text.is_empty()).map(str::to_owned);
    Some(QuestionOption { label: own("label")?, description: own("description"), preview: own("preview") })
}

/// `answers`: the text of a question, and its answer as one string.
pub(super) fn write_by_text(
    arguments: JsonTree,
    form: &QuestionForm,
    answers: &[QuestionAnswer],
) -> JsonTree {
    let mut all = JsonTree::empty_object();
    for (question, answer) in form.questions.iter().zip(answers) {
        all.set(&question.text, answer.join(SEPARATOR));
    }
    arguments.with("answers", all)
}

/// `answers`: the id of a question, and its answer as a list.
pub(super) fn write_by_id(arguments: JsonTree, _form: &QuestionForm, answers: &[QuestionAnswer]) -> JsonTree {
    let mut all = JsonTree::empty_object();
    for (one, answer) in arguments.list_of("questions").iter().zip(answers) {
        let parts: Vec<JsonTree> = answer.iter().map(|part| part.as_str().into()).collect();
        all.set(one.text_of("id").unwrap_or_default(), JsonTree::object([("answers", parts.into())]));
    }
    arguments.with("answers", all)
}

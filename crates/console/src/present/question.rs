//! What a call asks people, and the answers that they type.

use super::text::{escape_tabbed_line, escape_text};
use countersign_api as api;
use countersign_events::{BadAnswer, Json, Question, QuestionAnswer, QuestionForm, QuestionKind};

/// The form in lines: the message, and each question with its numbered options.
#[must_use]
pub fn question_lines(form: &QuestionForm) -> Vec<String> {
    form.lines().iter().map(|line| escape_tabbed_line(line)).collect()
}

/// Returns true if the form says everything that is in the arguments.
#[must_use]
pub fn is_said_by_form(call: &api::Call) -> bool {
    call.question.as_ref().is_some_and(|form| form.is_complete)
}

/// The prompt for one question on one line.
#[must_use]
pub fn answer_prompt(question: &Question) -> String {
    let named = question.options.iter().enumerate();
    let mut choices: Vec<String> =
        named.map(|(index, option)| format!("{} {}", index + 1, option.label)).collect();
    if question.free_text && !choices.is_empty() {
        choices.push("or a text".to_owned());
    }
    let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join(", ")) };
    escape_text(&format!("{}{}{choices}: ", question.text, question.describe_kind()))
}

/// The answer that a person typed: labels or their numbers, between commas if several are possible, or free text.
#[must_use]
pub fn read_answer(question: &Question, typed: &str) -> QuestionAnswer {
    let typed = typed.trim();
    let label_of = |part: &str| {
        let mut labels = question.options.iter().map(|option| option.label.as_str());
        let same = labels.clone().find(|label| label.eq_ignore_ascii_case(part));
        let number = || labels.nth(part.parse::<usize>().ok()?.checked_sub(1)?);
        same.or_else(number).map(str::to_owned)
    };
    let read = |part: &str| label_of(part).unwrap_or_else(|| part.to_owned());
    if question.multiple && label_of(typed).is_none() {
        let parts = typed.split(',').map(str::trim).filter(|part| !part.is_empty());
        return parts.map(read).collect();
    }
    if typed.is_empty() { question.preset.clone() } else { vec![read(typed)] }
}

/// The arguments with the answers that a person typed, one for each question. Fails if the call asks nothing, or if an answer does
/// not fit.
pub fn answer_question(call: &api::Call, typed: &[String]) -> Result<Json, String> {
    let form = call.question.as_deref().filter(|form| form.kind == QuestionKind::Questions);
    let Some(form) = form else { return Err("the call asks people nothing".to_owned()) };
    let count = BadAnswer::Count { questions: form.questions.len(), answers: typed.len() };
    if form.questions.len() != typed.len() {
        return Err(count.to_string());
    }
    let answers = form.questions.iter().zip(typed);
    let answers: Vec<_> = answers.map(|(question, text)| read_answer(question, text)).collect();
    form.answer(&call.name, &call.arguments, &answers).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::ToolName;

    fn form() -> QuestionForm {
        let arguments = r#"{"questions":[{"question":"Which?","header":"DB","options":[{"label":"SQLite","description":"one file"},{"label":"MySQL","preview":"a\u001b\nb"}],"multiSelect":true}]}"#;
        let name = ToolName::new("AskUserQuestion").expect("valid");
        QuestionForm::read(&name, &Json::parse(arguments).expect("valid")).expect("a question")
    }

    #[test]
    fn form_is_shown_in_lines() {
        let lines = question_lines(&form());
        assert_eq!(
            lines,
            [
                "DB: Which? (several answers are possible)",
                "  1 SQLite: one file",
                "  2 MySQL",
                "      a\\u{001b}",
                "      b"
            ]
        );
        let prompt = "Which? (several answers are possible) [1 SQLite, 2 MySQL, or a text]: ";
        assert_eq!(answer_prompt(&form().questions[0]), prompt);
    }

    #[test]
    fn typed_answers_are_labels_numbers_or_texts() {
        let question = form().questions.remove(0);
        assert_eq!(read_answer(&question, " mysql, 1 , other"), ["MySQL", "SQLite", "other"]);
        assert_eq!(read_answer(&question, "3"), ["3"]);
        assert_eq!(read_answer(&question, ""), [""; 0]);
        let single = Question { multiple: false, preset: vec!["SQLite".to_owned()], ..question };
        assert_eq!(read_answer(&single, "a, b"), ["a, b"]);
        assert_eq!(read_answer(&single, "2"), ["MySQL"]);
        assert_eq!(read_answer(&single, ""), ["SQLite"]);
    }
}

//! The tools that ask people: how each asks, and how it reads its answer.

use super::{
    choice_list,
    form::{BadAnswer, QuestionAnswer, QuestionForm},
    plan, schema_form,
};
use crate::{Json, ToolName, json::JsonTree};

/// The tool with which Countersign's own doors pass on a form that an MCP server sends (elicitation).
pub const ELICITATION: &str = "elicitation";

/// The tool with which Codex asks its user.
pub const CODEX_QUESTION: &str = "request_user_input";

/// The most bytes of arguments in which questions are looked for.
const MAX_BYTES: usize = 256 * 1024;

/// How a tool asks, and how it reads its answer.
struct QuestionTool {
    name: &'static str,
    read: fn(&JsonTree) -> Option<QuestionForm>,
    write: fn(JsonTree, &QuestionForm, &[QuestionAnswer]) -> JsonTree,
}

/// The tools that ask people.
const QUESTION_TOOLS: &[QuestionTool] = &[
    QuestionTool {
        name: "AskUserQuestion",
        read: choice_list::read_by_text,
        write: choice_list::write_by_text,
    },
    QuestionTool { name: CODEX_QUESTION, read: choice_list::read_by_id, write: choice_list::write_by_id },
    QuestionTool { name: ELICITATION, read: schema_form::read, write: schema_form::write },
    QuestionTool { name: "ExitPlanMode", read: plan::read, write: |arguments, _, _| arguments },
];

fn find_tool(name: &ToolName) -> Option<&'static QuestionTool> {
    QUESTION_TOOLS.iter().find(|tool| tool.name == name.as_str())
}

impl QuestionForm {
    /// The questions of a call. `None` if its tool asks nothing, or if its arguments have another form than its questions have.
    #[must_use]
    pub fn read(name: &ToolName, arguments: &Json) -> Option<Self> {
        let tool = find_tool(name).filter(|_| arguments.as_str().len() <= MAX_BYTES)?;
        let form = (tool.read)(&JsonTree::parse(arguments)?)?;
        form.is_clear().then_some(form)
    }

    /// The arguments with these answers, one for each question. Fails if they do not fit the questions.
    pub fn answer(
        &self,
        name: &ToolName,
        arguments: &Json,
        answers: &[QuestionAnswer],
    ) -> Result<Json, BadAnswer> {
        let count = BadAnswer::Count { questions: self.questions.len(), answers: answers.len() };
        let (Some(tool), Some(tree)) = (find_tool(name), JsonTree::parse(arguments)) else {
            return Err(count);
        };
        if self.questions.len() != answers.len() {
            return Err(count);
        }
        for (question, answer) in self.questions.iter().zip(answers) {
            question.check(answer)?;
        }
        Ok((tool.write)(tree, self, answers).to_json())
    }
}

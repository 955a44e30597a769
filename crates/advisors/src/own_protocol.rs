//! Countersign's own protocol: the question as JSON in, and the answer as JSON out, over HTTP or to a program.

use crate::{
    AdviceAnswer, AdviceFault, AdviceQuestion, AdvisorAccess, MAX_ANSWER_BYTES,
    command::ask_command,
    service::{ServiceTarget, post_json},
};

pub(crate) async fn ask_service(
    access: &AdvisorAccess,
    service: ServiceTarget<'_>,
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    let body = question.to_json()?.as_str().to_owned();
    AdviceAnswer::parse(&post_json(access, service, body, MAX_ANSWER_BYTES).await?)
}

pub(crate) async fn ask_program(
    access: &AdvisorAccess,
    words: &[String],
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    let launcher = access.program_launcher()?;
    AdviceAnswer::parse(&ask_command(launcher, words, question.to_json()?.as_str()).await?)
}

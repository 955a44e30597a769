//! The questions about one call: the decision, its scope, and again for a scope that is very wide.

use super::{
    answer::{ACCEPTED_WORDS, DecidedScope, PlainAnswer, TypedAnswer, TypedScope, parse_answer},
    input::LineInput,
};
use crate::{
    WatchError, WatchOptions,
    inbox::message::call_key,
    log_access::{limit_time, preview_scopes},
};
use countersign_api::{self as api, ScopePreview, ScopeRequest, SendOperation, operations};
use countersign_console::{
    LimitChoice, MOST_NAMED, NO_PATTERN, ScopeKind, answer_prompt, answer_question, describe_offer,
    describe_patterns, describe_remembered_denial, describe_scope_preview, describe_scopes,
    describe_waiting_call, escape_text, pattern_letter, print_line, read_answer, waiting_calls,
    warn_before_allowing, whole_tool_warning,
};
use countersign_events::{Decision, GrantLimits, Json, SuggestedScope};
use countersign_store::Clock;

const PROMPT: &str = "[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [q]uit: ";

/// The prompt while the last approval can perhaps be taken back.
const PROMPT_WITH_UNDO: &str = "[d]eny / [o]nce / [s]ession / [e]dit / [n]ext / [u]ndo / [q]uit: ";

/// A decision and how it is to be remembered, before the person has said if it decides waiting calls too.
struct RememberedDecision {
    decision: Decision,
    scope: Json,
    limits: GrantLimits,
}

/// A dialog about the call that was printed.
pub(super) struct DecisionDialog<'a> {
    pub(super) options: &'a WatchOptions,
    pub(super) input: &'a mut LineInput,
    pub(super) call: &'a api::Call,
    pub(super) edited: Option<&'a Json>,
    /// Whether the prompt offers to take the last approval back.
    pub(super) can_take_back: bool,
    /// True once the person was warned that the agent has left meanwhile.
    pub(super) is_warned: bool,
}

impl DecisionDialog<'_> {
    /// Asks until the person gives a complete answer that is offered. End of input quits.
    pub(super) async fn ask(&mut self) -> Result<PlainAnswer, WatchError> {
        loop {
            let prompt = if self.can_take_back { PROMPT_WITH_UNDO } else { PROMPT };
            let Some(line) = self.input.ask(prompt).await? else { return Ok(PlainAnswer::Quit) };
            let Some(typed) = parse_answer(&line) else {
                print_line(ACCEPTED_WORDS);
                continue;
            };
            let (decision, scope, limits, comment) = match typed {
                TypedAnswer::Edit => return Ok(PlainAnswer::Edit),
                TypedAnswer::Next => return Ok(PlainAnswer::Next),
                TypedAnswer::TakeBack => return Ok(PlainAnswer::TakeBack),
                TypedAnswer::Quit => return Ok(PlainAnswer::Quit),
                TypedAnswer::Decide { decision, scope, limits, comment } => {
                    (decision, scope, limits, comment)
                }
            };
            if !self.offers(decision) {
                print_line("This answer is not offered for this call.");
                continue;
            }
            if decision.allows() && self.warn_of_departure().await {
                continue;
            }
            if scope == TypedScope::ThisCall {
                let asks = decision.allows() && self.edited.is_none() && self.call.question.is_some();
                let Some(answered) = (if asks { self.ask_answers().await? } else { Some(None) }) else {
                    return Ok(PlainAnswer::Quit);
                };
                return Ok(PlainAnswer::Decide { decision, scope: None, comment, answered });
            }
            if decision.allows() && self.edited.is_some() {
                print_line("Edited arguments apply only to this call: once allows it.");
                continue;
            }
            match self.ask_scope(decision, scope, limits).await? {
                Some(scope) => {
                    let (scope, answered) = (Some(scope), None);
                    return Ok(PlainAnswer::Decide { decision, scope, comment, answered });
                }
                None => print_line("Nothing was decided."),
            }
        }
    }

    /// The arguments with the person's answers to the call's questions, if it has questions. A wrong answer is asked again. Returns
    /// `None` at the end of the input.
    async fn ask_answers(&mut self) -> Result<Option<Option<Json>>, WatchError> {
        let questions = self.call.question.iter().flat_map(|form| &form.questions);
        let mut typed = Vec::new();
        for question in questions {
            loop {
                let Some(line) = self.input.ask(&answer_prompt(question)).await? else { return Ok(None) };
                match question.check(&read_answer(question, &line)) {
                    Ok(()) => break typed.push(line),
                    Err(why) => print_line(&escape_text(&why.to_string())),
                }
            }
        }
        Ok(Some(answer_question(self.call, &typed).ok()))
    }

    /// Warns if the agent has left since the call was printed. Returns true if the person must answer again.
    async fn warn_of_departure(&mut self) -> bool {
        if self.is_warned || self.call.proposer_gone {
            return false;
        }
        let latest = limit_time(self.options.gate.call(&self.call.thread_id, &self.call.id)).await;
        let warning = latest.ok().and_then(|call| warn_before_allowing(&call, Clock::System.now()));
        let Some(warning) = warning else { return false };
        print_line(&format!("Nothing was decided yet. {warning} Type the answer again to allow it."));
        self.is_warned = true;
        true
    }

    fn offers(&self, decision: Decision) -> bool {
        decision == Decision::Deny
            || self.call.request.as_ref().is_some_and(|request| request.options.contains(&decision))
    }

    /// A remembered decision's scope. Returns `None` if the person does not want it after all.
    async fn ask_scope(
        &mut self,
        decision: Decision,
        typed: TypedScope,
        limits: Option<LimitChoice>,
    ) -> Result<Option<DecidedScope>, WatchError> {
        let offers = ScopeKind::ALL.iter().flat_map(|kind| kind.offers(self.call));
        let scopes = offers.map(|offer| offer.scope).collect();
        let mut previews = preview_scopes(&self.options.gate, &call_key(self.call), scopes, None).await;

        let chosen = match typed {
            TypedScope::Kind(kind) => self.choose_offer(kind, decision, &previews).await?,
            TypedScope::Pattern(pattern) => self.preview_pattern(pattern, decision, &mut previews).await,
            TypedScope::NotNamed | TypedScope::ThisCall => self.ask_kind(decision, &previews).await?,
        };
        let Some(offer) = chosen else { return Ok(None) };
        let says = describe_offer(&offer, &previews, decision);
        let is_tool = offer.scope == Json::string(ScopeKind::Tool.word());
        if !decision.allows() {
            for line in describe_remembered_denial(self.call, &says, &self.options.command_prefix) {
                print_line(&line);
            }
            if !self.confirm("deny them").await? {
                return Ok(None);
            }
            let asked = RememberedDecision { decision, scope: offer.scope, limits: GrantLimits::default() };
            return self.ask_about_waiting(asked, &previews).await;
        }
        if let Some(warning) = whole_tool_warning(self.call).filter(|_| is_tool) {
            print_line(&warning);
            print_line(&says);
            if !self.confirm("allow the whole tool").await? {
                return Ok(None);
            }
        }
        let limits = limits.unwrap_or_default();
        print_line(&format!("It is remembered {}.", limits.describe()));
        let asked = RememberedDecision { decision, scope: offer.scope, limits: limits.limits() };
        self.ask_about_waiting(asked, &previews).await
    }

    /// Asks whether the decision also decides the calls that wait, if there are any.
    async fn ask_about_waiting(
        &mut self,
        RememberedDecision { decision, scope, limits }: RememberedDecision,
        previews: &[ScopePreview],
    ) -> Result<Option<DecidedScope>, WatchError> {
        let preview = previews.iter().find(|preview| preview.scope == scope);
        let waiting = preview.map(|preview| waiting_calls(preview, decision)).unwrap_or_default();
        let waiting = &waiting[..limits.uses.map_or(waiting.len(), |uses| waiting.len().min(uses as usize))];
        if waiting.is_empty() {
            return Ok(Some(DecidedScope { scope, and_waiting: false, limits }));
        }
        print_line(&format!("More calls wait with this scope: {}.", waiting.len()));
        for id in waiting.iter().take(MOST_NAMED) {
            let known = self.options.gate.call(&self.call.thread_id, id).await.ok();
            print_line(&format!("  {}", describe_waiting_call(id, known.as_ref())));
        }
        if waiting.len() > MOST_NAMED {
            print_line(&format!("  and {} more", waiting.len() - MOST_NAMED));
        }
        loop {
            let answer =
                self.input.ask("decide those that [w]ait too / [l]ater calls only / [n]othing: ").await?;
            match answer.as_deref() {
                None | Some("n" | "nothing") => return Ok(None),
                Some("w" | "wait") => return Ok(Some(DecidedScope { scope, and_waiting: true, limits })),
                Some("l" | "later") => return Ok(Some(DecidedScope { scope, and_waiting: false, limits })),
                Some(_) => print_line("Type exactly w, l or n, or wait, later or nothing."),
            }
        }
    }

    async fn ask_kind(
        &mut self,
        decision: Decision,
        previews: &[ScopePreview],
    ) -> Result<Option<SuggestedScope>, WatchError> {
        print_line("Which later calls?");
        for line in describe_scopes(self.call, previews, decision) {
            print_line(&format!("  {line}"));
        }
        loop {
            let answer = self.input.ask("e[x]act / [p]attern / whole [t]ool / [n]othing: ").await?;
            match answer.as_deref() {
                None | Some("n" | "nothing") => return Ok(None),
                Some(word) => match ScopeKind::from_word(word) {
                    Some(kind) => return self.choose_offer(kind, decision, previews).await,
                    None => print_line("Type exactly x, p, t or n, or exact, pattern, tool or nothing."),
                },
            }
        }
    }

    /// The only scope of the kind, or one of several patterns.
    async fn choose_offer(
        &mut self,
        kind: ScopeKind,
        decision: Decision,
        previews: &[ScopePreview],
    ) -> Result<Option<SuggestedScope>, WatchError> {
        let mut offers = kind.offers(self.call);
        if offers.is_empty() {
            print_line(&format!("The scope is not available: {NO_PATTERN}."));
            return Ok(None);
        }
        if offers.len() == 1 {
            return Ok(offers.pop());
        }
        for line in describe_patterns(self.call, previews, decision) {
            print_line(&format!("  {line}"));
        }
        let answer = self.input.ask("The letter of a pattern, or [n]othing: ").await?.unwrap_or_default();
        Ok(offers.into_iter().find(|offer| answer == pattern_letter(&offer.scope).to_string()))
    }

    /// Shows what the person's pattern covers, and adds its preview.
    async fn preview_pattern(
        &self,
        pattern: Json,
        decision: Decision,
        previews: &mut Vec<ScopePreview>,
    ) -> Option<SuggestedScope> {
        let request = ScopeRequest::new(pattern.clone());
        match self
            .options
            .gate
            .send(operations::PreviewScope {
                thread: self.call.thread_id.clone(),
                id: self.call.id.clone(),
                body: request,
            })
            .await
        {
            Ok(preview) => {
                print_line(&describe_scope_preview(&preview, decision));
                let says = preview.description.clone();
                previews.push(ScopePreview { scope: pattern.clone(), ..preview });
                Some(SuggestedScope { scope: pattern, says })
            }
            Err(error) => {
                print_line(&escape_text(&error.to_string()));
                None
            }
        }
    }

    /// Returns true if the person types `yes`.
    async fn confirm(&mut self, what: &str) -> Result<bool, WatchError> {
        let answer = self.input.ask(&format!("Type yes to {what}; anything else decides nothing: ")).await?;
        Ok(answer.as_deref() == Some("yes"))
    }
}

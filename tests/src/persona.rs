//! Those who live in the town: agents propose and run, people decide. Each speaks to one store, in one
//! thread, and gives its orders at the moment that the town's clock shows.

use countersign_approvals::{
    CallCommand, CallId, Command, CommandEnvelope, CommandEvidence, CommandTarget, Json, Policy, Principal,
    Sha256, ThreadCommand, ThreadId, ToolName,
    decide::{
        ArgumentsJudgement, ClaimCommand, FinishCommand, HashedArguments, ProposeCommand, RespondCommand,
        claim_needs_judgement, claim_subject,
    },
    event::{Decision, Mode, Status, ToolPolicy},
};
use countersign_store::{CommandOutcome, Error, Store};
use std::{sync::Arc, time::Duration};

/// What comes of an order.
pub type Outcome = Result<CommandOutcome, Error>;

/// The code of the error, or `"done"`.
#[must_use]
pub fn code(outcome: &Outcome) -> &'static str {
    outcome.as_ref().map_or_else(Error::code, |_| "done")
}

/// An agent, a person or a duty of the service.
#[derive(Clone)]
pub struct Persona {
    store: Store,
    by: Principal,
    thread_id: ThreadId,
    policy: Arc<Policy>,
}

/// What an agent proposes, where it matters.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
    /// How long people may take.
    pub expires_in: Option<Duration>,
}

impl Default for Proposal<'_> {
    fn default() -> Self {
        Self { tool: "bash", arguments: r#"{"command":"ls"}"#, expires_in: None }
    }
}

impl Persona {
    /// Somebody over that log, in thread `t`, judged by that policy.
    #[must_use]
    pub fn new(store: &Store, by: Principal, policy: &Arc<Policy>) -> Self {
        let thread_id = ThreadId::new("t").expect("valid");
        Self { store: store.clone(), by, thread_id, policy: Arc::clone(policy) }
    }

    /// The same one, speaking to another store.
    #[must_use]
    pub fn at(&self, store: &Store) -> Self {
        Self { store: store.clone(), ..self.clone() }
    }

    /// The same one under a policy that remembers nothing from one call to the next like it.
    #[must_use]
    pub fn forgetful(&self) -> Self {
        let policy = Policy::read("remember = \"0s\"\n").expect("a policy");
        Self { policy: Arc::new(policy), ..self.clone() }
    }

    /// The same one, in another thread than `t`.
    #[must_use]
    pub fn in_thread(&self, thread: &str) -> Self {
        Self { thread_id: ThreadId::new(thread).expect("valid"), ..self.clone() }
    }

    /// The thread it is in.
    #[must_use]
    pub fn thread_id(&self) -> &ThreadId {
        &self.thread_id
    }

    /// Proposes the usual call.
    pub async fn proposes(&self, id: &str) -> Outcome {
        self.proposes_to(id, Proposal::default()).await
    }

    /// Proposes a call of one's own.
    pub async fn proposes_to(&self, id: &str, proposal: Proposal<'_>) -> Outcome {
        let propose = ProposeCommand {
            id: CallId::new(id).expect("valid"),
            name: ToolName::new(proposal.tool).expect("valid"),
            arguments: HashedArguments::new(Json::parse(proposal.arguments).expect("JSON"))
                .expect("admitted"),
            annotations: None,
            impact: None,
            description: None,
            definition: None,
            expires_in: proposal.expires_in,
        };
        self.wants(id, CallCommand::Propose(propose)).await
    }

    /// Allows the call.
    pub async fn allows(&self, id: &str) -> Outcome {
        self.decides(id, Decision::AllowOnce).await
    }

    /// Allows the call, and every later one of its tool in its thread.
    pub async fn allows_for_the_session(&self, id: &str) -> Outcome {
        self.decides(id, Decision::AllowSession).await
    }

    /// Denies the call.
    pub async fn denies(&self, id: &str) -> Outcome {
        self.decides(id, Decision::Deny).await
    }

    /// Decides, without a comment.
    pub async fn decides(&self, id: &str, decision: Decision) -> Outcome {
        self.wants(id, CallCommand::Respond(RespondCommand::plain(decision))).await
    }

    /// Claims the usual call.
    pub async fn claims(&self, id: &str) -> Outcome {
        self.claims_with(id, Proposal::default().arguments).await
    }

    /// Claims a call in order to run it with those arguments.
    pub async fn claims_with(&self, id: &str, arguments: &str) -> Outcome {
        let arguments_hash = hash(arguments);
        let claim = ClaimCommand {
            executor: self.by.to_string(),
            arguments_hash,
            lease: None,
            arguments: None,
            definition_hash: None,
        };
        self.wants(id, CallCommand::Claim(claim)).await
    }

    /// Reports that the call went well.
    pub async fn finishes(&self, id: &str) -> Outcome {
        let finish = FinishCommand { status: Status::Success, content: Json::string("ok"), executor: None };
        self.wants(id, CallCommand::Finish(finish)).await
    }

    /// Withdraws the call.
    pub async fn cancels(&self, id: &str) -> Outcome {
        self.wants(id, CallCommand::Cancel { reason: None }).await
    }

    /// Carries out what is due on the call.
    pub async fn expires(&self, id: &str) -> Outcome {
        self.wants(id, CallCommand::Due).await
    }

    /// Takes back a grant.
    pub async fn revokes(&self, grant: i64) -> Outcome {
        self.commands_thread(ThreadCommand::Revoke(grant)).await
    }

    /// Sets how the thread answers what is asked.
    pub async fn sets_mode(&self, mode: Mode) -> Outcome {
        self.commands_thread(ThreadCommand::SetMode(mode)).await
    }

    /// Gives a tool a policy of the thread's own.
    pub async fn sets_policy(&self, tool: &str, policy: ToolPolicy) -> Outcome {
        let tool = ToolName::new(tool).expect("valid");
        self.commands_thread(ThreadCommand::SetPolicies(vec![(tool, policy)])).await
    }

    /// Closes the thread.
    pub async fn closes(&self) -> Outcome {
        self.commands_thread(ThreadCommand::Close).await
    }

    async fn commands_thread(&self, command: ThreadCommand) -> Outcome {
        let target = CommandTarget::Thread(self.thread_id.clone());
        self.executes(target, command.into(), CommandEvidence::NotNeeded).await
    }

    async fn wants(&self, id: &str, command: CallCommand) -> Outcome {
        let target = CommandTarget::Call(self.thread_id.clone(), CallId::new(id).expect("valid"));
        let evidence = match &command {
            CallCommand::Propose(propose) => {
                let judgement = self.policy.judge(&propose.subject(&self.thread_id, &self.by), &|| false);
                let arguments_hash = propose.arguments.hash();
                let judgement = Arc::new(judgement);
                CommandEvidence::Judgement(ArgumentsJudgement { arguments_hash, judgement })
            }
            CallCommand::Claim(claim) => self.claim_evidence(&target, claim).await,
            _ => CommandEvidence::NotNeeded,
        };
        self.executes(target, command.into(), evidence).await
    }

    /// The judgement of a claim, if another policy judged the call before.
    async fn claim_evidence(&self, target: &CommandTarget, claim: &ClaimCommand) -> CommandEvidence {
        let Some((thread_id, id)) = target.call() else { return CommandEvidence::NotNeeded };
        let Ok(Some(call)) = self.store.call(thread_id, id).await else { return CommandEvidence::NotNeeded };
        if !claim_needs_judgement(&call, self.policy.hash()) {
            return CommandEvidence::NotNeeded;
        }
        let judgement = Arc::new(self.policy.judge(&claim_subject(&call, claim), &|| false));
        CommandEvidence::Judgement(ArgumentsJudgement { arguments_hash: call.arguments_hash(), judgement })
    }

    async fn executes(&self, target: CommandTarget, command: Command, evidence: CommandEvidence) -> Outcome {
        let envelope = CommandEnvelope {
            target,
            command,
            by: self.by.clone(),
            now: self.store.clock().now(),
            policy: Arc::clone(&self.policy),
            evidence,
        };
        self.store.execute(envelope).await
    }
}

fn hash(arguments: &str) -> Sha256 {
    Json::parse(arguments).and_then(|json| json.admit()).expect("JSON")
}

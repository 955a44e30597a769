//! The service embedded in the test's own process: the store, opened as in production.

use super::{
    Action, Database, Persona, PersonaCaller, Service, Transport, World, WorldGround,
    action::{ClaimChoice, Proposal},
    new_clock, within_the_limit,
};
use countersign_approvals::{
    ApprovalCommand, Call, CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, GrantScope,
    ThreadCommand,
    decide::{
        self, ArgumentsJudgement, DefinitionIdentity, ProposalReview, RespondCommand, answer_needs_judgement,
        claim_needs_judgement, claim_subject,
    },
};
use countersign_events::{
    CallId, Decision, Event, EventType, Json, Principal, Sha256, Status, ThreadId, ToolName,
};
use countersign_policy::{CallReading, Policy};
use countersign_store::{Clock, CommandOutcome, EventFilter, Store, StoreError, StoreOptions, VerifyReport};
use std::{sync::Arc, time::Duration};

/// A service in the test's own process.
pub struct Embedded {
    store: Store,
    has_inadmissible_rows: bool,
}

/// What a command on the embedded service results in.
pub type Outcome = Result<CommandOutcome, StoreError>;

/// Returns the error's reason, or else its code; `"done"` for a success.
#[must_use]
pub fn code(outcome: &Outcome) -> &'static str {
    outcome.as_ref().map_or_else(|error| error.reason().unwrap_or(error.code()), |_| "done")
}

/// Defines two tests for each story, which is an `async fn` of a [`World`]: `story::sqlite` and `story::postgres`.
#[macro_export]
macro_rules! on_each_database {
    ($($story:ident),+ $(,)?) => {
        $(mod $story {
            #[test]
            fn sqlite() {
                $crate::in_world_on($crate::Database::Sqlite, super::$story);
            }

            #[test]
            fn postgres() {
                $crate::in_world_on($crate::Database::Postgres, super::$story);
            }
        })+
    };
}

/// Runs a story on SQLite: see [`in_world_on`].
pub fn in_world(story: impl AsyncFnOnce(&mut World)) {
    in_world_on(Database::Sqlite, story);
}

/// Runs a story in a new world, then verifies the log. The test fails if the hash chain is broken, if the open
/// requests differ from the events, or if a row violates the rules.
pub fn in_world_on(database: Database, story: impl AsyncFnOnce(&mut World)) {
    within_the_limit(async {
        let mut world = World::embedded(database).await;
        story(&mut world).await;
        let report = world.verify().await;
        let is_admissible = report.inadmissible_count == 0 || world.service.has_inadmissible_rows;
        let holds = report.broken.is_none() && report.index_holds && is_admissible;
        assert!(holds, "the story left a log that does not verify: {report:?}");
    });
}

impl World {
    async fn embedded(database: Database) -> Self {
        let (ground, (clock, manual_clock)) = (WorldGround::new(database).await, new_clock());
        let address = countersign_store::DatabaseUrl::parse(&ground.url()).expect("a valid address");
        let store = Store::open(address, options(&clock)).await.expect("a new log opens");
        let service = Embedded { store, has_inadmissible_rows: false };
        Self::new(service, Policy::ask_always().without_pending_limits(), (clock, manual_clock), ground)
    }

    /// Accepts rows that violate the rules when the log is verified at the story's end.
    pub fn expects_inadmissible_rows(&mut self) {
        self.service.has_inadmissible_rows = true;
    }

    /// Returns the store of this world.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.service.store
    }

    /// Returns the store options of this world. They are the production options, except for the clock and for a
    /// short poll interval, with which a store soon sees rows written by SQL.
    #[must_use]
    pub fn options(&self) -> StoreOptions {
        options(&self.clock)
    }

    /// Opens another store over the same log. It acts as another process: it has its own connections, cache and feed.
    pub async fn another_store(&self) -> Store {
        self.another_store_with(self.options()).await
    }

    /// Opens another store over the same log, with these options.
    pub async fn another_store_with(&self, options: StoreOptions) -> Store {
        Store::open(self.address(), options).await.expect("the log opens again")
    }

    /// Closes the store and opens it again, as a restart does.
    pub async fn restarts(&mut self) {
        self.service.store.close().await;
        self.service.store = Store::open(self.address(), self.options()).await.expect("the log opens again");
    }

    /// Returns all events.
    pub async fn log(&self) -> Vec<Event> {
        self.store().events(&EventFilter::default(), 0, usize::MAX).await.expect("the log reads").items
    }

    /// Returns the number of events of this type.
    pub async fn count(&self, kind: EventType) -> usize {
        self.log().await.iter().filter(|event| event.kind == kind).count()
    }

    /// Returns a call, which must exist.
    pub async fn call(&self, thread: &str, id: &str) -> Call {
        let thread_id = ThreadId::new(thread).expect("a valid id");
        let call = self.store().call(&thread_id, &call_id(id)).await;
        call.expect("the log reads").expect("the call exists")
    }

    /// Verifies the whole log.
    pub async fn verify(&self) -> VerifyReport {
        self.store().verify(|_| {}).await.expect("the log reads")
    }
}

impl Service for Embedded {
    type Transport = ToStore;

    fn transport(world: &World<Self>) -> ToStore {
        ToStore { store: world.service.store.clone(), policy: Arc::clone(&world.policy) }
    }
}

/// A transport that executes commands on a store in the test's own process.
#[derive(Clone)]
pub struct ToStore {
    store: Store,
    policy: Arc<Policy>,
}

impl Persona<ToStore> {
    /// Creates a persona without a world, over this store and under a policy that asks about every call.
    #[must_use]
    pub fn over(store: &Store, principal: Principal) -> Self {
        let policy = Arc::new(Policy::ask_always().without_pending_limits());
        Self::new(ToStore { store: store.clone(), policy }, Some(principal))
    }

    /// Returns the same persona over another store.
    #[must_use]
    pub fn at(&self, store: &Store) -> Self {
        let mut moved = self.clone();
        moved.transport.store = store.clone();
        moved
    }

    /// Returns the same persona under a policy that does not reuse a decision for a repeated call.
    #[must_use]
    pub fn without_memory(&self) -> Self {
        let mut other = self.clone();
        other.transport.policy =
            Arc::new(Policy::read("remember = \"0s\"\n").expect("a valid policy").without_pending_limits());
        other
    }

    /// Answers the call with these options.
    pub async fn responds(&self, id: &str, respond: RespondCommand) -> Outcome {
        let target = CommandTarget::Call(self.thread_id().clone(), call_id(id));
        let by = self.caller.principal.clone().expect("an embedded caller has a name");
        self.transport.send(by, target, CallCommand::Respond(respond).into()).await
    }

    /// Executes a command on the thread.
    pub async fn commands_thread(&self, command: ThreadCommand) -> Outcome {
        let by = self.caller.principal.clone().expect("an embedded caller has a name");
        self.transport.send(by, CommandTarget::Thread(self.thread_id().clone()), command.into()).await
    }

    /// Executes the overdue task of the call.
    pub async fn expires(&self, id: &str) -> Outcome {
        self.performs(Action::Due(id)).await
    }
}

impl Transport for ToStore {
    type Outcome = Outcome;

    async fn perform(&self, caller: &PersonaCaller, action: Action<'_>) -> Outcome {
        let by = caller.principal.clone().expect("an embedded caller has a name");
        let thread_id = caller.thread_id.clone();
        let (target, command) = match command(&by, action) {
            ActionTarget::Call(id, command) => {
                (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command))
            }
            ActionTarget::Thread(command) => {
                (CommandTarget::Thread(thread_id), ApprovalCommand::Thread(command))
            }
        };
        self.send(by, target, command).await
    }
}

impl ToStore {
    /// Executes a command with the evidence that the gate would add.
    async fn send(&self, by: Principal, target: CommandTarget, command: ApprovalCommand) -> Outcome {
        let evidence = self.evidence(&target, &command, &by).await;
        let (now, policy) = (self.store.clock().now(), Arc::clone(&self.policy));
        let log = Sha256::ZERO;
        self.store
            .execute(CommandEnvelope { target, command, by: by.into(), now, policy, evidence, log })
            .await
    }

    /// Computes the judgement that the command needs, before the command is queued, as the gate does.
    async fn evidence(
        &self,
        target: &CommandTarget,
        command: &ApprovalCommand,
        by: &Principal,
    ) -> CommandEvidence {
        let CommandTarget::Call(thread_id, id) = target else { return CommandEvidence::NotNeeded };
        let judged = match command {
            ApprovalCommand::Call(CallCommand::Propose(propose)) => {
                let subject = propose.subject(thread_id, by);
                let judgement = Arc::new(self.policy.judge(&subject, &|| false));
                return CommandEvidence::Proposal(ProposalReview {
                    judged: ArgumentsJudgement { arguments_hash: propose.arguments.hash(), judgement },
                    logged: None,
                    suggested: Vec::new(),
                    is_question: false,
                    effects: CallReading::new(&self.policy, &subject).record_effects(),
                });
            }
            // Under a world's default policy, no claim and no answer needs a judgement. The read is skipped there
            // because it would delay the command, and commands must be queued in test order.
            _ if self.policy.hash() == Policy::ask_always().hash() => None,
            ApprovalCommand::Call(CallCommand::Claim(claim)) => {
                let call = self.store.call(thread_id, id).await.ok().flatten();
                let call = call.filter(|call| claim_needs_judgement(call, self.policy.hash()));
                call.map(|call| {
                    (call.arguments_hash(), self.policy.judge(&claim_subject(&call, claim), &|| false))
                })
            }
            ApprovalCommand::Call(CallCommand::Respond(_)) => {
                let call = self.store.call(thread_id, id).await.ok().flatten();
                let call = call.filter(|call| answer_needs_judgement(call, self.policy.hash()));
                call.map(|call| (call.arguments_hash(), self.policy.judge(&call.subject(), &|| false)))
            }
            _ => None,
        };
        judged.map_or(CommandEvidence::NotNeeded, |(arguments_hash, judgement)| {
            let judgement = Arc::new(judgement);
            CommandEvidence::Judgement(ArgumentsJudgement { arguments_hash, judgement })
        })
    }
}

/// A command, with its target inside a thread.
enum ActionTarget {
    Call(CallId, CallCommand),
    Thread(ThreadCommand),
}

fn command(by: &Principal, action: Action<'_>) -> ActionTarget {
    let (id, command) = match action {
        Action::Propose(id, proposal) => (id, CallCommand::Propose(propose(id, proposal))),
        Action::Decide(id, Decision::AllowSession) => {
            (id, CallCommand::Respond(decide::RespondCommand::for_session(GrantScope::Tool)))
        }
        Action::Decide(id, decision) => (id, CallCommand::Respond(decide::RespondCommand::plain(decision))),
        Action::Claim(id, chosen) => (id, CallCommand::Claim(claim(by, chosen))),
        Action::Finish(id, content) => {
            let content = Json::parse(content).expect("valid JSON");
            (
                id,
                CallCommand::Finish(decide::FinishCommand {
                    status: Status::Success,
                    content,
                    executor: None,
                    ran: None,
                }),
            )
        }
        Action::Cancel(id) => (id, CallCommand::Cancel { reason: None }),
        Action::Due(id) => (id, CallCommand::Due),
        Action::Revoke(grant) => return ActionTarget::Thread(ThreadCommand::Revoke(grant)),
        Action::SetMode(mode) => return ActionTarget::Thread(ThreadCommand::SetMode(mode)),
        Action::SetToolPolicy(tool, policy) => {
            let tool = ToolName::new(tool).expect("a valid name");
            return ActionTarget::Thread(ThreadCommand::SetPolicies(vec![(tool, policy)]));
        }
        Action::Close => return ActionTarget::Thread(ThreadCommand::Close),
    };
    ActionTarget::Call(call_id(id), command)
}

fn propose(id: &str, proposal: Proposal<'_>) -> decide::ProposeCommand {
    let arguments = Json::parse(proposal.arguments).expect("valid JSON");
    decide::ProposeCommand {
        id: call_id(id),
        name: ToolName::new(proposal.tool).expect("a valid name"),
        arguments: decide::HashedArguments::new(arguments).expect("admitted"),
        annotations: None,
        impact: None,
        description: None,
        place: None,
        definition: None,
        identity: DefinitionIdentity::Computed,
        expires_in: proposal.expires_in,
        replaces: None,
        withdraw_when_gone: proposal.withdraw_when_gone,
    }
}

fn claim(by: &Principal, claim: ClaimChoice<'_>) -> decide::ClaimCommand {
    let arguments_hash: Sha256 =
        Json::parse(claim.arguments).and_then(|json| json.admit()).expect("valid JSON");
    decide::ClaimCommand {
        executor: claim.executor.unwrap_or(by.as_str()).to_owned(),
        arguments_hash,
        lease: None,
        arguments: None,
        definition_hash: None,
    }
}

fn call_id(id: &str) -> CallId {
    CallId::new(id).expect("a valid id")
}

fn options(clock: &Clock) -> StoreOptions {
    StoreOptions { clock: clock.clone(), poll: Duration::from_millis(50), ..StoreOptions::default() }
}

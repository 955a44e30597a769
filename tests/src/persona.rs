//! Those who live in the town: agents propose and run, people decide. Each speaks to one store, in one
//! thread, and gives its orders at the moment that the town's clock shows.

use countersign_approvals::{
    CallId, Command, Json, Order, Policy, Principal, Sha256, ThreadCommand, ThreadId, ToolName, Wish,
    decide::{Arguments, Claim, Finish, Propose, Respond},
    event::{Decision, Mode, Status, ToolPolicy},
};
use countersign_store::{Done, Error, Store};
use std::{sync::Arc, time::Duration};

/// What comes of an order.
pub type Outcome = Result<Done, Error>;

/// The code of the error, or `"done"`.
#[must_use]
pub fn code(outcome: &Outcome) -> &'static str {
    outcome.as_ref().map_or_else(|error| error.reason().unwrap_or(error.code()), |_| "done")
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
        let propose = Propose {
            id: CallId::new(id).expect("valid"),
            name: ToolName::new(proposal.tool).expect("valid"),
            arguments: Arguments::new(Json::parse(proposal.arguments).expect("JSON")).expect("admitted"),
            annotations: None,
            impact: None,
            description: None,
            definition: None,
            expires_in: proposal.expires_in,
            judged: None,
        };
        self.wants(id, Command::Propose(propose)).await
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
        self.wants(id, Command::Respond(Respond::plain(decision))).await
    }

    /// Claims the usual call.
    pub async fn claims(&self, id: &str) -> Outcome {
        self.claims_with(id, Proposal::default().arguments).await
    }

    /// Claims a call in order to run it with those arguments.
    pub async fn claims_with(&self, id: &str, arguments: &str) -> Outcome {
        let arguments_hash = hash(arguments);
        let claim = Claim {
            executor: self.by.to_string(),
            arguments_hash,
            lease: None,
            arguments: None,
            definition_hash: None,
            judged: None,
        };
        self.wants(id, Command::Claim(claim)).await
    }

    /// Reports that the call went well.
    pub async fn finishes(&self, id: &str) -> Outcome {
        let finish = Finish { status: Status::Success, content: Json::string("ok"), executor: None };
        self.wants(id, Command::Finish(finish)).await
    }

    /// Withdraws the call.
    pub async fn cancels(&self, id: &str) -> Outcome {
        self.wants(id, Command::Cancel { reason: None }).await
    }

    /// Carries out what is due on the call.
    pub async fn expires(&self, id: &str) -> Outcome {
        self.wants(id, Command::Due).await
    }

    /// Takes back a grant.
    pub async fn revokes(&self, grant: i64) -> Outcome {
        self.wishes(Wish::Thread(self.thread_id.clone(), ThreadCommand::Revoke(grant))).await
    }

    /// Sets how the thread answers what is asked.
    pub async fn sets_mode(&self, mode: Mode) -> Outcome {
        self.wishes(Wish::Thread(self.thread_id.clone(), ThreadCommand::SetMode(mode))).await
    }

    /// Gives a tool a policy of the thread's own.
    pub async fn sets_policy(&self, tool: &str, policy: ToolPolicy) -> Outcome {
        let tool = ToolName::new(tool).expect("valid");
        self.wishes(Wish::Thread(self.thread_id.clone(), ThreadCommand::SetPolicies(vec![(tool, policy)])))
            .await
    }

    /// Closes the thread.
    pub async fn closes(&self) -> Outcome {
        self.wishes(Wish::Thread(self.thread_id.clone(), ThreadCommand::Close)).await
    }

    async fn wants(&self, id: &str, command: Command) -> Outcome {
        self.wishes(Wish::Call(self.thread_id.clone(), CallId::new(id).expect("valid"), command)).await
    }

    async fn wishes(&self, wish: Wish) -> Outcome {
        let order = Order {
            wish,
            by: self.by.clone(),
            now: self.store.clock().now(),
            policy: Arc::clone(&self.policy),
        };
        self.store.carry_out(order).await
    }
}

fn hash(arguments: &str) -> Sha256 {
    Json::parse(arguments).and_then(|json| json.admit()).expect("JSON")
}

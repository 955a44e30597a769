//! The gate: propose, wait, decide, claim, finish, over a local file or over a server, with the same
//! requests and answers. An executor that goes through it runs nothing that was not allowed, and runs
//! it once.
//!
//! ```no_run
//! # async fn agent() -> Result<(), countersign_gate::Error> {
//! use countersign_gate::{Gate, Principal, api, name};
//!
//! let gate = Gate::open("countersign.db").await?.acting_as(Principal::agent("builder"));
//! let thread = name("conversation-7")?;
//! let call = api::Propose::new("call_1", "bash", r#"{"command":"make deploy"}"#)?;
//! gate.propose(&thread, &call).await?;
//! let call = gate.wait(&thread, &call.id, None).await?;
//! if call.may_run() {
//!     let call = gate.claim(&thread, &call.id, &api::Claim::of(&call, "builder-1")).await?;
//!     let output = format!("ran {}", call.arguments.as_str());
//!     gate.finish(&thread, &call.id, &api::Finish::success(&output)).await?;
//! }
//! # Ok(())
//! # }
//! ```

/// Dispatches to whichever way the gate goes: both speak alike.
macro_rules! either {
    ($self:ident, $way:ident => $call:expr) => {
        match &$self.way {
            Way::Local($way) => $call,
            Way::Remote($way) => $call,
        }
    };
}

pub mod api;
mod duty;
mod error;
mod in_force;
mod life;
mod lists;
mod local;
mod patience;
mod random;
mod remote;
mod secret;
mod threads;

pub use countersign_approvals::{Refused, Width};
pub use countersign_events::{
    CallId, Event, EventType, Json, Principal, Sha256, State, ThreadId, Timestamp, ToolName, chain, event,
    id, json, principal,
};
pub use countersign_policy as policy;
pub use countersign_policy::Policy;
pub use countersign_replay as replay;
pub use countersign_store::{
    Address, Clock, Copied, Examined, Filter, Layout, OLDEST_POSTGRES, Options, Place, PostgresAddress,
    Report, Rights, Step, Synchronous, sqlite_version,
};
pub use error::Error;
pub use random::random_id;
pub use secret::{NEVER_LOGGED, without_password};

/// What the store says when it cannot do what was asked.
pub type StoreError = countersign_store::Error;

use futures_util::Stream;
use local::Local;
use remote::Remote;
use std::{pin::Pin, sync::Arc};

/// Events as they come, until the stream fails or its gate is closed.
pub type Events = Pin<Box<dyn Stream<Item = Result<Arc<Event>, Error>> + Send>>;

/// The way to the log, and who is asking. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    way: Way,
    by: Principal,
    /// Whether it bears with a log that is away.
    patient: bool,
}

#[derive(Clone)]
enum Way {
    Local(Arc<Local>),
    Remote(Arc<Remote>),
}

/// Copies a whole log from one database into another, which must be empty, or what an interrupted copy of the
/// same log left; with `go_on` also an earlier copy, which gets what has come since.
pub async fn copy(
    from: impl Into<Address>,
    to: impl Into<Address>,
    go_on: bool,
    progress: impl FnMut(Step),
) -> Result<Copied, Error> {
    Ok(countersign_store::copy(from, to, go_on, progress).await?)
}

/// Looks at a PostgreSQL server from outside: what has to be right for it to keep a log.
pub async fn examine(address: &PostgresAddress) -> Result<Examined, Error> {
    Ok(countersign_store::examine(address).await?)
}

/// The thread of that name, or what is wrong with it.
pub fn name(thread: &str) -> Result<ThreadId, Error> {
    ThreadId::new(thread).map_err(|why| Error::invalid("thread", &why))
}

/// The call of that id, or what is wrong with it.
pub fn call_id(id: &str) -> Result<CallId, Error> {
    CallId::new(id).map_err(|why| Error::invalid("id", &why))
}

impl Gate {
    /// Over the log at `address`, which is the path of a file or what [`Address::parse`] gives, made if there
    /// is none, with a policy that asks always.
    pub async fn open(address: impl Into<Address>) -> Result<Self, Error> {
        Self::open_with(address, Options::default(), Policy::ask_always()).await
    }

    /// Over the log at `address`.
    pub async fn open_with(
        address: impl Into<Address>,
        options: Options,
        policy: Policy,
    ) -> Result<Self, Error> {
        let local = Local::open(address.into(), options, policy).await?;
        let by = Principal::agent("local");
        Ok(Self { way: Way::Local(Arc::new(local)), by, patient: false })
    }

    /// Over the server at `url` (`http://host:port`, or `unix:` and the path of its socket). Nothing is sent yet.
    pub fn connect(url: &str) -> Result<Self, Error> {
        let by = Principal::agent("local");
        Ok(Self { way: Way::Remote(Arc::new(Remote::new(url)?)), by, patient: true })
    }

    /// The same gate for somebody else.
    #[must_use]
    pub fn acting_as(&self, by: Principal) -> Self {
        Self { by, ..self.clone() }
    }

    /// Who is asking.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.by
    }

    /// Decides on several calls at once, each answered for itself, in their order.
    pub async fn decide_all(&self, all: &api::DecideAll) -> Result<Vec<api::Answered>, Error> {
        let number = all.decisions.len();
        if !(1..=api::MAX_DECISIONS).contains(&number) {
            let why = format!("there are {number}; 1 to {} are taken at once", api::MAX_DECISIONS);
            return Err(Error::invalid("decisions", &why));
        }
        match &self.way {
            Way::Local(local) => Ok(local.decide_all(&self.by, all).await),
            Way::Remote(remote) => remote.decide_all(&self.by, all).await,
        }
    }

    /// Where a call stands.
    pub async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, Error> {
        either!(self, way => way.call(thread, id).await)
    }

    /// Whether the log takes writes and gives them back, and how long it is.
    pub async fn ready(&self) -> Result<api::Ready, Error> {
        either!(self, way => way.ready().await)
    }

    /// Has calls judged by another policy from now on. Only over a file.
    pub fn set_policy(&self, policy: Policy) -> Result<(), Error> {
        self.local()?.set_policy(policy);
        Ok(())
    }

    /// The hash of the policy that is in force. Only over a file.
    pub fn policy_hash(&self) -> Result<Sha256, Error> {
        Ok(self.local()?.policy.policy().hash())
    }

    /// Says why the policy that should be in force is not: [`Gate::ready`] tells. Only over a file.
    pub fn policy_failed(&self, trouble: impl Into<String>) -> Result<(), Error> {
        self.local()?.policy_failed(trouble.into());
        Ok(())
    }

    /// How many requests wait for people, and since when the oldest does. Only over a file.
    pub async fn open_now(&self) -> Result<api::OpenNow, Error> {
        self.local()?.open_now().await
    }

    /// The `seq` of the last event of the thread, or of the whole log; 0 if there is none.
    pub async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, Error> {
        either!(self, way => way.tip(thread).await)
    }

    /// Registers what this process measures: commits and queries, the life of calls. Only over a file.
    pub fn metrics(&self, registry: &mut prometheus_client::registry::Registry) -> Result<(), Error> {
        self.local()?.metrics(registry);
        Ok(())
    }

    /// The layout that the log had when it was opened. Only over a database.
    pub fn found(&self) -> Result<Layout, Error> {
        Ok(self.local()?.store.found())
    }

    /// Walks the whole log and checks its chain. Only over a file.
    pub async fn verify(&self, progress: impl FnMut(i64)) -> Result<Report, Error> {
        Ok(self.local()?.store.verify(progress).await?)
    }

    /// Makes the index of open requests anew from the events. Only over a file.
    pub async fn rebuild_index(&self) -> Result<(), Error> {
        Ok(self.local()?.store.rebuild_index().await?)
    }

    /// Ends the background tasks of a gate over a file. Every clone of it is closed.
    pub async fn shut_down(&self) {
        if let Way::Local(local) = &self.way {
            local.shut_down().await;
        }
    }

    fn local(&self) -> Result<&Local, Error> {
        match &self.way {
            Way::Local(local) => Ok(local),
            Way::Remote(_) => Err(Error::OnlyOverAFile),
        }
    }
}

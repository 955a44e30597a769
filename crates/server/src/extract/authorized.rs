//! Extracts the gate for a caller who may use an endpoint.

use crate::{
    AppState,
    identity::{CallerIdentity, IdentifiedRequest},
    problem::ProblemResponse,
};
use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use countersign_api::{
    ErrorCode, GateError,
    operations::{Operation, OperationRight},
};
use countersign_approvals::access::Right;
use countersign_events::{Role, ThreadId};
use countersign_gate::EmbeddedGate;
use serde_json::{Value, json};
use std::{marker::PhantomData, ops::Deref};

/// The right that an endpoint needs.
pub trait RequiredRight: Send {
    /// The right.
    const RIGHT: Right;
    /// Whether the caller must see all threads.
    const ALL_THREADS: bool = false;
}

/// The gate for a caller who has the right `R`, and who sees the thread in the path. It is the only way from a request to
/// a gate, so no endpoint can forget the check.
pub struct AuthorizedGate<R> {
    gate: EmbeddedGate,
    identity: CallerIdentity,
    right: PhantomData<R>,
}

macro_rules! required_rights {
    ($($(#[$doc:meta])* $name:ident as $visible:vis $alias:ident: $right:ident, all threads: $all:literal;)*) => {
        $(
            #[doc = concat!("See [`", stringify!($alias), "`].")]
            $visible struct $name;

            impl RequiredRight for $name {
                const RIGHT: Right = Right::$right;
                const ALL_THREADS: bool = $all;
            }

            $(#[$doc])*
            $visible type $alias = AuthorizedGate<$name>;
        )*
    };
}

required_rights! {
    /// To read calls, threads and events. Lists contain what the caller sees.
    Reading as pub ReadGate: Read, all threads: false;
    /// To read what concerns all threads at once.
    ReadingAll as pub(crate) ReadAllGate: Read, all threads: true;
    /// To judge the calls of all threads by a policy.
    ReadingPolicyAll as pub(crate) ReadAllByPolicyGate: ReadPolicy, all threads: true;
    /// To propose and execute calls.
    Executing as pub ExecuteGate: Execute, all threads: false;
    /// To add messages to a conversation.
    Conversing as pub ConverseGate: Converse, all threads: false;
    /// To decide.
    Deciding as pub DecideGate: Decide, all threads: false;
}

/// What an operation row demands.
pub(crate) struct OperationDemand<O>(PhantomData<O>);

impl<O: Operation> RequiredRight for OperationDemand<O> {
    const RIGHT: Right = match O::ROW.right {
        OperationRight::Read | OperationRight::ReadAllThreads => Right::Read,
        OperationRight::ReadPolicy | OperationRight::ReadPolicyOfAllThreads => Right::ReadPolicy,
        OperationRight::Execute => Right::Execute,
        OperationRight::Converse => Right::Converse,
        OperationRight::Decide | OperationRight::DecideAllThreads => Right::Decide,
        OperationRight::Close => Right::Close,
        OperationRight::ManageKeys => Right::ManageKeys,
        OperationRight::Administer => Right::Administer,
    };
    const ALL_THREADS: bool = matches!(
        O::ROW.right,
        OperationRight::ReadAllThreads
            | OperationRight::ReadPolicyOfAllThreads
            | OperationRight::DecideAllThreads
    );
}

/// The gate for a table operation, for a caller who has the right in its row.
pub(crate) type OperationGate<O> = AuthorizedGate<OperationDemand<O>>;

impl<R> AuthorizedGate<R> {
    pub(crate) fn identity(&self) -> &CallerIdentity {
        &self.identity
    }

    /// Refuses a thread that the caller does not see. A thread in the path was checked already; this is for one in the body.
    ///
    /// # Errors
    /// `unknown_thread`, whether the thread exists or not.
    pub fn require_thread(&self, thread: &ThreadId) -> Result<(), ProblemResponse> {
        if self.identity.holder.threads.admits(thread) { Ok(()) } else { Err(hidden_thread(thread).into()) }
    }
}

impl<R: RequiredRight> AuthorizedGate<R> {
    /// Says who may call the endpoint, for the OpenAPI document: the roles, and whether the credential must be for all threads.
    #[must_use]
    pub fn describe_access() -> Value {
        let roles: Vec<_> =
            Role::ALL.iter().filter(|role| R::RIGHT.belongs_to(**role)).map(|role| role.as_str()).collect();
        json!({ "roles": roles, "allThreads": R::ALL_THREADS })
    }
}

impl<R> Deref for AuthorizedGate<R> {
    type Target = EmbeddedGate;

    fn deref(&self) -> &EmbeddedGate {
        &self.gate
    }
}

impl<R: RequiredRight> FromRequestParts<AppState> for AuthorizedGate<R> {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ProblemResponse> {
        let identity = identity_of(parts)?;
        let holder = &identity.holder;
        if !holder.may(R::RIGHT) {
            let roles: Vec<_> = holder.roles.iter().map(|role| role.as_str()).collect();
            let detail = format!("the role {} may not {}", roles.join(", "), R::RIGHT.describe());
            return Err(ProblemResponse::new(ErrorCode::NotPermitted, detail));
        }
        if R::ALL_THREADS && !holder.threads.has_all_threads() {
            let detail = "this concerns all threads, and the credential is limited to some; name a thread";
            return Err(ProblemResponse::new(ErrorCode::NotPermitted, detail));
        }
        let gate = app.gate.acting_for(holder, R::RIGHT);
        let authorized = Self { gate, identity, right: PhantomData };
        if let Some(thread) = thread_of(parts).await {
            authorized.require_thread(&thread)?;
        }
        Ok(authorized)
    }
}

/// The caller of a request that depends only on the caller's identity.
pub(crate) struct RequestCaller(pub(crate) CallerIdentity);

impl FromRequestParts<AppState> for RequestCaller {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ProblemResponse> {
        identity_of(parts).map(Self)
    }
}

/// The error about a thread that the caller does not see. It is the same whether the thread exists or not.
fn hidden_thread(thread: &ThreadId) -> GateError {
    GateError::new(ErrorCode::UnknownThread, format!("there is no thread {thread}, or you do not see it"))
}

fn identity_of(parts: &Parts) -> Result<CallerIdentity, ProblemResponse> {
    match parts.extensions.get::<IdentifiedRequest>().map(AsRef::as_ref) {
        Some(Ok(identity)) => Ok(identity.clone()),
        Some(Err(problem)) => Err(problem.clone()),
        None => Err(ProblemResponse::new(ErrorCode::Internal, "the caller of this request is not known")),
    }
}

/// The thread in the path. An invalid one is rejected by the path's extractor.
async fn thread_of(parts: &mut Parts) -> Option<ThreadId> {
    let params = parts.extract::<RawPathParams>().await.ok()?;
    let (_, thread) = params.iter().find(|(name, _)| *name == "thread")?;
    ThreadId::new(thread).ok()
}

//! The extractor of the gate for a caller who may use an endpoint.

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
use countersign_api::{ErrorCode, GateError};
use countersign_gate::{EmbeddedGate, ThreadId, access::Right};
use std::{marker::PhantomData, ops::Deref};

/// The right that an endpoint needs.
pub(crate) trait RequiredRight: Send {
    const RIGHT: Right;
    /// True if the caller must see all threads.
    const ALL_THREADS: bool = false;
}

/// The gate for a caller who has the right `R`, and who sees the thread in the path. It is the only way from a request to
/// a gate, so no endpoint can forget the check.
pub(crate) struct AuthorizedGate<R> {
    gate: EmbeddedGate,
    identity: CallerIdentity,
    right: PhantomData<R>,
}

macro_rules! required_rights {
    ($($(#[$doc:meta])* $name:ident as $alias:ident: $right:ident, all threads: $all:literal;)*) => {
        $(
            #[doc = concat!("See [`", stringify!($alias), "`].")]
            pub(crate) struct $name;

            impl RequiredRight for $name {
                const RIGHT: Right = Right::$right;
                const ALL_THREADS: bool = $all;
            }

            $(#[$doc])*
            pub(crate) type $alias = AuthorizedGate<$name>;
        )*
    };
}

required_rights! {
    /// To read calls, threads and events. Lists contain what the caller sees.
    Reading as ReadGate: Read, all threads: false;
    /// To read what concerns all threads at once.
    ReadingAll as ReadAllGate: Read, all threads: true;
    /// To read the policy of the log.
    ReadingPolicy as ReadPolicyGate: ReadPolicy, all threads: false;
    /// To judge the calls of all threads by a policy.
    ReadingPolicyAll as ReadAllByPolicyGate: ReadPolicy, all threads: true;
    /// To propose and execute calls.
    Executing as ExecuteGate: Execute, all threads: false;
    /// To add messages to a conversation.
    Conversing as ConverseGate: Converse, all threads: false;
    /// To decide.
    Deciding as DecideGate: Decide, all threads: false;
    /// To decide in all threads at once.
    DecidingAll as DecideAllGate: Decide, all threads: true;
    /// To close a thread.
    Closing as CloseGate: Close, all threads: false;
    /// To add and remove keys of approvers.
    ManagingKeys as ManageKeysGate: ManageKeys, all threads: false;
    /// To set policies, modes and tokens.
    Administering as AdminGate: Administer, all threads: false;
}

impl<R> AuthorizedGate<R> {
    pub(crate) fn identity(&self) -> &CallerIdentity {
        &self.identity
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
        if let Some(thread) = thread_of(parts).await
            && !holder.threads.admits(&thread)
        {
            return Err(hidden_thread(&thread).into());
        }
        Ok(Self { gate: app.gate.acting_for(holder, R::RIGHT), identity, right: PhantomData })
    }
}

/// The caller of a request of which only the identity counts.
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

/// The thread in the path. An invalid one is rejected by the extractor of the path.
async fn thread_of(parts: &mut Parts) -> Option<ThreadId> {
    let params = parts.extract::<RawPathParams>().await.ok()?;
    let (_, thread) = params.iter().find(|(name, _)| *name == "thread")?;
    ThreadId::new(thread).ok()
}

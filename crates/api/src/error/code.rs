//! Error codes, and the reasons why a database is unavailable.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)*
            /// A value that only a newer server knows.
            #[default]
            #[serde(other, rename = "other")]
            Other,
        }

        impl $name {
            /// Every value that this version knows.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the value as text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::Other => "other" }
            }

            /// Returns a string's variant; [`Other`](Self::Other) if this version does not know it.
            #[must_use]
            pub fn parse(text: &str) -> Self {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).unwrap_or(Self::Other)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

codes! {
    /// The stable code of an error. Its variant has the code's name.
    ErrorCode {
        /// The body is not JSON.
        BadJson = "bad_json",
        /// The request names its host twice, or in two different ways.
        BadHost = "bad_host",
        /// A trusted proxy sent an unusable header about its client.
        BadForwarded = "bad_forwarded",
        /// The request has no credential, or one that is not accepted.
        Unauthenticated = "unauthenticated",
        /// The credential does not give the right that the request needs.
        NotPermitted = "not_permitted",
        /// A web page from another site sent the request.
        ForeignOrigin = "foreign_origin",
        /// The principal is not a person, and only people decide.
        NotAnApprover = "not_an_approver",
        /// The approver is not one of those who may decide this request.
        NotEligible = "not_eligible",
        /// The person in the decision has not handed their queue to the approver, or not any more.
        NotDelegated = "not_delegated",
        /// The approver proposed the call.
        SelfApproval = "self_approval",
        /// The path does not exist.
        UnknownRoute = "unknown_route",
        /// The thread has no events.
        UnknownThread = "unknown_thread",
        /// The thread has no such call.
        UnknownCall = "unknown_call",
        /// The grant has ended.
        GrantEnded = "grant_ended",
        /// The thread has no such grant.
        UnknownGrant = "unknown_grant",
        /// The log has no token with this id.
        UnknownToken = "unknown_token",
        /// The log has no key with this id.
        UnknownKey = "unknown_key",
        /// The rule asks for a proof that a person made the decision; `statement` is the string to sign.
        ProofRequired = "proof_required",
        /// The proof does not prove the decision.
        ProofInvalid = "proof_invalid",
        /// No such chat account.
        UnknownChatAccount = "unknown_chat_account",
        /// No device with this id gets notifications.
        UnknownDevice = "unknown_device",
        /// No active delegation has this number.
        UnknownDelegation = "unknown_delegation",
        /// The log has no webhook with this id.
        UnknownWebhook = "unknown_webhook",
        /// The active policy has no advisor with these settings.
        UnknownAdvisor = "unknown_advisor",
        /// An advisor allowed the call under a policy other than the active one.
        AdviceOutdated = "advice_outdated",
        /// The call was not allowed, so it cannot be flagged.
        NotFlaggable = "not_flaggable",
        /// Only an approval by a person that no executor has used can be taken back.
        NothingToTakeBack = "nothing_to_take_back",
        /// The log knows no definition of this tool.
        UnknownTool = "unknown_tool",
        /// The log has no definition of the tool with this hash.
        UnknownDefinition = "unknown_definition",
        /// The link has signed a person in before.
        LinkUsed = "link_used",
        /// The sign-in at the identity provider failed: it was started elsewhere, took too long, or was used before, or
        /// the provider's answer is not accepted.
        SignInFailed = "sign_in_failed",
        /// The account at the identity provider gives no rights here.
        SignInRefused = "sign_in_refused",
        /// The log knows the name in another spelling, or for another account at the identity provider.
        NameTaken = "name_taken",
        /// The identity provider does not answer, or not as OpenID Connect requires.
        ProviderUnavailable = "provider_unavailable",
        /// The path does not support the method.
        WrongMethod = "wrong_method",
        /// The request was not complete in time.
        RequestTimeout = "request_timeout",
        /// The cursor is beyond the log's end, or from another log; `tip` contains the end.
        BadCursor = "bad_cursor",
        /// The id was proposed before with a different tool, arguments or place.
        CallDiffers = "call_differs",
        /// The call has a different decision.
        AlreadyDecided = "already_decided",
        /// The approver has voted differently.
        AlreadyVoted = "already_voted",
        /// The tool's definition is not the approved one.
        DefinitionChanged = "definition_changed",
        /// The call's outcome is not unknown, so it cannot be released.
        NotUnknown = "not_unknown",
        /// The call has not ended, so its content cannot be erased.
        CallOpen = "call_open",
        /// The call gave a grant for a pattern, which is still active.
        GrantInForce = "grant_in_force",
        /// The call's content is in an archive file.
        CallArchived = "call_archived",
        /// The call is not allowed, so it cannot be claimed.
        NotAllowed = "not_allowed",
        /// An executor has claimed the call.
        AlreadyClaimed = "already_claimed",
        /// The call has a different result.
        AlreadyFinished = "already_finished",
        /// The call is not claimed, so it cannot have a result.
        NotClaimed = "not_claimed",
        /// Another executor claimed the call, so this executor cannot report its result.
        NotTheExecutor = "not_the_executor",
        /// The arguments are not the approved ones, or not the ones that the approver saw.
        ArgumentsChanged = "arguments_changed",
        /// A message shows or names a tool other than that of the call that it decides.
        ToolChanged = "tool_changed",
        /// The policy blocks the call, or a thread restriction holds it back.
        Blocked = "blocked",
        /// A newer version has written an event about the call or its thread, whose meaning this version does not know.
        UnknownEvent = "unknown_event",
        /// The thread is closed.
        ThreadClosed = "thread_closed",
        /// The thread or the agent has as many pending calls as the policy permits.
        TooManyPending = "too_many_pending",
        /// Another policy became active meanwhile.
        PolicyChanged = "policy_changed",
        /// The body is too large.
        TooLarge = "too_large",
        /// The content type is not JSON.
        NotJson = "not_json",
        /// The `Host` header is not a server name.
        ForeignHost = "foreign_host",
        /// A field, parameter or header has an invalid value.
        Invalid = "invalid",
        /// Two keys in one object of the arguments are the same key to some programs.
        AmbiguousArguments = "ambiguous_arguments",
        /// The request does not offer this decision.
        NotOffered = "not_offered",
        /// The caller sends too many requests.
        TooManyRequests = "too_many_requests",
        /// The caller has too many open streams.
        TooManyStreams = "too_many_streams",
        /// Too many requests of the caller wait for a decision.
        TooManyWaits = "too_many_waits",
        /// The request has too many or too large headers.
        HeadersTooLarge = "headers_too_large",
        /// The server failed.
        Internal = "internal",
        /// The database contains something that Countersign did not write.
        Damaged = "damaged",
        /// The database cannot be used now; `reason` contains the cause.
        DatabaseUnavailable = "database_unavailable",
        /// This version cannot read the active policy, so it judges no calls.
        PolicyUnreadable = "policy_unreadable",
        /// The process is stopping.
        ShuttingDown = "shutting_down",
        /// The server has reached its connection limit.
        TooManyConnections = "too_many_connections",
        /// A readiness check failed.
        NotReady = "not_ready",
        /// No server answers. Only clients report it.
        Unreachable = "unreachable",
        /// The response does not come from a Countersign server. Only clients report it.
        StrangeServer = "strange_server",
        /// The server's address is invalid. Only clients report it.
        BadUrl = "bad_url",
    }
}

codes! {
    /// The reason why a database cannot be used now.
    UnavailableReason {
        /// The database ends before events that this process has read, for example after a failover to a server without
        /// them.
        Behind = "behind",
        /// The database is overloaded or took too long.
        Busy = "busy",
        /// The disk is full.
        Full = "full",
        /// The user does not have a permission.
        Forbidden = "forbidden",
        /// The file was removed or replaced while it was open.
        Gone = "gone",
        /// The system failed to read or write.
        IoError = "io_error",
        /// Another program holds the write lock.
        Locked = "locked",
        /// The server rejects the user.
        Login = "login",
        /// The connection was lost during a write, whose outcome is unknown.
        Lost = "lost",
        /// The database does not exist.
        Missing = "missing",
        /// A newer program has changed the log's layout, and this one may not write to it.
        NewerDatabase = "newer_database",
        /// The database exists and has no log yet.
        NoLog = "no_log",
        /// The file or database is not a Countersign database of this version.
        NotCountersign = "not_countersign",
        /// The file is read-only for this user.
        ReadOnly = "read_only",
        /// The server is a standby, which accepts no writes.
        Standby = "standby",
        /// The server does not answer.
        Unreachable = "unreachable",
        /// The server is older than the schema needs.
        TooOld = "too_old",
    }
}

impl UnavailableReason {
    /// Returns true if the database may become available again without help.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Behind
                | Self::Busy
                | Self::Full
                | Self::IoError
                | Self::Locked
                | Self::Lost
                | Self::Standby
                | Self::Unreachable
        )
    }

    /// Returns true if only a database server can have this reason, never a database file.
    #[must_use]
    pub const fn needs_a_server(self) -> bool {
        matches!(
            self,
            Self::Behind
                | Self::Busy
                | Self::Forbidden
                | Self::Login
                | Self::Lost
                | Self::NoLog
                | Self::Standby
                | Self::TooOld
                | Self::Unreachable
        )
    }
}

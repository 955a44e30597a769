//! The operations on one call.

/// Operation rows for calls.
macro_rules! call_operations {
    ($define:ident) => { $define! {
        /// An operation on one call.
        CallOperation as Call;

        /// Proposes a call, which the policy then judges.
        ///
        /// `state` of the response is `allowed`, `denied` or `pending`. Proposing the same call again returns its current
        /// state. With `Prefer: wait=30`, the response to a pending call is held until the call is decided, for at most that
        /// many seconds.
        ProposeCall: Post "/v1/threads/{thread}/tool-calls" {
            id: "propose", tag: "executor", right: Execute, retry: ProposalOnceReached,
            path: { thread: ThreadPart },
            body: ProposeRequest,
            status: 201,
            answer: Call, "The call in its current state.",
            refusals: [CallDiffers, AmbiguousArguments, ThreadClosed, TooManyPending, TooManyWaits],
        }

        /// Returns the current state of a call.
        ///
        /// With `Prefer: wait=30`, the response is held until the call is decided, for at most that many seconds.
        ShowCall: Get "/v1/threads/{thread}/tool-calls/{id}" {
            id: "getCall", tag: "executor", right: Read, retry: Never,
            path: { thread: ThreadPart, id: CallPart },
            answer: Call, "The call.",
            refusals: [UnknownCall, TooManyWaits],
        }

        /// Tells that a pending call's proposer still waits for the decision.
        ///
        /// Approvers see when the proposer was last seen. A request with `Prefer: wait` has the same effect while it is
        /// open, so this is for agents that poll or that are called back. Send it at least every 20 seconds.
        SendHeartbeat: Post "/v1/threads/{thread}/tool-calls/{id}/heartbeat" {
            id: "heartbeat", tag: "executor", right: Execute, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            answer: Call, "The call in its current state.",
            refusals: [UnknownCall],
        }

        /// Claims a call, to start it.
        ///
        /// The executor runs the response's `arguments` and nothing else. A second claim is refused, even if it comes
        /// from the same executor; the error contains the first claim.
        ClaimCall: Post "/v1/threads/{thread}/tool-calls/{id}/claim" {
            id: "claim", tag: "executor", right: Execute, retry: Execution,
            path: { thread: ThreadPart, id: CallPart },
            body: ClaimRequest,
            answer: Call, "The call, running.",
            refusals: [
                UnknownCall, NotAllowed, AlreadyClaimed, ArgumentsChanged, AmbiguousArguments, DefinitionChanged,
                AdviceOutdated, Blocked, ThreadClosed
            ],
        }

        /// Extends a claim's lease.
        ///
        /// An executor renews its lease for as long as it runs the call, after each third of it. A renewal writes nothing while
        /// three quarters of the lease remain. An executor whose lease has lapsed may renew it, unless another executor has
        /// taken over the call.
        RenewClaim: Post "/v1/threads/{thread}/tool-calls/{id}/claim/renew" {
            id: "renewClaim", tag: "executor", right: Execute, retry: Execution,
            path: { thread: ThreadPart, id: CallPart },
            body: RenewRequest,
            answer: Call, "The call, running.",
            refusals: [UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor],
        }

        /// Reports a claimed call's result.
        FinishCall: Post "/v1/threads/{thread}/tool-calls/{id}/result" {
            id: "finish", tag: "executor", right: Execute, retry: Execution,
            path: { thread: ThreadPart, id: CallPart },
            body: ResultRequest,
            answer: Call, "The call, finished.",
            refusals: [UnknownCall, AlreadyFinished, NotClaimed, NotTheExecutor],
        }

        /// Withdraws a call that no executor has claimed.
        CancelCall: Post "/v1/threads/{thread}/tool-calls/{id}/cancel" {
            id: "cancel", tag: "executor", right: Execute, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: CancelRequest,
            answer: Call, "The call, cancelled.",
            refusals: [UnknownCall, AlreadyDecided, AlreadyClaimed, AlreadyFinished],
        }

        /// Releases a call whose outcome is unknown, so that another executor may claim it.
        ///
        /// The first executor's lease has lapsed without a result, so the call may have run. The person who releases
        /// the call accepts that it may run twice. Only people may release a call, and not the person who proposed it.
        ReleaseCall: Post "/v1/threads/{thread}/tool-calls/{id}/release" {
            id: "release", tag: "approver", right: Decide, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: ReleaseRequest,
            answer: Call, "The call, released.",
            refusals: [UnknownCall, NotUnknown, NotAnApprover, SelfApproval, NotEligible],
        }

        /// Takes back an approval that no executor has used.
        ///
        /// The decision stays in the log, and the call ends as `cancelled`: a claim after it is refused. A grant that the decision
        /// gave is revoked with it. Any person may take back any person's approval, because that only restricts.
        TakeBackApproval: Post "/v1/threads/{thread}/tool-calls/{id}/take-back" {
            id: "takeBack", tag: "approver", right: Decide, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: TakeBackRequest,
            answer: Call, "The call, cancelled.",
            refusals: [UnknownCall, NothingToTakeBack, AlreadyClaimed, NotAnApprover],
        }

        /// Complains that a call was allowed.
        ///
        /// The complaint changes nothing about the call. It counts against an advisor that allowed it, or advised to. Each person
        /// flags a call once.
        FlagCall: Post "/v1/threads/{thread}/tool-calls/{id}/flag" {
            id: "flag", tag: "approver", right: Decide, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: FlagRequest,
            answer: Call, "The call with the complaint.",
            refusals: [UnknownCall, NotFlaggable, NotAnApprover, CallArchived],
        }

        /// Erases the content of a call that has ended, for example because a law requires it.
        ///
        /// The arguments, descriptions, comments and result content are replaced by their hashes in the log and in the
        /// database files. Everything else stays, and the hash chain holds. Only an admin may erase.
        EraseCall: Post "/v1/threads/{thread}/tool-calls/{id}/erase" {
            id: "erase", tag: "approver", right: Administer, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: EraseRequest,
            answer: ErasureReport, "The call without its texts.",
            refusals: [UnknownCall, CallOpen, GrantInForce, CallArchived, NotAnApprover],
        }

        /// Previews an edit.
        ///
        /// Checks other arguments as `allow_once` would: against the tool's `inputSchema`, the active policy and the request's
        /// terms. Writes nothing.
        PreviewEdit: Post "/v1/threads/{thread}/approvals/{id}/edit" {
            id: "previewEdit", tag: "approver", right: Decide, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: EditRequest,
            answer: EditPreview, "Why the arguments would be refused, if they would.",
            refusals: [UnknownCall, AmbiguousArguments],
        }

        /// Previews a decision's scope.
        ///
        /// Counts the earlier calls, among the last thousand of the thread, that a decision remembered with this scope would have
        /// answered, and lists the calls that wait and that the decision decides too if it says `andWaiting`. Writes nothing.
        PreviewScope: Post "/v1/threads/{thread}/tool-calls/{id}/scope" {
            id: "previewScope", tag: "approver", right: Decide, retry: Interaction,
            path: { thread: ThreadPart, id: CallPart },
            body: ScopeRequest,
            answer: ScopePreview, "The calls that the scope covers.",
            refusals: [UnknownCall],
        }

        /// Decides on a call.
        ///
        /// Only people decide, and never on calls that they proposed. A decision that differs from an earlier one is refused,
        /// and the error contains the earlier one; repeating the same decision succeeds. If the request needs several
        /// approvers, the decision is a vote, and the call is decided when there are enough votes. If it needs a proof, an
        /// approval without one is refused with `proof_required` and the statement to sign.
        DecideCall: Post "/v1/threads/{thread}/approvals/{id}" {
            id: "decide", tag: "approver", right: Decide, retry: InteractionOnceReached,
            path: { thread: ThreadPart, id: CallPart },
            body: DecisionRequest,
            answer: Call, "The call, decided or with one more vote.",
            refusals: [
                UnknownCall, NotAnApprover, SelfApproval, NotEligible, NotDelegated, ProofRequired, ProofInvalid, AlreadyDecided,
                AlreadyVoted, ArgumentsChanged, AmbiguousArguments, Blocked, NotOffered
            ],
        }
    } };
}

pub(super) use call_operations;

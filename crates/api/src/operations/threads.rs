//! The operations on one thread.

/// Operation rows for threads.
macro_rules! thread_operations {
    ($define:ident) => {
        $define! {
            /// An operation on one thread.
            ThreadOperation as Thread;

            /// Returns a thread's summary.
            ShowThread: Get "/v1/threads/{thread}" {
                id: "getThread", tag: "log", right: Read, retry: Never,
                path: { thread: ThreadPart },
                has_log_tag: true,
                answer: ThreadSummary, "The thread.",
                refusals: [UnknownThread],
            }

            /// Lists the active grants of a thread, or with `all=true` also those that have ended, the oldest first.
            ListGrants: Get "/v1/threads/{thread}/grants" {
                id: "listGrants", tag: "thread", right: Read, retry: Never,
                path: { thread: ThreadPart },
                query: SelectionQuery,
                has_log_tag: true,
                answer: GrantPage, "The grants.",
                refusals: [],
            }

            /// Revokes a grant.
            ///
            /// Calls that the grant has already answered keep their decision. Only people may revoke a grant, because it may be a
            /// denial.
            RevokeGrant: Delete "/v1/threads/{thread}/grants/{seq}" {
                id: "revokeGrant", tag: "thread", right: Decide, retry: Never,
                path: { thread: ThreadPart, seq: GrantPart },
                answer: GrantPage, "The first page of the remaining grants.",
                refusals: [UnknownGrant, NotAnApprover, SelfApproval, NotEligible],
            }

            /// Gives a grant new limits.
            ///
            /// They take the place of the grant's limits, so that it can last longer or end earlier. Only a person who could have
            /// given the grant alone may do this, and only while it is active.
            ProlongGrant: Post "/v1/threads/{thread}/grants/{seq}/prolong" {
                id: "prolongGrant", tag: "thread", right: Decide, retry: Never,
                path: { thread: ThreadPart, seq: GrantPart },
                body: ProlongRequest,
                answer: GrantPage, "The first page of the active grants.",
                refusals: [UnknownGrant, GrantEnded, ThreadClosed, NotAnApprover, SelfApproval, NotEligible],
            }

            /// Returns a thread's mode.
            ShowMode: Get "/v1/threads/{thread}/mode" {
                id: "getMode", tag: "thread", right: Read, retry: Never,
                path: { thread: ThreadPart },
                has_log_tag: true,
                answer: ThreadMode, "The mode.",
                refusals: [],
            }

            /// Sets a thread's mode.
            ///
            /// The mode answers the calls that people would be asked about. `interactive`: people decide. `approve_all`: these
            /// calls are allowed. `auto_deny`: they are denied. A mode never lifts a block. Only people may set the mode.
            SetMode: Put "/v1/threads/{thread}/mode" {
                id: "setMode", tag: "thread", right: Administer, retry: Never,
                path: { thread: ThreadPart },
                body: ModeRequest,
                answer: ThreadMode, "The mode.",
                refusals: [UnknownThread, NotAnApprover, SelfApproval, NotEligible, ThreadClosed],
            }

            /// Returns the tool policies of a thread.
            ShowToolPolicies: Get "/v1/threads/{thread}/policy" {
                id: "getPolicies", tag: "thread", right: Read, retry: Never,
                path: { thread: ThreadPart },
                has_log_tag: true,
                answer: ThreadPolicies, "The tool policies of the thread.",
                refusals: [],
            }

            /// Sets tool policies of a thread.
            ///
            /// Tools that the request does not name keep their policy; `default` removes a tool's policy. Only people
            /// may set policies.
            SetToolPolicies: Put "/v1/threads/{thread}/policy" {
                id: "setPolicies", tag: "thread", right: Administer, retry: Never,
                path: { thread: ThreadPart },
                body: ToolPoliciesRequest,
                answer: ThreadPolicies, "The tool policies of the thread.",
                refusals: [UnknownThread, NotAnApprover, SelfApproval, NotEligible, ThreadClosed],
            }

            /// Adds messages to a thread's conversation.
            ///
            /// Each is stored as it was sent, with masks instead of secrets. Send one `message`, or the whole
            /// conversation as `messages`, again and again: what the log already has at the same position is not stored
            /// again.
            ///
            /// Decisions in the messages are made, if the caller may decide: in the message format, or in words, such
            /// as `approve_once bash`. `decisions` says what each did. The messages are stored in any case.
            AddMessages: Post "/v1/threads/{thread}/messages" {
                id: "addMessages", tag: "thread", right: Converse, retry: ProposalOnceReached,
                path: { thread: ThreadPart },
                body: MessagesRequest,
                answer: MessagesReport, "What became of each message.",
                refusals: [ThreadClosed],
            }

            /// Denies the pending calls of a thread.
            ///
            /// Denies all of them, or only those of one tool, in one transaction. Calls that the caller may not deny, or that need
            /// more denials, stay pending and are listed in `left`.
            StopThread: Post "/v1/threads/{thread}/stop" {
                id: "stopThread", tag: "approver", right: Decide, retry: Interaction,
                path: { thread: ThreadPart },
                body: StopRequest,
                answer: StopReport, "The denied calls, and those that are still pending.",
                refusals: [NotAnApprover],
            }

            /// Closes a thread.
            ///
            /// Its grants end, its pending calls are cancelled, and it accepts no new calls and no claims.
            CloseThread: Post "/v1/threads/{thread}/close" {
                id: "closeThread", tag: "thread", right: Close, retry: Never,
                path: { thread: ThreadPart },
                answer: CloseReport, "The closed thread, and the calls that were cancelled.",
                refusals: [UnknownThread],
            }
        }
    };
}

pub(super) use thread_operations;

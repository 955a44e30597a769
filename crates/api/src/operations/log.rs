//! Log-wide operations: statistics, the policy, credentials, tools, webhooks and advisors.

/// Operation rows for the log.
macro_rules! log_operations {
    ($define:ident) => {
        $define! {
            /// A log-wide operation.
            LogOperation as Log;

            /// Denies the pending calls of all threads.
            ///
            /// Denies all of them, or only those of one tool, in one transaction. Calls that the caller may not deny, or that need
            /// more denials, stay pending and are listed in `left`.
            StopAllThreads: Post "/v1/approvals/stop" {
                id: "stop", tag: "approver", right: DecideAllThreads, retry: Interaction,
                body: StopRequest,
                answer: StopReport, "The denied calls, and those that are still pending.",
                refusals: [NotAnApprover],
            }

            /// Lists the threads, the most recently active first.
            ListThreads: Get "/v1/threads" {
                id: "listThreads", tag: "log", right: Read, retry: Never,
                query: PageQuery,
                has_log_tag: true,
                answer: ThreadPage, "The threads.",
                refusals: [],
            }

            /// Returns statistics of calls.
            ///
            /// Counts the calls proposed from `since` on and before `until` by outcome, in total and for each tool, and gives the
            /// time that people took to decide. `rules` counts the calls that each rule judged. With `utcOffsetMinutes`, `days` has
            /// the counts of each day, and with `touched=true`, `touched` has the things that the most calls touch.
            ///
            /// An answer covers at most 5,000 events, the newest first. Send `next` as `after` for earlier calls. Page counts add up,
            /// and `decisionTimes` gives their percentiles.
            CountCalls: Get "/v1/stats" {
                id: "getStats", tag: "log", right: ReadAllThreads, retry: Never,
                query: StatisticsQuery,
                answer: CallStatistics, "The statistics.",
                refusals: [],
            }

            /// Returns who is connected and what is pending.
            ///
            /// `agents`, `executors`, `approvers`, `webhooks` and `pending` come from the log. `clients` is what this
            /// server has seen of its own callers since it started: their programs, open streams and waiting requests.
            /// Other servers of the same log have their own clients.
            ShowStatus: Get "/v1/status" {
                id: "getStatus", tag: "service", right: ReadAllThreads, retry: Never,
                answer: StatusReport, "The status.",
                refusals: [],
            }

            /// Returns the active policy.
            ShowPolicy: Get "/v1/policy" {
                id: "getPolicy", tag: "policy", right: ReadPolicy, retry: Never,
                has_log_tag: true,
                answer: PolicyInForce, "The active policy.",
                refusals: [],
            }

            /// Activates a policy for every process that uses the log.
            ///
            /// A policy with an error changes nothing. The request names the policy that it replaces, and is refused if
            /// another one is active by then. A policy that is already active changes nothing. Only people may change
            /// the policy.
            ApplyPolicy: Put "/v1/policy" {
                id: "applyPolicy", tag: "policy", right: Administer, retry: Never,
                body: PolicyRequest,
                answer: PolicyInForce, "The active policy.",
                refusals: [NotAnApprover],
            }

            /// Returns the events that activated policies, the oldest first.
            ListPolicies: Get "/v1/policy/history" {
                id: "listPolicies", tag: "policy", right: ReadPolicy, retry: Never,
                query: PageQuery,
                has_log_tag: true,
                answer: EventPage, "The events.",
                refusals: [BadCursor],
            }

            /// Returns the active policy's rules.
            ///
            /// `rules` in the statistics counts the calls that each rule has judged, under the same names.
            ListPolicyRules: Get "/v1/policy/rules" {
                id: "listPolicyRules", tag: "policy", right: ReadPolicy, retry: Never,
                answer: PolicyRuleList, "The rules.",
                refusals: [],
            }

            /// Judges a sample call, and writes nothing.
            ///
            /// The active policy judges, or one that the request contains. The answer then has the warnings about it, too.
            /// The thread's settings, grants and mode do not apply.
            CheckPolicy: Post "/v1/policy/check" {
                id: "checkPolicy", tag: "policy", right: ReadPolicy, retry: Never,
                body: PolicyCheckRequest,
                answer: PolicyVerdict, "The verdict.",
                refusals: [],
            }

            /// Reviews one day: what people were asked, and which rules would have made prompts needless.
            ///
            /// The rules follow from what people allowed again and again in the 30 days before the end of the day, as in
            /// `GET /v1/policy/suggestions`. Each was added to the active policy, which then judged the prompts of the day
            /// and all refused calls of these days again: a rule that would have allowed a refused call is not offered, but
            /// listed in `withheld`. Where the policy only observes, `wouldAsk` says what it would have asked. The limits are
            /// those of a replay; `log` says if they left out calls.
            ReviewDay: Get "/v1/policy/daily" {
                id: "reviewDay", tag: "policy", right: ReadPolicyOfAllThreads, retry: Never,
                query: DailyQuery,
                answer: DailyReview, "The review.",
                refusals: [],
            }

            /// Adds one rule to the policy's managed layer, and activates the result.
            ///
            /// The managed layer has the rules that people accepted one by one, `policy.d/managed.toml` among the
            /// layers. It may have only rules that allow. Such a rule answers a call that would be asked because
            /// nothing else has a verdict for it: a rule that asks or blocks is stricter and wins, and where the
            /// default blocks it has no effect. Files that become active later keep the managed layer. If the name is
            /// taken in the layer, the rule gets a number.
            AddManagedRule: Post "/v1/policy/managed-rules" {
                id: "addManagedRule", tag: "policy", right: Administer, retry: Never,
                body: ManagedRuleRequest,
                answer: PolicyInForce, "The active policy.",
                refusals: [NotAnApprover],
            }

            /// Removes one rule from the policy's managed layer, and activates the result.
            RemoveManagedRule: Post "/v1/policy/managed-rules/remove" {
                id: "removeManagedRule", tag: "policy", right: Administer, retry: Never,
                body: RemoveManagedRuleRequest,
                answer: PolicyInForce, "The active policy.",
                refusals: [NotAnApprover],
            }

            /// Lists the tokens, the oldest first.
            ///
            /// The list has the tokens and links that are accepted; with `all=true` also sessions, and those that are
            /// no longer accepted. It never has a secret.
            ListTokens: Get "/v1/tokens" {
                id: "listTokens", tag: "access", right: Administer, retry: Never,
                query: SelectionQuery,
                answer: TokenPage, "The tokens.",
                refusals: [],
            }

            /// Creates a token, or a link that signs a person in once.
            ///
            /// The response alone contains the secret; the log keeps its hash.
            CreateToken: Post "/v1/tokens" {
                id: "createToken", tag: "access", right: Administer, retry: Never,
                body: TokenRequest,
                status: 201,
                answer: NewToken, "The token with its secret.",
                refusals: [],
            }

            /// Revokes a token, with every session that was made from it.
            ///
            /// Revoking it again succeeds.
            RevokeToken: Post "/v1/tokens/{id}/revoke" {
                id: "revokeToken", tag: "access", right: Administer, retry: Never,
                path: { id: TokenPart },
                body: RevokeTokenRequest,
                answer: Token, "The token, revoked.",
                refusals: [UnknownToken],
            }

            /// Lists the keys of approvers, the oldest first.
            ///
            /// The list has the keys that prove decisions; with `all=true` also those that were removed. `log` identifies the log, and
            /// each statement that a person signs names it.
            ListApproverKeys: Get "/v1/approver-keys" {
                id: "listApproverKeys", tag: "access", right: ReadPolicy, retry: Never,
                query: SelectionQuery,
                answer: ApproverKeyPage, "The keys.",
                refusals: [],
            }

            /// Adds an approver key.
            ///
            /// An approver adds its own keys. The first one needs no proof, unless the policy lets only admins add
            /// keys; each further one needs a proof by an earlier key, and the error `proof_required` has the statement
            /// to sign. An admin adds keys for any person. Repeating it succeeds.
            AddApproverKey: Post "/v1/approver-keys" {
                id: "addApproverKey", tag: "access", right: ManageKeys, retry: Never,
                body: ApproverKeyRequest,
                status: 201,
                answer: ApproverKey, "The key.",
                refusals: [NotAnApprover, ProofRequired, ProofInvalid],
            }

            /// Removes an approver key, whose proofs are not accepted from then on.
            ///
            /// An approver removes its own keys, an admin those of every person. Proofs in the log stay valid. Repeating it succeeds.
            RemoveApproverKey: Post "/v1/approver-keys/{id}/remove" {
                id: "removeApproverKey", tag: "access", right: ManageKeys, retry: Never,
                path: { id: KeyPart },
                body: RemoveKeyRequest,
                answer: ApproverKey, "The key, removed.",
                refusals: [UnknownKey],
            }

            /// Lists the devices that get notifications of the caller, the oldest first; for an admin those of every person.
            ///
            /// `publicKey` is the key with which a browser subscribes at the push service of its vendor. The list has no address
            /// beyond its host.
            ListPushDevices: Get "/v1/push/devices" {
                id: "listPushDevices", tag: "access", right: ManageKeys, retry: Never,
                answer: PushDeviceList, "The devices.",
                refusals: [],
            }

            /// Sends the caller's notifications to a device from now on, or changes its settings.
            ///
            /// A browser page sends the subscription that its browser made. Notifications are encrypted for the device, and end when
            /// the caller's session ends. A push service with a private address is refused. Repeating it succeeds.
            SetPushDevice: Post "/v1/push/devices" {
                id: "setPushDevice", tag: "access", right: Decide, retry: Never,
                body: PushDeviceRequest,
                status: 201,
                answer: PushDevice, "The device.",
                refusals: [NotAnApprover],
            }

            /// Sends no more notifications to a device.
            ///
            /// A person removes own devices, an admin those of every person.
            RemovePushDevice: Delete "/v1/push/devices/{id}" {
                id: "removePushDevice", tag: "access", right: ManageKeys, retry: Never,
                path: { id: DevicePart },
                answer: PushDevice, "The device, as it was.",
                refusals: [UnknownDevice],
            }

            /// Lists the chat accounts that stand for the caller; for an admin those of every person.
            ListChatAccounts: Get "/v1/chat-accounts" {
                id: "listChatAccounts", tag: "access", right: ManageKeys, retry: Never,
                answer: ChatAccountList, "The accounts.",
                refusals: [],
            }

            /// Lets a chat account decide for the caller where the policy permits it.
            ///
            /// A chat gives the code to an account that is not linked, for ten minutes. The link ends with the token from which the
            /// caller's session was made. For a person who signs in at an identity provider, it works while a session lasts.
            /// Repeating it succeeds.
            LinkChatAccount: Post "/v1/chat-accounts" {
                id: "linkChatAccount", tag: "access", right: Decide, retry: Never,
                body: LinkChatAccountRequest,
                status: 201,
                answer: ChatAccount, "The account.",
                refusals: [NotAnApprover, UnknownWebhook],
            }

            /// Lets a chat account decide for nobody any more.
            ///
            /// A person unlinks own accounts, an admin those of every person.
            UnlinkChatAccount: Delete "/v1/chat-accounts/{seq}" {
                id: "unlinkChatAccount", tag: "access", right: ManageKeys, retry: Never,
                path: { seq: ChatAccountPart },
                answer: ChatAccount, "The account, as it was.",
                refusals: [UnknownChatAccount],
            }

            /// Lists the active delegations, the oldest first.
            ///
            /// A delegation hands the queue of one person to another one until a moment. A caller who sees only some threads gets
            /// their own.
            ListDelegations: Get "/v1/delegations" {
                id: "listDelegations", tag: "access", right: ReadPolicy, retry: Never,
                answer: DelegationList, "The delegations.",
                refusals: [],
            }

            /// Hands the caller's queue to another person.
            ///
            /// Until the delegation ends, that person may decide in the caller's place, with `onBehalfOf`, what both of them may decide.
            /// They cannot hand it on. Repeating it with the same `until` succeeds and changes nothing.
            SetDelegation: Post "/v1/delegations" {
                id: "setDelegation", tag: "access", right: Decide, retry: Never,
                body: DelegationRequest,
                status: 201,
                answer: Delegation, "The delegation.",
                refusals: [NotAnApprover],
            }

            /// Ends a delegation before its time.
            ///
            /// Either of its two people ends it, or an admin. Decisions that were made by it stay.
            EndDelegation: Post "/v1/delegations/{seq}/end" {
                id: "endDelegation", tag: "access", right: ManageKeys, retry: Never,
                path: { seq: DelegationPart },
                body: EndDelegationRequest,
                answer: Delegation, "The delegation, as it was.",
                refusals: [UnknownDelegation, NotAnApprover, NotEligible],
            }

            /// Lists the tools whose definitions the log knows, in the order in which it came to know them.
            ///
            /// The first definition of a tool is accepted as it is. A changed one voids grants for its calls until a person accepts it.
            ListTools: Get "/v1/tools" {
                id: "listTools", tag: "tools", right: ReadPolicy, retry: Never,
                query: PageQuery,
                answer: ToolPage, "The tools.",
                refusals: [],
            }

            /// Records the tool definitions that an agent met and that the log does not have yet.
            ///
            /// A gateway sends the tools that its server lists. A proposal with a definition records it, too. Repeating
            /// it writes nothing.
            DefineTools: Post "/v1/tools" {
                id: "defineTools", tag: "tools", right: Execute, retry: Never,
                body: DefineToolsRequest,
                answer: DefineToolsReport, "What the log did not have.",
                refusals: [],
            }

            /// Returns a tool with its definitions, and how each differs from the one that was accepted before it.
            ShowTool: Get "/v1/tools/{tool}" {
                id: "getTool", tag: "tools", right: ReadPolicy, retry: Never,
                path: { tool: ToolPart },
                answer: ToolDetails, "The tool.",
                refusals: [UnknownTool],
            }

            /// Accepts a tool definition: grants and modes answer calls that come with it from now on.
            ///
            /// The request names the hash of the reviewed definition, so a later change is not accepted with it. An
            /// accepted definition stays accepted. Grants answer only the definition that they were given for.
            AcceptDefinition: Post "/v1/tools/{tool}/accept" {
                id: "acceptDefinition", tag: "tools", right: DecideAllThreads, retry: Never,
                path: { tool: ToolPart },
                body: AcceptDefinitionRequest,
                answer: ToolDetails, "The tool.",
                refusals: [UnknownTool, UnknownDefinition, NotAnApprover],
            }

            /// Lists the webhooks, the oldest first, with the undelivered messages.
            ///
            /// The list never has an address beyond its host, and never a secret.
            ListWebhooks: Get "/v1/webhooks" {
                id: "listWebhooks", tag: "webhooks", right: Administer, retry: Never,
                answer: WebhookList, "The webhooks.",
                refusals: [],
            }

            /// Adds a webhook: messages about later events are sent to its target.
            ///
            /// The response alone contains the signing secret. A target with a private address is refused, unless the request allows
            /// it.
            AddWebhook: Post "/v1/webhooks" {
                id: "addWebhook", tag: "webhooks", right: Administer, retry: Never,
                body: WebhookRequest,
                status: 201,
                answer: NewWebhook, "The webhook with its secret.",
                refusals: [],
            }

            /// Removes a webhook. Undelivered messages are no longer sent.
            RemoveWebhook: Delete "/v1/webhooks/{name}" {
                id: "removeWebhook", tag: "webhooks", right: Administer, retry: Never,
                path: { name: WebhookPart },
                answer: Webhook, "The webhook, as it was.",
                refusals: [UnknownWebhook],
            }

            /// Sends a test message to a webhook's target, once, and reports the outcome.
            TestWebhook: Post "/v1/webhooks/{name}/test" {
                id: "testWebhook", tag: "webhooks", right: Administer, retry: Never,
                path: { name: WebhookPart },
                answer: WebhookTestReport, "The outcome.",
                refusals: [UnknownWebhook],
            }

            /// Sends parked messages of a webhook again.
            RetryWebhook: Post "/v1/webhooks/{name}/retry" {
                id: "retryWebhook", tag: "webhooks", right: Administer, retry: Never,
                path: { name: WebhookPart },
                body: RetryWebhookRequest,
                answer: Webhook, "The webhook.",
                refusals: [UnknownWebhook],
            }

            /// Gives a webhook a new signing secret.
            ///
            /// The old one signs beside it for a time, so that no receiver misses a message: while both sign, a message has
            /// two signatures, and a receiver accepts it with either secret. The response alone contains the new secret. Only
            /// one old secret signs at a time.
            RotateWebhook: Post "/v1/webhooks/{name}/rotate" {
                id: "rotateWebhook", tag: "webhooks", right: Administer, retry: Never,
                path: { name: WebhookPart },
                body: RotateWebhookRequest,
                answer: NewWebhook, "The webhook with its new secret.",
                refusals: [UnknownWebhook],
            }

            /// Ends the old signing secret of a webhook at once. Without an old one, nothing changes.
            EndOldSecret: Delete "/v1/webhooks/{name}/old-secret" {
                id: "endOldSecret", tag: "webhooks", right: Administer, retry: Never,
                path: { name: WebhookPart },
                answer: Webhook, "The webhook.",
                refusals: [UnknownWebhook],
            }

            /// Lists the active policy's advisors, each with its effective mode and the reason for it.
            ///
            /// The list never has an address beyond its host, program arguments, or a key.
            ListAdvisors: Get "/v1/advisors" {
                id: "listAdvisors", tag: "advisors", right: ReadPolicy, retry: Interaction,
                answer: AdvisorList, "The advisors.",
                refusals: [],
            }

            /// Records a report on an advisor: how its answers compare with people's decisions.
            ///
            /// An advisor in the mode `decide` decides only if its last report meets the policy's thresholds, or if a
            /// person has said that it may.
            ReportAdvisor: Post "/v1/advisors/{name}/reports" {
                id: "reportAdvisor", tag: "advisors", right: Administer, retry: Interaction,
                path: { name: AdvisorPart },
                body: AdvisorReportRequest,
                answer: AdvisorList, "The advisors.",
                refusals: [],
            }

            /// Lets an advisor decide, or only advise.
            ///
            /// `decide` needs a statement, which the log keeps. It lets the advisor decide where the policy does, even if no report
            /// meets the thresholds, and lifts a fall-back.
            SetAdvisorMode: Post "/v1/advisors/{name}/mode" {
                id: "setAdvisorMode", tag: "advisors", right: Administer, retry: Interaction,
                path: { name: AdvisorPart },
                body: AdvisorModeRequest,
                answer: AdvisorList, "The advisors.",
                refusals: [UnknownAdvisor],
            }
        }
    };
}

pub(super) use log_operations;

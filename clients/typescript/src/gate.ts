// The client: one method for each operation.
import { FetchConnection } from "./connection.js";
import { StreamPosition } from "./event_reader.js";
import { EventStream } from "./event_stream.js";
import { StillPendingError } from "./errors.js";
import { CallExecution, newExecutor, UnusableArguments, type RunningCall } from "./execution.js";
import {
  periodQuery, type CallOptions, type CallReference, type CallsOptions, type CancelOptions, type ClaimOptions,
  type DecideAllItem, type DecideOptions, type EventsOptions, type FinishOptions, type PendingOptions, type ProposeOptions,
  type RenewOptions, type SignalOptions, type StreamOptions, type ThreadOptions, type WaitOptions,
} from "./gate_options.js";
import { readJson } from "./json_reader.js";
import type { JsonValue } from "./json_value.js";
import { callerJson, listQuery, ServerOperations, type CallPlace } from "./operations.js";
import type { CallOutcome } from "./refusal.js";
import { errorText, makeError } from "./replies.js";
import { CallRegister, newId } from "./resumption.js";
import { readSettings, type ClientSettings, type GateOptions } from "./settings.js";
import { beginCall, type StartedCall } from "./started_call.js";
import type {
  BulkDecisionResponse, Call, CallerView, CallPage, Decision, EventPage, PendingPage, ReadinessReport,
} from "./types.js";
import { announceWaiting } from "./waiting_line.js";

const GIVE_UP_AFTER_MS = 120_000;

/** A client for a Countersign server. Without options, the environment names the server and the token. */
export class Gate {
  readonly #settings: ClientSettings;
  readonly #connection: FetchConnection;
  readonly #operations: ServerOperations;
  readonly #register: CallRegister;
  /** The thread of calls that name none. */
  readonly thread: string;
  /** Whether the thread was named, by an option or by the environment. */
  readonly namesThread: boolean;

  constructor(options: GateOptions = {}) {
    const origin = options instanceof GateOrigin ? options : undefined;
    this.#settings = origin?.settings ?? readSettings(options);
    this.#register = origin?.register ?? new CallRegister();
    this.#connection = new FetchConnection(this.#settings);
    this.#operations = new ServerOperations(this.#connection);
    this.thread = this.#settings.thread;
    this.namesThread = this.#settings.namesThread;
  }

  /** The server address. */
  get server(): string {
    return this.#settings.server;
  }

  /** The same client, whose calls belong to `thread`. */
  inThread(thread: string): Gate {
    return new Gate(new GateOrigin({ ...this.#settings, thread, namesThread: true }, this.#register) as GateOptions);
  }

  /**
   * Proposes a call, and returns it in its state: allowed, denied or pending. Proposing the same call again returns its current
   * state, so `callId` should be the id that the model chose. The arguments are any JSON value.
   */
  async propose(name: string, args: unknown, options: ProposeOptions = {}): Promise<Call> {
    const { thread, signal, callId, ...fields } = options;
    const proposal = { id: callId ?? newId(), name, place: this.#settings.place, ...withoutUndefined(fields) };
    return this.#operations.propose(thread ?? this.thread, proposal, callerJson(args, "the arguments"), signal);
  }

  /**
   * Waits until the call is decided, also across server restarts. After `timeoutMs` it returns the call, which is still
   * pending.
   */
  async wait(call: CallReference, options: WaitOptions = {}): Promise<Call> {
    const place = this.#place(call, options);
    if (typeof call !== "string" && "state" in call && call.state === "pending") {
      announceWaiting(this.#settings, place);
    }
    return this.#operations.wait(place, options.timeoutMs ?? Infinity, options.signal);
  }

  /** Returns the call in its current state. */
  async get(call: CallReference, options: ThreadOptions = {}): Promise<Call> {
    return this.#operations.readCall(this.#place(call, options), options.signal);
  }

  /**
   * Declares that this process starts the call now. Run the returned `arguments`, and nothing else. A second claim is
   * refused, also by the same executor.
   */
  async claim(call: Call, options: ClaimOptions = {}): Promise<Call> {
    const { executor = newExecutor(), leaseSeconds, definitionHash, signal } = options;
    const fields = { executor, argumentsHash: call.argumentsHash, leaseSeconds, definitionHash };
    return this.#operations.claim(this.#place(call, {}), fields, optionalJson(options.arguments), signal);
  }

  /** Renews the lease of a claimed call. Do so after each third of the lease. */
  async renew(call: Call, options: RenewOptions = {}): Promise<Call> {
    const fields = { executor: executorOf(call), leaseSeconds: options.leaseSeconds };
    return this.#operations.renew(this.#place(call, {}), fields, options.signal);
  }

  /** Reports a claimed call's result: `success`, `error` or `cancelled`. */
  async finish(call: Call, content: unknown, options: FinishOptions = {}): Promise<Call> {
    const { status = "success", executor = executorOf(call), ranArguments } = options;
    const fields = { status, executor, ranArguments };
    return this.#operations.finish(this.#place(call, {}), fields, callerJson(content, "the content"), options.signal);
  }

  /** Withdraws a call that has not started. */
  async cancel(call: CallReference, options: CancelOptions = {}): Promise<Call> {
    return this.#operations.cancel(this.#place(call, options), options.reason, options.signal);
  }

  /** Tells approvers that the agent still waits. `wait` does so by itself. */
  async heartbeat(call: CallReference, options: ThreadOptions = {}): Promise<Call> {
    return this.#operations.heartbeat(this.#place(call, options), options.signal);
  }

  /**
   * Decides as an approver: `allow_once`, `allow_session` or `deny`. `arguments` replaces the proposed ones. For a call, the
   * decision applies only to the arguments that it shows; for an id, only with `argumentsHash`.
   */
  async decide(call: CallReference | Call, decision: Decision, options: DecideOptions = {}): Promise<Call> {
    const { thread, signal, arguments: edited, ...fields } = options;
    const shownHash = typeof call !== "string" && "argumentsHash" in call ? call.argumentsHash : undefined;
    const request = { ...fields, argumentsHash: fields.argumentsHash ?? shownHash };
    return this.#operations.decide(this.#place(call, { thread }), decision, request, optionalJson(edited), signal);
  }

  /** Decides several calls. Each decision is accepted or refused on its own. */
  async decideAll(decisions: readonly DecideAllItem[], options: SignalOptions = {}): Promise<BulkDecisionResponse> {
    return this.#operations.decideAll(decisions, options.signal);
  }

  /** Lists the pending calls that the caller may see, of all threads or of one, the oldest first. */
  async pending(options: PendingOptions = {}): Promise<PendingPage> {
    const { thread, signal, tool, principal, limit, after } = options;
    return this.#operations.pending(thread, listQuery({ tool, principal, limit, after }), signal);
  }

  /** Lists calls of all threads or of one, the newest first. */
  async calls(options: CallsOptions = {}): Promise<CallPage> {
    return this.#operations.calls(options.thread, periodQuery(options, options.after), options.signal);
  }

  /** Returns a log page. `stream` follows the log. */
  async events(options: EventsOptions = {}): Promise<EventPage> {
    const { after, ...filters } = options;
    return this.#operations.events(options.thread, periodQuery(filters, after), options.signal);
  }

  /** Returns the caller, as the server knows it by its credential. */
  async caller(options: SignalOptions = {}): Promise<CallerView> {
    return this.#operations.caller(options.signal);
  }

  /** Checks that the server can write and read the log. It is not repeated. */
  async ready(options: SignalOptions = {}): Promise<ReadinessReport> {
    return this.#operations.ready(options.signal);
  }

  /**
   * Follows the log: first the events after the cursor `after`, then new ones as they occur. A broken connection is resumed
   * without a gap or a repeat. The stream's `cursor` resumes it in another process.
   */
  stream(options: StreamOptions = {}): EventStream {
    const { thread, types, tool, principal, after = 0, giveUpAfterMs = GIVE_UP_AFTER_MS, signal } = options;
    const position = new StreamPosition(thread, listQuery({ type: types, tool, principal }), after, giveUpAfterMs);
    return new EventStream(this.#connection, position, signal);
  }

  /**
   * Makes a whole call: proposes it, waits, claims it, runs `run` with the approved arguments, and reports the result.
   *
   * Throws a `NotRunError` with the text for the model if the call does not run. A call that was proposed before with this
   * `callId` is resumed: it waits on, or returns its recorded result. Without a `callId`, an open call of the same tool with the
   * same arguments in the same place is resumed.
   */
  async callTool<A, T>(
    name: string,
    args: A,
    run: (approved: A, running: RunningCall) => T | Promise<T>,
    options: CallOptions<A> = {},
  ): Promise<CallOutcome<T>> {
    const argumentsText = callerJson(args, "the arguments");
    const {
      thread = this.thread, callId, timeoutMs = Infinity, withdraw = false, leaseSeconds, parse, signal, ...proposal
    } = options;
    const fields = { ...proposal, place: proposal.place ?? this.#settings.place };
    const runApproved = async (approved: JsonValue, running: RunningCall): Promise<T> =>
      run(parse ? await parseApproved(parse, approved) : (approved as A), running);
    const announce = (place: CallPlace): void => announceWaiting(this.#settings, place);
    const start = (id: string): CallExecution<T> => {
      const place = { thread, id };
      const plan = { place, name, argumentsText, run: runApproved, fields, timeoutMs, withdraw, leaseSeconds, signal, announce };
      return new CallExecution<T>(this.#operations, plan);
    };
    if (callId !== undefined) {
      return start(callId).execute();
    }
    const content = { place: fields.place, name, argumentsValue: readJson(argumentsText) };
    const chosen = await this.#register.chooseId(this.#operations, thread, content, signal);
    const execution = start(chosen.id);
    let isOpen = false;
    try {
      return await execution.execute();
    } catch (error) {
      isOpen = (error instanceof StillPendingError && !withdraw) || execution.mayBeOpen(error);
      throw error;
    } finally {
      chosen.end(isOpen);
    }
  }

  /**
   * Proposes a call, waits, and claims it, for frameworks that call a function before a tool and another one after it. Run the
   * returned `arguments`, and then call its `finish`, `fail` or `cancel`: the lease is renewed until then. Throws a
   * `NotRunError` with the text for the model if the call does not run.
   */
  async begin<A>(name: string, args: A, options: CallOptions<A> = {}): Promise<StartedCall<A>> {
    return beginCall((run) => this.callTool<A, unknown>(name, args, run, options));
  }

  /** Thread and id of a call. */
  #place(call: CallReference, options: ThreadOptions): CallPlace {
    return typeof call === "string"
      ? { thread: options.thread ?? this.thread, id: call }
      : { thread: call.threadId, id: call.id };
  }
}

/** The settings and the register of another gate, which shares them. */
class GateOrigin {
  constructor(
    readonly settings: ClientSettings,
    readonly register: CallRegister,
  ) {}
}

async function parseApproved<A>(parse: (approved: unknown) => A | Promise<A>, approved: JsonValue): Promise<A> {
  try {
    return await parse(approved);
  } catch (cause) {
    const text = `The approved arguments do not fit the tool, so it was not run: ${errorText(cause)}`;
    throw new UnusableArguments(text, { cause });
  }
}

/** The members that have a value, so that an absent one does not hide a default. */
function withoutUndefined<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function optionalJson(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : callerJson(value, "the arguments");
}

/** The executor that holds a claimed call. */
function executorOf(call: Call): string {
  if (!call.execution) {
    throw makeError("not_claimed", `the call ${call.id} is not claimed: use the call that \`claim\` returns`);
  }
  return call.execution.executor;
}

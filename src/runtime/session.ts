import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import type { Format } from "../models/dialects/formats.ts";
import type { Offer } from "../registry/offer/offer.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  Approver,
} from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import type { RunPlan } from "../types/lineage.ts";
import type { Message } from "../types/message.ts";
import type { Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import { type FormattedOffer, formatOffer } from "./formatted-offer.ts";
import {
  forkInRuntime,
  runInRuntime,
  runtimeClosedError,
  valueOrCancelled,
  valueOrThrow,
} from "./run-in-runtime.ts";
import { frameworkSessions } from "./session/framework-sessions.ts";
import type { SessionDriver } from "./session/session-driver.ts";
import type { SessionModel, SessionModelOptions } from "./session/session-model.ts";
import { type ParsedSessionOptions, sessionMethodError } from "./session/session-options.ts";
import type { SessionCallStatus, SessionTurnOptions } from "./session/session-turn.ts";
import type { SharedRuntime } from "./shared-runtime.ts";

/**
 * A conversation that an external loop drives. Its calls share taints, budget, approvals and a ledger group
 * across turns and processes.
 */
export class Session<All extends readonly ToolOrClass[] = readonly ToolOrClass[]> {
  /** The runtime's tools, for typed integrations. Never present at run time. */
  declare readonly types: All;
  readonly id: string;
  /** The caller; its `session` is this session's id. */
  readonly principal: Principal;
  readonly #shared: SharedRuntime;
  readonly #currentOffer: () => Offer;
  readonly #options: ParsedSessionOptions;
  /** Loaded with the first turn. */
  #driver: SessionDriver | undefined;

  /** @internal Created by `haft.session`. */
  constructor(shared: SharedRuntime, read: ParsedSessionOptions, offered: () => Offer) {
    this.id = read.id;
    this.principal = read.principal;
    this.#shared = shared;
    this.#currentOffer = offered;
    this.#options = read;
  }

  /**
   * Makes the calls of one model message and returns one reply per id, in order. The same id, tool and
   * arguments mean the same call, which is replayed and never made twice.
   */
  turn(calls: readonly RawCall[], options: SessionTurnOptions = {}): Promise<readonly Reply[]> {
    const wrong = sessionTurnProblem(calls, options);
    if (wrong !== undefined) return Promise.reject(sessionMethodError("turn", wrong));
    // Avoids an async function, because a loop pays for each extra promise on every call.
    if (this.#driver === undefined) return this.#load().then(() => this.turn(calls, options));
    const mine = this.#shared.closed ? { ...options, signal: AbortSignal.abort() } : options;
    const replies = forkInRuntime(this.#shared, this.#driver.turn(calls, mine), valueOrThrow);
    return this.#warnsOfMemory ? replies.then((all) => this.#withMemoryWarning(all)) : replies;
  }

  /** Returns and records the approval request that must be answered before this call runs. Runs nothing. */
  asks(call: RawCall): Promise<ApprovalRequest | undefined> {
    const { closed: isClosed, tools } = this.#shared;
    if (!isClosed && tools.neverAsks(call?.tool, this.principal)) return Promise.resolve(undefined);
    const request = this.#withDriver(({ asks }) => asks(call));
    if (!this.#warnsOfMemory) return request;
    return request.then((made) => {
      if (made !== undefined) warnOfMemory(this.#shared, made);
      return made;
    });
  }

  /** Returns whether a call was never requested (`none`), is `waiting` for approval, or is `settled`. */
  stands(call: RawCall): Promise<SessionCallStatus> {
    return this.#withDriver(({ stands }) => stands(call));
  }

  /** Answers an approval request of this session and makes its call once. */
  answer(
    approvalId: string,
    decision: ApprovalDecision,
    options: { readonly by?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Reply> {
    checkFields("session.answer", options, ["by", "signal"]);
    const { by, signal } = options;
    return this.#withDriver(({ answer }) => answer(approvalId, decision, by), signal);
  }

  /** Returns the tools for the model in a vendor's format, as copies. */
  tools<F extends Format = "openai">(format: F = "openai" as F): FormattedOffer<F>["tools"] {
    return structuredClone(formatOffer(this.#currentOffer(), format).tools);
  }

  /**
   * Records other messages that the model has read: results of other tools count as untrusted content, and
   * texts of the user as the user's, for `injection.mode`.
   */
  note(messages: readonly Message[]): Promise<void> {
    return this.#withDriver(({ note }) => note(messages));
  }

  /**
   * Declares which sinks and private reads the session will use, for `injection.mode: "plan"`. Refused once
   * the session has read untrusted content, which could have written the plan.
   */
  plan(plan: RunPlan): Promise<void> {
    return this.#withDriver((driver) => driver.plan(plan));
  }

  /** Wraps the loop's own model with layers and ledger entries. */
  async model(id: string, options: SessionModelOptions = {}): Promise<SessionModel> {
    return (this.#driver ?? (await this.#load())).model(id, options);
  }

  /** Approval requests that are open, or answered but not yet used. */
  pending(): Promise<readonly ApprovalRecord[]> {
    return this.#withDriver(({ pending }) => pending());
  }

  /** Ends the session: its open approval requests are void, and its id cannot be used again. */
  end(): Promise<void> {
    return this.#withDriver(({ end }) => end());
  }

  get #warnsOfMemory(): boolean {
    if (!frameworkSessions.has(this)) return false;
    const { ledger, tools } = this.#shared;
    return ledger.approvals?.isDurable !== true && Context.get(tools.context, Approver) === undefined;
  }

  #withMemoryWarning(replies: readonly Reply[]): readonly Reply[] {
    const waiting = replies.find(({ pending }) => pending !== undefined);
    if (waiting?.pending !== undefined) warnOfMemory(this.#shared, waiting.pending);
    return replies;
  }

  async #load(): Promise<SessionDriver> {
    const { sessionDriver } = await import("./session/session-driver.ts");
    this.#driver ??= sessionDriver(this.#shared, this.#options);
    return this.#driver;
  }

  async #withDriver<A, E>(
    work: (driver: SessionDriver) => Effect.Effect<A, E>,
    signal?: AbortSignal,
  ): Promise<A> {
    const driver = this.#driver ?? (await this.#load());
    if (this.#shared.closed) throw runtimeClosedError("session");
    return await runInRuntime(this.#shared, work(driver), valueOrCancelled("session"), signal);
  }
}

const warnedRuntimes = new WeakSet<SharedRuntime>();

const warnOfMemory = (shared: SharedRuntime, { tool }: ApprovalRequest): void => {
  if (warnedRuntimes.has(shared)) return;
  warnedRuntimes.add(shared);
  process.emitWarning(
    `The call of "${tool}" requires approval, and its approval request is only in the memory of this process: haft approve cannot answer it, and it is lost when the process ends. Open the runtime with a durable ledger, such as ledger: "sqlite:./haft.db".`,
    "HaftWarning",
  );
};

const turnFields = ["signal", "maxConcurrency", "env", "onProgress"] satisfies (keyof SessionTurnOptions)[];

const sessionTurnProblem = (calls: unknown, options: SessionTurnOptions): string | undefined => {
  if (typeof options !== "object" || options === null) return "requires an object of options.";
  const unknown = Object.keys(options).find((field) => !(turnFields as readonly string[]).includes(field));
  if (unknown !== undefined)
    return `has no option \`${unknown}\`. The options are: ${turnFields.join(", ")}.`;
  const { signal, maxConcurrency, onProgress } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    return "requires a function as `onProgress`.";
  if (!Array.isArray(calls)) return "requires a list of calls: [{ id, tool, input }].";
  if (signal !== undefined && !(signal instanceof AbortSignal)) return "requires an AbortSignal as `signal`.";
  return maxConcurrency === undefined || maxConcurrency >= 1
    ? undefined
    : "requires a `maxConcurrency` of at least 1.";
};

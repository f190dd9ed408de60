import type * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import { isObject } from "../base/json/is-object.ts";
import type { Format } from "../models/dialects/formats.ts";
import type { Offer } from "../registry/offer/offer.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { ApprovalDecision, ApprovalRecord, ApprovalRequest } from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import { ConfigurationError, ToolApprovalError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { Principal } from "../types/principal.ts";
import type { Reply } from "../types/reply.ts";
import { type FormattedOffer, formatOffer } from "./formatted-offer.ts";
import { forkInRuntime, runInRuntime } from "./run-in-runtime.ts";
import { runtimeClosedError, valueOrCancelled, valueOrThrow } from "./runtime-errors.ts";
import type { SessionDriver } from "./session/session-driver.ts";
import type { SessionModel, SessionModelOptions } from "./session/session-model.ts";
import type { ParsedSessionOptions } from "./session/session-options.ts";
import type { SessionCallStatus, SessionTurnOptions } from "./session/session-turn.ts";
import type { SharedRuntime } from "./shared-runtime.ts";

/**
 * One conversation that somebody else's loop drives. Its calls share what they have read, what they may spend, what
 * persons allowed for it, and one group in the ledger, over all of its turns and in whichever process they are made.
 */
export class Session<All extends readonly ToolOrClass[] = readonly ToolOrClass[]> {
  /** The tools that the runtime was opened with, for bridges that type them. Never there. */
  declare readonly types: All;
  readonly id: string;
  /** Who is calling; its `session` is this one's id. */
  readonly principal: Principal;
  readonly #shared: SharedRuntime;
  readonly #currentOffer: () => Offer;
  readonly #options: ParsedSessionOptions;
  /** Loaded with the first turn: whoever drives no session needs none of it. */
  #driver: SessionDriver | undefined;

  /** @internal Made by `haft.session`. */
  constructor(shared: SharedRuntime, read: ParsedSessionOptions, offered: () => Offer) {
    this.id = read.id;
    this.principal = read.principal;
    this.#shared = shared;
    this.#currentOffer = offered;
    this.#options = read;
  }

  /**
   * The calls of one model message: one reply for each id, in their order. Calls that come while others of the session are
   * under way in this process are part of the same turn; another process waits for its end. The same id with the same
   * tool and arguments is the same call, here and later: it is told again, and made only if it never was.
   */
  turn(calls: readonly RawCall[], options: SessionTurnOptions = {}): Promise<readonly Reply[]> {
    const wrong = sessionTurnProblem(calls, options);
    if (wrong !== undefined) return Promise.reject(sessionMethodError("turn", wrong));
    // A loop waits for this with every call: each further promise would cost as much as a part of the call itself.
    if (this.#driver === undefined) return this.#load().then(() => this.turn(calls, options));
    const mine = this.#shared.closed ? { ...options, signal: AbortSignal.abort() } : options;
    return forkInRuntime(this.#shared, this.#driver.turn(calls, mine), valueOrThrow);
  }

  /**
   * For loops that pause before they call: the question that a person must answer before this call runs, on record from now
   * on. Nothing if it may run, or was answered. Runs nothing.
   */
  asks(call: RawCall): Promise<ApprovalRequest | undefined> {
    const { closed: isClosed, tools } = this.#shared;
    if (!isClosed && tools.neverAsks(call?.tool, this.principal)) return Promise.resolve(undefined);
    return this.#withDriver(({ asks }) => asks(call));
  }

  /**
   * For loops that bring answers: whether this very call was never asked for (`none`), is `waiting` for a person, or is
   * `settled`, which it also is once a person has answered. Writes and runs nothing.
   */
  stands(call: RawCall): Promise<SessionCallStatus> {
    return this.#withDriver(({ stands }) => stands(call));
  }

  /** Answers a question of this session and goes on with its call, once. */
  answer(
    approvalId: string,
    decision: ApprovalDecision,
    options: { readonly by?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Reply> {
    checkFields("session.answer", options, ["by", "signal"]);
    if (!isApprovalDecision(decision)) return Promise.reject(unreadableDecisionError());
    const { by, signal } = options;
    return this.#withDriver(({ answer }) => answer(approvalId, decision, by), signal);
  }

  /** What its model may be shown right now, as a vendor spells it. The copies are yours to change. */
  tools<F extends Format = "openai">(format: F = "openai" as F): FormattedOffer<F>["tools"] {
    return structuredClone(formatOffer(this.#currentOffer(), format).tools);
  }

  /** What the model has read besides the replies of this session: results of other tools count as words from outside. */
  note(messages: readonly Message[]): Promise<void> {
    if (!Array.isArray(messages) || !messages.every(isMessage)) {
      const what = "takes a list of messages: [{ role, content }], those of tools with callId and tool too.";
      return Promise.reject(sessionMethodError("note", what));
    }
    return this.#withDriver(({ note }) => note(messages));
  }

  /**
   * The loop's own model: its questions go through these layers, which are those of tool calls, and each has a row in the
   * ledger, found by the session's id.
   */
  async model(id: string, options: SessionModelOptions = {}): Promise<SessionModel> {
    return (this.#driver ?? (await this.#load())).model(id, options);
  }

  /** What persons are asked about its calls, or have answered and nobody has gone on with. */
  pending(): Promise<readonly ApprovalRecord[]> {
    return this.#withDriver(({ pending }) => pending());
  }

  /** Ends it for good: its open questions are void, and nobody finds it again. */
  end(): Promise<void> {
    return this.#withDriver(({ end }) => end());
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

const turnFields = ["signal", "maxConcurrency", "env", "onProgress"] satisfies (keyof SessionTurnOptions)[];

const messageRoles: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies Message["role"][];

const isMessage = (message: unknown): boolean => {
  if (!isObject(message) || !messageRoles.includes(message.role)) return false;
  return message.role !== "tool" || (typeof message.callId === "string" && typeof message.tool === "string");
};

const isApprovalDecision = (decision: unknown): boolean =>
  isObject(decision) && (decision.reason === undefined || typeof decision.reason === "string");

const unreadableDecisionError = (): ToolApprovalError =>
  new ToolApprovalError(
    "unreadable_decision",
    'session.answer takes { kind: "allow", always? }, { kind: "deny", reason? } or { kind: "edit", input }.',
  );

const sessionTurnProblem = (calls: unknown, options: SessionTurnOptions): string | undefined => {
  if (typeof options !== "object" || options === null) return "takes an object of options.";
  const unknown = Object.keys(options).find((field) => !(turnFields as readonly string[]).includes(field));
  if (unknown !== undefined) return `takes no \`${unknown}\`. The options are: ${turnFields.join(", ")}.`;
  const { signal, maxConcurrency, onProgress } = options;
  if (onProgress !== undefined && typeof onProgress !== "function")
    return "takes a function as `onProgress`.";
  if (!Array.isArray(calls)) return "takes a list of calls: [{ id, tool, input }].";
  if (signal !== undefined && !(signal instanceof AbortSignal)) return "takes an AbortSignal as `signal`.";
  return maxConcurrency === undefined || maxConcurrency >= 1
    ? undefined
    : "takes a `maxConcurrency` of at least 1.";
};

const sessionMethodError = (method: string, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `session.${method} ${what}`);

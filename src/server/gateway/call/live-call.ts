import { randomUUID } from "node:crypto";
import type { ProtocolError, Result } from "@modelcontextprotocol/server";
import { isSameJson, type JsonObject } from "../../../base/json/json-value.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import { MCPConnectionError } from "../../../types/errors.ts";
import type {
  InputRequests,
  InputResponses,
  McpCaller,
  McpProtocolError,
  RemoteResult,
} from "../../../types/mcp.ts";
import { type MediaPart, mediaOf } from "../../../types/message.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { Principal } from "../../../types/principal.ts";
import { redactJson } from "./call-result.ts";
import { findUnsupportedRequest } from "./client-capabilities.ts";
import { OpenInputRequests } from "./open-input-requests.ts";

export type GatewayOutcome =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "error"; readonly error: ProtocolError };

/** The request that currently listens. */
export interface CallListener {
  readonly progressed?: (update: unknown, taints: readonly string[]) => void;
  /** `tools` may have written the message. */
  readonly logged?: (message: JsonObject, tools: readonly string[]) => void;
}

type AnswerRequests = NonNullable<McpCaller["ask"]>;

export interface LiveCallOptions {
  readonly principal: Principal;
  /** A retry must have the same. */
  readonly subject: string;
  readonly capabilities: JsonObject;
  /** Undefined if input requests must be returned as a result. */
  readonly ask?: AnswerRequests | undefined;
  /** The client, or the gateway for it, waits for upstream tasks. */
  readonly waitsForTasks: boolean;
  readonly mayBeTask: boolean;
  readonly logLevel: string | undefined;
  /** Input is about to be requested by these tools. */
  readonly recordTaints?: (tools: readonly string[]) => void;
  readonly early?: InputResponses | undefined;
}

interface ReceivedResult {
  readonly value: unknown;
  readonly result: RemoteResult;
  readonly parts: readonly MediaPart[];
}

const maxReceivedResults = 16;
/** How long code that ignores its signal keeps the slot, in milliseconds. */
const maxCodeDrainMs = 600_000;

/** One call over as many client requests as its input needs. It runs once. */
export class LiveCall {
  /** The same caller, with the rights of its latest request. */
  principal: Principal;
  readonly subject: string;
  readonly capabilities: JsonObject;
  readonly mayBeTask: boolean;
  readonly caller: McpCaller;
  readonly inputRequests: OpenInputRequests;
  outcome: GatewayOutcome | undefined;
  protocolError: McpProtocolError | undefined;
  listener: CallListener | undefined;
  /** The upstream server's terms, once the call should become a task. */
  taskTerms: JsonObject | undefined;
  finished: Promise<void> = Promise.resolve();
  #releaseSlot: (() => void) | undefined;
  readonly #answerRequests: AnswerRequests | undefined;
  readonly #abort = new AbortController();
  readonly #received: ReceivedResult[] = [];
  /** Includes nested calls. */
  readonly #runningTools = new Set<{ readonly tool: string }>();
  readonly #runningCode = new Set<Promise<unknown>>();
  #wake: (() => void) | undefined;
  #id: string | undefined;

  constructor({
    principal,
    subject,
    capabilities,
    ask,
    waitsForTasks,
    mayBeTask,
    logLevel,
    recordTaints,
    early,
  }: LiveCallOptions) {
    this.inputRequests = new OpenInputRequests(() => this.#wake?.(), early);
    this.principal = principal;
    this.subject = subject;
    this.capabilities = capabilities;
    this.mayBeTask = mayBeTask;
    this.#answerRequests = ask;
    this.caller = {
      capabilities,
      ask: (requests, signal) => {
        recordTaints?.(this.runningToolNames());
        return this.ask(requests, signal);
      },
      calling: (tool) => {
        const call = { tool };
        this.#runningTools.add(call);
        return () => {
          this.#runningTools.delete(call);
        };
      },
      started: (code) => {
        const ended = (): void => void this.#runningCode.delete(code);
        this.#runningCode.add(code);
        code.then(ended, ended);
      },
      received: (value, result, callId, parts = []) => {
        if (callId === this.#id && this.#received.push({ value, result, parts }) > maxReceivedResults)
          this.#received.shift();
      },
      logged: (message) => this.listener?.logged?.(message, this.runningToolNames()),
      refused: (protocolError, callId) => {
        if (callId === this.#id) this.protocolError = protocolError;
      },
      waitsForTasks,
      tasked: (terms) => this.becomeTask(terms),
      ...(logLevel === undefined ? {} : { logLevel }),
    };
  }

  /** Nested calls have other IDs, so their results are ignored here. */
  newId(): string {
    this.#id = randomUUID();
    return this.#id;
  }

  runningToolNames(): readonly string[] {
    return Array.from(this.#runningTools, ({ tool }) => tool);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isCancelled(): boolean {
    return this.#abort.signal.aborted;
  }

  get isBusy(): boolean {
    return this.outcome === undefined && !this.inputRequests.isOpen;
  }

  start(run: (live: LiveCall) => Promise<GatewayOutcome>): this {
    this.finished = run(this).then((outcome) => {
      this.outcome = outcome;
      void this.#whenCodeEnds().then(() => this.setSlot(undefined));
      this.inputRequests.dropAll(new Error("The call has ended."));
      this.#wake?.();
    });
    return this;
  }

  async #whenCodeEnds(): Promise<void> {
    if (this.#runningCode.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxCodeDrainMs).unref();
    });
    await Promise.race([Promise.allSettled(this.#runningCode), late]);
    clearTimeout(timer);
  }

  /** A call that waits for client input holds no slot. */
  setSlot(release: (() => void) | undefined): void {
    this.#releaseSlot?.();
    this.#releaseSlot = release;
  }

  ask(requests: InputRequests, signal: AbortSignal, isFresh = false): Promise<InputResponses> {
    const cannot = findUnsupportedRequest(requests, this.capabilities);
    if (cannot !== undefined) return Promise.reject(missingCapabilityError(cannot));
    const either = AbortSignal.any([signal, this.signal]);
    return this.#answerRequests === undefined
      ? this.inputRequests.ask(requests, either, isFresh)
      : this.#answerRequests(requests, either);
  }

  becomeTask(terms: JsonObject): void {
    if (!this.mayBeTask) return;
    this.taskTerms ??= terms;
    this.#wake?.();
  }

  cancel(reason: unknown): void {
    if (this.outcome === undefined) this.#abort.abort(reason);
  }

  async next(): Promise<"done" | "tasked" | "asked"> {
    for (;;) {
      if (this.outcome !== undefined) return "done";
      if (this.taskTerms !== undefined) return "tasked";
      if (this.inputRequests.isOpen) return "asked";
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /**
   * The unmodified remote result behind a reply. Secrets in the reply's value are masked, so both forms are
   * compared.
   */
  rawOf(
    { value, parts }: Pick<Reply, "value" | "parts">,
    redact: (text: string) => string,
  ): RemoteResult | undefined {
    const isIt = (one: ReceivedResult): boolean =>
      (isSameJson(one.value, value) || isSameJson(redactJson(one.value, redact), value)) &&
      areSameMedia(one.parts, mediaOf(parts));
    return this.#received.findLast(isIt)?.result;
  }

  get lastReceived(): RemoteResult | undefined {
    return this.#received.at(-1)?.result;
  }
}

/** Names may be masked. */
const areSameMedia = (some: readonly MediaPart[], others: readonly MediaPart[]): boolean =>
  some.length === others.length && some.every(({ data }, at) => data === others[at]!.data);

const missingCapabilityError = ({
  method,
  missing,
}: NonNullable<ReturnType<typeof findUnsupportedRequest>>): MCPConnectionError => {
  const message = `The client that made this call cannot answer ${sanitizeUntrustedText(method)}: it did not declare the capability.`;
  const cause = { code: -32021, message, data: { requiredCapabilities: missing } };
  return new MCPConnectionError("mcp_protocol", message, { cause });
};

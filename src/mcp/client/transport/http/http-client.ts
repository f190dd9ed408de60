import {
  type FetchLike,
  type JSONRPCMessage,
  SdkHttpError,
  type StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { ToolError, toError } from "../../../../words/errors.ts";
import { GatedWire } from "../gated-wire.ts";
import { garbled, lost, type OwnAnswer, ownAnswer } from "../intake.ts";
import { isNeverSent, networkCode } from "../network-code.ts";
import { refuseValue } from "../read-message.ts";
import { defaultMaxMessageBytes, type Wire, WireError, type WireFault } from "../wire.ts";
import { type SentRequest, sentRequest } from "./sent-request.ts";
import { serverFetch } from "./server-fetch.ts";

export interface RemoteOptions {
  readonly kind: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes?: number | undefined;
  readonly open: (fetch: FetchLike) => Transport;
}

const farewellMs = 1_000;

const isGarbage = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "SyntaxError" || error.name === "ZodError" || error.name === "$ZodError");

/** What our authorization could not get after the server had refused: the request itself was sent all the same. */
const asSent = (error: unknown): unknown =>
  ToolError.is(error) && error.failure.ran !== true
    ? toError({ ...error.failure, ran: true, claimsNotRun: true })
    : error;

/** One of the SDK's HTTP transports, with our fetch below it and our gate above. */
export class RemoteWire extends GatedWire implements Wire {
  readonly kind: "http" | "sse";

  readonly #inner: Transport;
  #ending: Promise<void> | undefined;

  constructor({ kind, url, headers, maxMessageBytes = defaultMaxMessageBytes, open }: RemoteOptions) {
    super();
    this.kind = kind;
    this.#inner = open(
      serverFetch({
        url,
        headers,
        maxBytes: maxMessageBytes,
        onFailed: (error) => this.#failed(error),
        onEvents: (method, error) => this.#ended(method, error),
      }),
    );
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#take(message);
    this.#inner.onerror = (error) => {
      if (isGarbage(error)) this.#answerAll(garbled, "it sent something that is no message");
      this.onerror?.(error);
    };
    this.#inner.onclose = () => this.#fail({ kind: "unreachable", reason: "the connection was lost" });
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    if (this.fault !== undefined) return Promise.reject(new WireError(this.fault, false));
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.fault !== undefined) throw new WireError(this.fault, false);
    this.intake.sent(message);
    const id = "method" in message && "id" in message ? message.id : undefined;
    const sent: SentRequest = {
      isToolCall: "method" in message && message.method === "tools/call",
      isSent: false,
      refusedStatus: undefined,
    };
    try {
      if (id === undefined) return await this.#inner.send(message, options);
      options?.requestSignal?.addEventListener("abort", () => this.intake.forget(id), { once: true });
      const own: TransportSendOptions = {
        ...options,
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.();
          // The stream that would have carried the answer is over.
          if (typeof id === "number") this.#answer(id, lost, "its answer broke off");
        },
      };
      await sentRequest.run(sent, () => this.#inner.send(message, own));
    } catch (error) {
      if (id !== undefined) this.intake.forget(id);
      if (this.sessionId !== undefined && error instanceof SdkHttpError && error.status === 404) {
        this.#failSoon({ kind: "unreachable", reason: "it does not know our session any more (HTTP 404)" });
      }
      throw sent.isSent ? asSent(error) : error;
    }
  }

  close(): Promise<void> {
    this.#fail({ kind: "closed", reason: "the connection was closed" });
    return this.#ending ?? Promise.resolve();
  }

  #take(message: JSONRPCMessage): void {
    const reason = refuseValue(message);
    if (reason === undefined) {
      this.intake.take(message);
    } else if ("id" in message && !("method" in message) && message.id !== undefined) {
      this.#answer(message.id, garbled, `it sent ${reason}`);
    } else {
      this.#answerAll(garbled, `it sent ${reason}`);
    }
  }

  /** In the server's name, to a request that still waits. */
  #answer(id: string | number, answer: OwnAnswer, reason: string): void {
    if (!this.intake.open.has(id)) return;
    this.intake.forget(id);
    this.onmessage?.(ownAnswer(id, answer, reason));
  }

  #answerAll(answer: OwnAnswer, reason: string): void {
    for (const id of [...this.intake.open]) if (typeof id === "number") this.#answer(id, answer, reason);
  }

  #failed(error: unknown): void {
    if (isNeverSent(error)) {
      this.#failSoon({ kind: "unreachable", reason: `the network failed (${networkCode(error)})` });
    }
  }

  #ended(method: string, error: unknown): void {
    if (error instanceof WireError) {
      this.#answerAll(garbled, error.message);
      this.onTrouble?.(error.message);
    }
    // The old transport has one stream for everything, and what it was is gone with it.
    if (this.kind === "sse" && method === "GET") {
      this.#failSoon({ kind: "unreachable", reason: "its stream ended" });
    }
  }

  /** After whoever asked has had its own answer. */
  #failSoon(fault: WireFault): void {
    setImmediate(() => this.#fail(fault));
  }

  #fail(fault: WireFault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    this.#ending = this.#leave(fault.kind === "closed");
    this.onclose?.();
  }

  async #leave(isPolite: boolean): Promise<void> {
    const { terminateSession } = this.#inner as Partial<StreamableHTTPClientTransport>;
    let timer: NodeJS.Timeout | undefined;
    if (isPolite && this.#inner.sessionId !== undefined && terminateSession !== undefined) {
      const farewell = terminateSession.call(this.#inner as StreamableHTTPClientTransport).catch(() => {});
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, farewellMs);
      });
      await Promise.race([farewell, late]);
      clearTimeout(timer);
    }
    await this.#inner.close().catch(() => {});
  }
}

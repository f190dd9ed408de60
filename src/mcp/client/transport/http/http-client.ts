import {
  type FetchLike,
  type JSONRPCMessage,
  SdkHttpError,
  type StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { ToolError, toError } from "../../../../types/errors.ts";
import { toHeaderValue } from "../../session/param-headers.ts";
import {
  FilteredTransport,
  type LocalAnswer,
  lostResponse,
  messageValueProblem,
  toLocalAnswer,
  unreadableResponse,
} from "../inbound-messages.ts";
import {
  defaultMaxMessageBytes,
  type ServerTransport,
  TransportError,
  type TransportFault,
} from "../server-transport.ts";
import {
  boundResponse,
  currentSentRequest,
  isNeverSent,
  NotResentError,
  networkCodeOf,
  type SentRequest,
} from "./bounded-response.ts";

export interface HttpClientOptions {
  readonly kind: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes?: number | undefined;
  readonly open: (fetch: FetchLike) => Transport;
}

const terminateGraceMs = 1_000;

const isInvalidMessageError = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "SyntaxError" || error.name === "ZodError" || error.name === "$ZodError");

/** Authorization failed after the response, so the request itself was sent. */
const markAsSent = (error: unknown): unknown =>
  ToolError.is(error) && error.failure.ran !== true
    ? toError({ ...error.failure, ran: true, claimsNotRun: true })
    : error;

interface ServerFetchOptions {
  readonly url: URL;
  /** Sent only to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly onFailed: (error: unknown) => void;
  readonly onEvents: (method: string, error?: unknown) => void;
}

/** The SDK does not set `mcp-name` for task requests yet. */
const setTaskName = (headers: Headers, body: unknown): void => {
  if (headers.get("mcp-method")?.startsWith("tasks/") !== true || headers.has("mcp-name")) return;
  const { taskId } = (JSON.parse(String(body)) as { readonly params: { readonly taskId?: unknown } }).params;
  if (typeof taskId === "string") headers.set("mcp-name", toHeaderValue(taskId));
};

const retryRequestStatuses: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403]);
const movedStatuses: ReadonlySet<number> = new Set([307, 308]);

/** Only same-origin redirects that keep the method. */
const redirectTargetOf = ({ status, headers }: Response, from: URL): URL | undefined => {
  const location = movedStatuses.has(status) ? headers.get("location") : null;
  const to = location === null ? null : URL.parse(location, from.href);
  return to?.origin === from.origin ? to : undefined;
};

/** Requests to other origins carry none of the server's headers and pass the guard. */
const createServerFetch = ({ url, headers, maxBytes, onFailed, onEvents }: ServerFetchOptions): FetchLike => {
  const headerEntries = Object.entries(headers);
  let guarded: FetchLike | undefined;
  /** Learned from earlier responses, because tool calls are not resent. */
  let redirected: { readonly from: string; readonly to: URL } | undefined;

  return async (input, init) => {
    const asked = new URL(input);
    // DPoP proofs are bound to the URL.
    const target =
      redirected?.from === asked.href && !new Headers(init?.headers).has("dpop") ? redirected.to : asked;
    if (target.origin !== url.origin) {
      if (guarded === undefined) {
        const { createGuardedClient, toFetch } = await import("../../auth/guarded-fetch.ts");
        guarded = toFetch(createGuardedClient(url.href));
      }
      return guarded(input, init);
    }
    const sent = headerEntries.length === 0 ? init?.headers : new Headers(init?.headers);
    if (sent instanceof Headers) {
      for (const [name, value] of headerEntries) if (!sent.has(name)) sent.set(name, value);
      setTaskName(sent, init?.body);
    }
    const method = init?.method ?? "GET";
    const message = method === "POST" ? currentSentRequest.getStore() : undefined;
    if (message?.isToolCall === true && message.refusedStatus !== undefined) {
      throw new NotResentError(message.refusedStatus);
    }
    let response: Response;
    try {
      // The SDK decides about redirects.
      response = await fetch(target, {
        ...init,
        ...(sent === undefined ? {} : { headers: sent }),
        redirect: "manual",
      });
    } catch (error) {
      if (message !== undefined && !isNeverSent(error)) message.isSent = true;
      onFailed(error);
      throw error;
    }
    if (message !== undefined) {
      message.isSent = true;
      message.refusedStatus = retryRequestStatuses.has(response.status) ? response.status : undefined;
      const to = message.isToolCall ? undefined : redirectTargetOf(response, target);
      if (to !== undefined) redirected = { from: asked.href, to };
    }
    return boundResponse(response, { maxBytes, onEvents: (error) => onEvents(method, error) });
  };
};

export class HttpClientTransport extends FilteredTransport implements ServerTransport {
  readonly kind: "http" | "sse";

  readonly #inner: Transport;
  #ending: Promise<void> | undefined;

  constructor({ kind, url, headers, maxMessageBytes = defaultMaxMessageBytes, open }: HttpClientOptions) {
    super();
    this.kind = kind;
    this.#inner = open(
      createServerFetch({
        url,
        headers,
        maxBytes: maxMessageBytes,
        onFailed: (error) => this.#onFetchFailed(error),
        onEvents: (method, error) => this.#onStreamEnd(method, error),
      }),
    );
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#receive(message);
    this.#inner.onerror = (error) => {
      if (isInvalidMessageError(error))
        this.#answerAll(unreadableResponse, "it sent data that is not an MCP message");
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
    if (this.fault !== undefined) return Promise.reject(new TransportError(this.fault, false));
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.fault !== undefined) throw new TransportError(this.fault, false);
    this.intake.trackRequest(message);
    const id = "method" in message && "id" in message ? message.id : undefined;
    const sent: SentRequest = {
      isToolCall: "method" in message && message.method === "tools/call",
      isSent: false,
      refusedStatus: undefined,
    };
    try {
      if (id === undefined) return await this.#inner.send(message, options);
      options?.requestSignal?.addEventListener("abort", () => this.intake.removeRequest(id), { once: true });
      const own: TransportSendOptions = {
        ...options,
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.();
          if (typeof id === "number") this.#answer(id, lostResponse, "its response was cut off");
        },
      };
      await currentSentRequest.run(sent, () => this.#inner.send(message, own));
    } catch (error) {
      if (id !== undefined) this.intake.removeRequest(id);
      if (this.sessionId !== undefined && error instanceof SdkHttpError && error.status === 404) {
        this.#failDeferred({
          kind: "unreachable",
          reason: "it no longer knows the session (HTTP 404)",
        });
      }
      throw sent.isSent ? markAsSent(error) : error;
    }
  }

  close(): Promise<void> {
    this.#fail({ kind: "closed", reason: "the connection was closed" });
    return this.#ending ?? Promise.resolve();
  }

  #receive(message: JSONRPCMessage): void {
    const reason = messageValueProblem(message);
    if (reason === undefined) {
      this.intake.accept(message);
    } else if ("id" in message && !("method" in message) && message.id !== undefined) {
      this.#answer(message.id, unreadableResponse, `it sent ${reason}`);
    } else {
      this.#answerAll(unreadableResponse, `it sent ${reason}`);
    }
  }

  #answer(id: string | number, answer: LocalAnswer, reason: string): void {
    if (!this.intake.pendingIds.has(id)) return;
    this.intake.removeRequest(id);
    this.onmessage?.(toLocalAnswer(id, answer, reason));
  }

  #answerAll(answer: LocalAnswer, reason: string): void {
    for (const id of [...this.intake.pendingIds])
      if (typeof id === "number") this.#answer(id, answer, reason);
  }

  #onFetchFailed(error: unknown): void {
    if (isNeverSent(error)) {
      this.#failDeferred({ kind: "unreachable", reason: `the network failed (${networkCodeOf(error)})` });
    }
  }

  #onStreamEnd(method: string, error: unknown): void {
    if (error instanceof TransportError) {
      this.#answerAll(unreadableResponse, error.message);
      this.onWarning?.(error.message);
    }
    // SSE has one stream; its loss ends the session.
    if (this.kind === "sse" && method === "GET") {
      this.#failDeferred({ kind: "unreachable", reason: "its stream ended" });
    }
  }

  /** Deferred, so that pending requests fail with their own error first. */
  #failDeferred(fault: TransportFault): void {
    setImmediate(() => this.#fail(fault));
  }

  #fail(fault: TransportFault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    this.#ending = this.#closeInner(fault.kind === "closed");
    this.onclose?.();
  }

  async #closeInner(isPolite: boolean): Promise<void> {
    const { terminateSession } = this.#inner as Partial<StreamableHTTPClientTransport>;
    let timer: NodeJS.Timeout | undefined;
    if (isPolite && this.#inner.sessionId !== undefined && terminateSession !== undefined) {
      const terminateRequest = terminateSession
        .call(this.#inner as StreamableHTTPClientTransport)
        .catch(() => {});
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, terminateGraceMs);
      });
      await Promise.race([terminateRequest, late]);
      clearTimeout(timer);
    }
    await this.#inner.close().catch(() => {});
  }
}

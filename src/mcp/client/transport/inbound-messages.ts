import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isForbiddenKey, isObject } from "../../../base/json/json-value.ts";
import type { ServerTransport, TransportFault } from "./server-transport.ts";

/** Marks local errors; servers cannot forge the object identity. */
export interface LocalAnswer {
  readonly kind: "unfit" | "lost" | "garbled";
}
export const invalidResponse: LocalAnswer = Object.freeze({ kind: "unfit" });
export const lostResponse: LocalAnswer = Object.freeze({ kind: "lost" });
export const unreadableResponse: LocalAnswer = Object.freeze({ kind: "garbled" });
const notificationBurst = 5_000;
const notificationsPerSecond = 2_000;
const floodQuietMs = 10_000;

type MessageId = string | number;

export const toLocalAnswer = (id: MessageId, answer: LocalAnswer, message: string): JSONRPCMessage =>
  ({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: answer } }) as unknown as JSONRPCMessage;

interface InboundMessagesOptions {
  readonly deliver: (message: JSONRPCMessage) => void;
  readonly trouble: (message: string) => void;
  readonly now?: () => number;
}

/**
 * Accepts only responses to pending requests, normalizes them for the SDK, and rate-limits all other
 * messages.
 */
export class InboundMessages {
  readonly #options: InboundMessagesOptions;
  readonly #now: () => number;
  readonly #pendingIds = new Set<MessageId>();
  #tokens = notificationBurst;
  #filledAt: number;
  #floodedAt = Number.NEGATIVE_INFINITY;
  #strays = 0;
  #isSettling = false;

  constructor(options: InboundMessagesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#filledAt = this.#now();
  }

  get pendingIds(): ReadonlySet<MessageId> {
    return this.#pendingIds;
  }

  trackRequest(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) {
      this.#pendingIds.add(message.id);
    } else if (message.method === "notifications/cancelled") {
      const { requestId } = (message.params ?? {}) as { readonly requestId?: MessageId };
      if (requestId !== undefined) this.#pendingIds.delete(requestId);
    }
  }

  removeRequest(id: MessageId): void {
    this.#pendingIds.delete(id);
  }

  /** False if the value is not JSON-RPC. */
  accept(value: unknown): boolean {
    if (Array.isArray(value)) return value.length > 0 && value.every((each) => this.accept(each));
    if (!isObject(value) || value.jsonrpc !== "2.0") return false;
    if (typeof value.method === "string") {
      if (this.#takeToken()) this.#notify(value as unknown as JSONRPCMessage);
      return true;
    }
    return this.#acceptResponse(value);
  }

  /** The SDK handles a notification later and drops progress listeners on the response, so responses wait. */
  #notify(message: JSONRPCMessage): void {
    this.#options.deliver(message);
    if (this.#isSettling) return;
    this.#isSettling = true;
    queueMicrotask(() => {
      this.#isSettling = false;
    });
  }

  #deliver(message: unknown): void {
    if (this.#isSettling) queueMicrotask(() => this.#options.deliver(message as JSONRPCMessage));
    else this.#options.deliver(message as JSONRPCMessage);
  }

  #acceptResponse(value: Record<string, unknown>): boolean {
    const { result, error } = value;
    if (result === undefined && error === undefined) return false;
    const id = this.#pendingIdOf(value.id);
    if (id === undefined) {
      this.#countStray();
      return true;
    }
    this.#pendingIds.delete(id);
    if (isObject(error) && result === undefined) {
      const code = Number.isSafeInteger(error.code) ? error.code : -32_603;
      const message = typeof error.message === "string" ? error.message : "";
      const data = error.data === undefined ? {} : { data: error.data };
      this.#deliver({ jsonrpc: "2.0", id, error: { code, message, ...data } });
    } else if (isObject(result) && error === undefined) {
      this.#deliver({ jsonrpc: "2.0", id, result });
    } else {
      this.#deliver(toLocalAnswer(id, invalidResponse, "a response that is neither a result nor an error"));
    }
    return true;
  }

  /** Some servers return numeric ids as strings. */
  #pendingIdOf(id: unknown): MessageId | undefined {
    if (typeof id !== "string" && typeof id !== "number") return undefined;
    if (this.#pendingIds.has(id)) return id;
    const number = typeof id === "string" && id !== "" ? Number(id) : Number.NaN;
    return this.#pendingIds.has(number) ? number : undefined;
  }

  #countStray(): void {
    this.#strays++;
    if (Number.isInteger(Math.log10(this.#strays))) {
      this.#options.trouble(
        `sent unexpected, late or duplicate responses: ${this.#strays} ${this.#strays === 1 ? "response was" : "responses were"} dropped`,
      );
    }
  }

  #takeToken(): boolean {
    if (this.#tokens < 1) this.#refill();
    if (this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    const now = this.#now();
    if (now - this.#floodedAt > floodQuietMs) {
      this.#options.trouble(
        `sends more than ${notificationsPerSecond} unsolicited messages a second: the others are dropped`,
      );
    }
    this.#floodedAt = now;
    return false;
  }

  #refill(): void {
    const now = this.#now();
    this.#tokens = Math.min(
      notificationBurst,
      this.#tokens + ((now - this.#filledAt) / 1_000) * notificationsPerSecond,
    );
    this.#filledAt = now;
  }
}

const maxDepth = 128;

export type ReadMessageResult =
  | { readonly ok: true; readonly value: unknown }
  /** `noise` is not JSON, such as a banner; `harm` is never accidental. */
  | { readonly ok: false; readonly kind: "noise" | "harm"; readonly reason: string };

const harmfulMessage = (reason: string): ReadMessageResult => ({ ok: false, kind: "harm", reason });

const nestingProblem = (value: object, depth: number): string | undefined => {
  if (depth > maxDepth) return `JSON nested deeper than ${maxDepth}`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) continue;
      const reason = nestingProblem(item, depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (isForbiddenKey(key, member)) return `a key ${key === "__proto__" ? key : "constructor.prototype"}`;
    if (typeof member !== "object" || member === null) continue;
    const reason = nestingProblem(member, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

export const messageValueProblem = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? nestingProblem(value, 1) : undefined;

/** Never throws. */
export const readMessage = (text: string): ReadMessageResult => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) return harmfulMessage("JSON nested too deep to be read");
    return { ok: false, kind: "noise", reason: "a line that is not JSON" };
  }
  const reason = messageValueProblem(value);
  return reason === undefined ? { ok: true, value } : harmfulMessage(reason);
};

/** Every inbound message of every transport passes this filter. */
export abstract class FilteredTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<ServerTransport["onmessage"]>;
  onWarning?: ServerTransport["onWarning"];
  onInspect?: ServerTransport["onInspect"];
  fault: TransportFault | undefined;

  protected readonly intake = new InboundMessages({
    deliver: (message) => {
      this.onInspect?.(message);
      this.onmessage?.(message);
    },
    trouble: (message) => this.onWarning?.(message),
  });
}

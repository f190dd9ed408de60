import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isObject } from "../../../json/is-object.ts";

/** Put into the data of an error that we answer ourselves in a server's name. No server can forge the object. */
export interface OwnAnswer {
  readonly kind: "unfit" | "lost" | "garbled";
}
export const unfit: OwnAnswer = Object.freeze({ kind: "unfit" });
export const lost: OwnAnswer = Object.freeze({ kind: "lost" });
export const garbled: OwnAnswer = Object.freeze({ kind: "garbled" });
const burst = 5_000;
const perSecond = 2_000;
const quietMs = 10_000;

type Id = string | number;

export const ownAnswer = (id: Id, answer: OwnAnswer, message: string): JSONRPCMessage =>
  ({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: answer } }) as unknown as JSONRPCMessage;

interface IntakeOptions {
  readonly deliver: (message: JSONRPCMessage) => void;
  readonly trouble: (message: string) => void;
  readonly now?: () => number;
}

/**
 * The gate behind every transport. Answers pass only to requests that wait for one, in exactly the shape the SDK
 * reads, so that nothing hangs on a detail; everything a server sends unasked passes up to a rate.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #now: () => number;
  readonly #open = new Set<Id>();
  #tokens = burst;
  #filledAt: number;
  #floodedAt = Number.NEGATIVE_INFINITY;
  #strays = 0;
  #isSettling = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#filledAt = this.#now();
  }

  get open(): ReadonlySet<Id> {
    return this.#open;
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) {
      this.#open.add(message.id);
    } else if (message.method === "notifications/cancelled") {
      const { requestId } = (message.params ?? {}) as { readonly requestId?: Id };
      if (requestId !== undefined) this.#open.delete(requestId);
    }
  }

  /** Ends a request that will not be answered any more. */
  forget(id: Id): void {
    this.#open.delete(id);
  }

  /** False where the value is no message of JSON-RPC. */
  take(value: unknown): boolean {
    if (Array.isArray(value)) return value.length > 0 && value.every((each) => this.take(each));
    if (!isObject(value) || value.jsonrpc !== "2.0") return false;
    if (typeof value.method === "string") {
      if (this.#mayPass()) this.#notify(value as unknown as JSONRPCMessage);
      return true;
    }
    return this.#answer(value);
  }

  /** The SDK hears a notification a moment later, and forgets who waits for progress as soon as the answer is there. */
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

  #answer(value: Record<string, unknown>): boolean {
    const { result, error } = value;
    if (result === undefined && error === undefined) return false;
    const id = this.#waiting(value.id);
    if (id === undefined) {
      this.#stray();
      return true;
    }
    this.#open.delete(id);
    if (isObject(error) && result === undefined) {
      const code = Number.isSafeInteger(error.code) ? error.code : -32_603;
      const message = typeof error.message === "string" ? error.message : "";
      const data = error.data === undefined ? {} : { data: error.data };
      this.#deliver({ jsonrpc: "2.0", id, error: { code, message, ...data } });
    } else if (isObject(result) && error === undefined) {
      this.#deliver({ jsonrpc: "2.0", id, result });
    } else {
      this.#deliver(ownAnswer(id, unfit, "an answer that is neither a result nor an error"));
    }
    return true;
  }

  /** Some servers write numbers of ours as text. */
  #waiting(id: unknown): Id | undefined {
    if (typeof id !== "string" && typeof id !== "number") return undefined;
    if (this.#open.has(id)) return id;
    const number = typeof id === "string" && id !== "" ? Number(id) : Number.NaN;
    return this.#open.has(number) ? number : undefined;
  }

  #stray(): void {
    this.#strays++;
    if (Number.isInteger(Math.log10(this.#strays))) {
      this.#options.trouble(
        `answered what nobody asked, late or twice: ${this.#strays} ${this.#strays === 1 ? "answer was" : "answers were"} dropped`,
      );
    }
  }

  #mayPass(): boolean {
    if (this.#tokens < 1) this.#refill();
    if (this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    const now = this.#now();
    if (now - this.#floodedAt > quietMs) {
      this.#options.trouble(`sends more than ${perSecond} messages a second unasked: the rest is dropped`);
    }
    this.#floodedAt = now;
    return false;
  }

  #refill(): void {
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = now;
  }
}

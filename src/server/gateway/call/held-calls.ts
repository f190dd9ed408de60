import { randomBytes } from "node:crypto";
import { isSameCaller, type Principal } from "../../../types/principal.ts";
import type { LiveCall } from "./live-call.ts";

export interface HeldCallsOptions {
  readonly prefix?: string;
  readonly holdMs: number;
  readonly max: number;
  readonly maxPerCaller: number;
}

interface HeldCall {
  readonly call: LiveCall;
  readonly timer: NodeJS.Timeout;
}

/** Calls that wait for client input. A handle works once and only for its caller. */
export class HeldCalls {
  readonly #held = new Map<string, HeldCall>();
  readonly #options: HeldCallsOptions;

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(call: LiveCall): string | undefined {
    const { prefix = "", holdMs, max, maxPerCaller } = this.#options;
    if (this.#held.size >= max || this.#countOf(call.principal) >= maxPerCaller) return undefined;
    const handle = `${prefix}${randomBytes(16).toString("base64url")}`;
    const timer = setTimeout(() => {
      this.#held.delete(handle);
      call.cancel(new Error("Nobody answered in time."));
    }, holdMs);
    timer.unref();
    this.#held.set(handle, { call, timer });
    return handle;
  }

  take(handle: string, principal: Principal, subject: string): LiveCall | undefined {
    const held = this.#held.get(handle);
    if (held === undefined || held.call.subject !== subject) return undefined;
    if (!isSameCaller(held.call.principal, principal)) return undefined;
    clearTimeout(held.timer);
    this.#held.delete(handle);
    return held.call;
  }

  cancelAll(reason: unknown): void {
    for (const { call, timer } of this.#held.values()) {
      clearTimeout(timer);
      call.cancel(reason);
    }
    this.#held.clear();
  }

  #countOf(principal: Principal): number {
    let count = 0;
    for (const { call } of this.#held.values()) if (isSameCaller(call.principal, principal)) count++;
    return count;
  }
}

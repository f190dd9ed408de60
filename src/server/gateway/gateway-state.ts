import { isSameCaller, type Principal } from "../../types/principal.ts";
import { createHandles, GatewayTasks, type Handles } from "./call/gateway-tasks.ts";
import { createProgressHub, type ProgressHub } from "./call/handle-request.ts";
import type { LiveCall } from "./call/live-call.ts";
import type { GatewayBackend } from "./gateway-backend.ts";

export interface GatewayOptions {
  /** `client` is only for trusted clients: a client that fills in its own forms can approve its own calls. */
  readonly approvals?: "client" | "elsewhere";
  /** How long calls wait for client input. Default: 10 minutes. */
  readonly holdMs?: number;
  readonly maxHeld?: number;
  readonly maxHeldPerCaller?: number;
  /** Cache lifetime of lists. Default: 30 seconds. */
  readonly listTtlMs?: number;
  /** Default: 10 seconds. */
  readonly listTimeoutMs?: number;
  /** Calls that take longer become tasks, if the client supports them. */
  readonly taskAfterMs?: number;
  /** Whether to wait for upstream tasks if the client cannot. Default: `finish`. */
  readonly tasks?: "finish" | "pass";
  /** Default: 1 hour. */
  readonly taskTtlMs?: number;
}

/** Shared by all connections of an endpoint. */
export interface GatewayState {
  readonly backend: GatewayBackend;
  readonly approvals: "client" | "elsewhere";
  readonly holdMs: number;
  readonly listTtlMs: number;
  readonly listTimeoutMs: number;
  readonly taskAfterMs: number | undefined;
  readonly finishesTasks: boolean;
  readonly handles: Handles;
  readonly heldCalls: HeldCalls;
  readonly tasks: GatewayTasks;
  readonly liveCalls: Set<LiveCall>;
  readonly progress: ProgressHub;
  readonly drain: (graceMs: number) => Promise<void>;
}

export const createGatewayState = (backend: GatewayBackend, options: GatewayOptions = {}): GatewayState => {
  const holdMs = options.holdMs ?? 600_000;
  const max = options.maxHeld ?? 1000;
  const handles = createHandles();
  const heldCalls = new HeldCalls({ handles, holdMs, max, maxPerCaller: options.maxHeldPerCaller ?? 100 });
  const ttlMs = options.taskTtlMs ?? 3_600_000;
  const tasks = new GatewayTasks({ handles, ttlMs, max, maxPerCaller: Math.ceil(max / 4) });
  const liveCalls = new Set<LiveCall>();
  return {
    backend: backend,
    approvals: options.approvals ?? "elsewhere",
    holdMs,
    listTtlMs: options.listTtlMs ?? 30_000,
    listTimeoutMs: options.listTimeoutMs ?? 10_000,
    taskAfterMs: options.taskAfterMs,
    finishesTasks: options.tasks !== "pass",
    handles,
    heldCalls: heldCalls,
    tasks,
    liveCalls: liveCalls,
    progress: createProgressHub(backend),
    drain: async (graceMs) => {
      await whenIdle(liveCalls, graceMs);
      const reason = new Error("The server is closing.");
      heldCalls.cancelAll(reason);
      tasks.cancelAll(reason);
      for (const call of liveCalls) call.cancel(reason);
    },
  };
};

const whenIdle = async (liveCalls: ReadonlySet<LiveCall>, graceMs: number): Promise<void> => {
  const busy = [...liveCalls].filter(({ isBusy }) => isBusy);
  if (busy.length === 0 || graceMs <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all(busy.map(({ finished }) => finished)), timedOut]);
  clearTimeout(timer);
};

interface HeldCallsOptions {
  readonly handles: Handles;
  readonly holdMs: number;
  readonly max: number;
  readonly maxPerCaller: number;
}

interface HeldCall {
  readonly call: LiveCall;
  readonly timer: NodeJS.Timeout;
}

/** Calls that wait for client input. A handle works once and only for its caller. */
class HeldCalls {
  readonly #held = new Map<string, HeldCall>();
  readonly #options: HeldCallsOptions;

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(call: LiveCall): string | undefined {
    const { handles, holdMs, max, maxPerCaller } = this.#options;
    if (this.#held.size >= max || this.#countOf(call.principal) >= maxPerCaller) return undefined;
    const handle = handles.create();
    const timer = setTimeout(() => {
      this.#held.delete(handle);
      call.cancel(new Error("The input request was not answered in time."));
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
